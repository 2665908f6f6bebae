import { describe, expect, it } from '@jest/globals';
import { findSecrets } from './secret-scan.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWl0';

describe('findSecrets', () => {
  it.each([
    ['{"headers":{"authorization":"Bearer abcdefgh123"}}', 'a bearer token'],
    [`{"msg":"token ${JWT} refused"}`, 'a JSON web token'],
    ['{"key":"pws_a1b2c3d4e5f6_0123456789abcdef0123456789abcdef"}', 'an API key'],
    ['{"url":"/store/blobs/1?expires=5&signature=0123456789abcdef"}', 'a signature'],
    ['{"msg":"cannot reach postgres://owner:pass-word@127.0.0.1:5432/x"}', 'a password in a URL'],
    ['{"msg":"it is open sesame now"}', 'a secret of a test'],
  ])('finds and masks the secret in %s', (line, name) => {
    const problems = findSecrets(`{"msg":"ready"}\n${line}\n`, ['open sesame', 'another one']);
    expect(problems.map((problem) => problem.split(' in: ')[0])).toContain(name);
    for (const told of [JWT, 'abcdefgh123', 'pass-word', 'open sesame', '0123456789abcdef0123456789abcdef'])
      expect(problems.join('\n')).not.toContain(told);
  });

  it('accepts lines without secrets', () => {
    const line =
      '{"req":{"id":"1","method":"GET","path":"/store/blobs/1"},"res":{"status":401},"msg":"request completed"}';
    expect(findSecrets(line, ['open sesame'])).toEqual([]);
    expect(findSecrets('{"url":"http://127.0.0.1:4000","msg":"Bearer tokens only"}', [])).toEqual([]);
  });
});
