import { describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { newSecret, signedHeaders } from './webhook-signature.js';

/** Published with the Standard Webhooks specification and its reference libraries: secret, id, seconds, body, signature. */
const VECTORS = [
  [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  [
    'whsec_plJ3nmyCDGBKInavdOK15jsl',
    'msg_loFOjxBNrRLzqYUf',
    1731705121,
    '{"event_type":"ping","data":{"success":true}}',
    'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  ],
] as const;

describe('signatures', () => {
  it.each(VECTORS)('are those of the specification: %s', (secret, id, seconds, body, signature) => {
    expect(signedHeaders(secret, id, new Date(seconds * 1000), body)).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature,
    });
  });

  it('are verified with new secrets, and with no others', () => {
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
