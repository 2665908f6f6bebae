/** Headers of a webhook request, as `Headers` or as an object. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** The signature, headers or age of a webhook request are invalid. Respond with 400. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

export interface WebhookOptions {
  /** Maximum accepted clock difference in seconds. Default 300. */
  toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const VERSION = 'v1,';

/**
 * Verifies a webhook request according to the Standard Webhooks specification and returns its event.
 *
 * @param body request body, exactly as received
 * @param secret signing secret of the webhook; during a rotation, try both secrets
 * @throws {@link WebhookVerificationError}
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: WebhookOptions = {},
): Promise<unknown> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw new WebhookVerificationError('The webhook-timestamp header is too far from the current time.');
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith(VERSION) ? bytesOf(signature.slice(VERSION.length)) : undefined;
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(body);
  }
  throw new WebhookVerificationError('No signature in the webhook-signature header matches the body and the secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new WebhookVerificationError(`The ${name} header is missing.`);
  return value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined) throw new TypeError(`A webhook secret must start with ${PREFIX}, followed by Base64.`);
  return bytes;
}

/** Decodes Base64. Returns undefined for invalid Base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
