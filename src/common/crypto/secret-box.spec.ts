import { describe, expect, it } from '@jest/globals';
import { SecretBox, Unsealable } from './secret-box.js';

const box = new SecretBox(Buffer.alloc(32, 1), 'test');

describe('SecretBox', () => {
  it.each(['', 'x', 'é🙂'.repeat(1_000)])('opens content that it sealed: %#', (content) => {
    const sealed = box.seal(content, 'row 1');
    expect(sealed.includes(Buffer.from('é🙂'))).toBe(false);
    expect(box.open(sealed, 'row 1').toString()).toBe(content);
    expect(box.seal(content, 'row 1')).not.toEqual(sealed);
  });

  it('rejects content that was altered, never sealed, or sealed with another context, purpose or secret', () => {
    const sealed = box.seal('secret', 'row 1');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => box.open(changed, 'row 1')).toThrow(Unsealable);
    }
    expect(() => box.open(sealed, 'row 2')).toThrow(Unsealable);
    expect(() => new SecretBox(Buffer.alloc(32, 1), 'other').open(sealed, 'row 1')).toThrow(Unsealable);
    expect(() => new SecretBox(Buffer.alloc(32, 2), 'test').open(sealed, 'row 1')).toThrow(Unsealable);
    expect(() => box.open(Buffer.alloc(3), 'row 1')).toThrow(Unsealable);
  });
});
