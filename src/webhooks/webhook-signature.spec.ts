import { describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { newSecret, signedHeaders } from './webhook-signature.js';

/**
 * Test vectors: secret, id, timestamp in seconds, body and signature. They come from the repository
 * standard-webhooks/standard-webhooks, which also contains the specification. The first vector is in the tests of its
 * JavaScript library (libraries/javascript/src/webhook.test.ts), the second in the tests of its Rust library
 * (libraries/rust/src/lib.rs).
 */
const VECTORS = [
  [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  [
    'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    1649367553,
    '{"email":"test@example.com","username":"test_user"}',
    'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
  ],
] as const;

describe('signedHeaders', () => {
  it.each(VECTORS)(
    'creates the same signatures as the reference libraries: %s',
    (secret, id, seconds, body, signature) => {
      expect(signedHeaders(secret, id, new Date(seconds * 1000), body)).toMatchObject({
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature,
      });
    },
  );

  it('creates signatures that verify only with the same secret, id and body', () => {
    const [secret, other] = [newSecret(), newSecret()];
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const body = '{"é":"🙂"}';
    const headers = signedHeaders(secret, 'msg_1', new Date(), body);
    expect(new Verifier(secret).verify(body, headers)).toEqual({ é: '🙂' });
    expect(() => new Verifier(other).verify(body, headers)).toThrow();
    expect(() => new Verifier(secret).verify(`${body} `, headers)).toThrow();
    expect(() => new Verifier(secret).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
  });
});
