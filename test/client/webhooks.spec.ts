import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/index.js';
import { newSecret, signedHeaders } from '../../src/webhooks/webhook-signature.js';

const secret = newSecret();
const body = JSON.stringify({ type: 'project.deleted', data: { name: 'Größe' } });
const signed = (at = new Date(), by = secret): Record<string, string> => signedHeaders(by, 'msg_1', at, body);

describe('verifyWebhook', () => {
  it.each([
    ['headers in a plain object', signed()],
    ['headers in a Headers object', new Headers(signed())],
    [
      'header names in upper case',
      { ...Object.fromEntries(Object.entries(signed()).map(([k, v]) => [k.toUpperCase(), v])) },
    ],
    ['several signatures', { ...signed(), 'webhook-signature': `v1,bad v2,x ${signed()['webhook-signature'] ?? ''}` }],
  ])('returns the event of a correctly signed request with %s', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret)).toEqual(JSON.parse(body));
  });

  it.each([
    ['a changed body', `${body} `, signed(), secret],
    ['a different secret', body, signed(), newSecret()],
    ['a changed id', body, { ...signed(), 'webhook-id': 'msg_2' }, secret],
    ['an old timestamp', body, signed(new Date(Date.now() - 301_000)), secret],
    ['a timestamp in the future', body, signed(new Date(Date.now() + 302_000)), secret],
    ['a timestamp that is not a number', body, { ...signed(), 'webhook-timestamp': 'soon' }, secret],
    ['no signature', body, { ...signed(), 'webhook-signature': undefined }, secret],
    ['a signature that is not Base64', body, { ...signed(), 'webhook-signature': 'v1,???' }, secret],
    ['an empty signature', body, { ...signed(), 'webhook-signature': 'v1,' }, secret],
  ])('rejects a request with %s', async (_, sent, headers, by) => {
    await expect(verifyWebhook(sent, headers, by)).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('accepts an older request if the tolerance is larger', async () => {
    const headers = signed(new Date(Date.now() - 600_000));
    await expect(verifyWebhook(body, headers, secret, { toleranceSeconds: 900 })).resolves.toEqual(JSON.parse(body));
  });

  it('rejects a malformed secret with an error that names the required prefix', async () => {
    await expect(verifyWebhook(body, signed(), 'secret')).rejects.toThrow('A webhook secret must start with whsec_');
  });
});
