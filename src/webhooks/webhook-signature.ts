import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';

const SECRET_BYTES = 32;

/** Generates a secret in the format of the Standard Webhooks specification. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * Returns the headers that identify and sign a message.
 * @param at time of the attempt
 */
export function signedHeaders(secret: string, message_id: string, at: Date, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'project-workspace-service',
    'webhook-id': message_id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Signer(secret).sign(message_id, at, body),
  };
}
