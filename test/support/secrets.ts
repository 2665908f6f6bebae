import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testRun } from './run.js';

/*
 * Secrets that must never appear in a log. Test helpers record every secret that they create or receive, and every
 * service process writes its log to the same folder. At the end of the run, secret-scan.js searches the logs for the
 * secrets.
 */

/** Returns the log folder for this run. */
export function logFolder(): string {
  const folder = join(testRun().directory, 'logs');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Minimum length of a secret. Shorter strings would match anywhere. */
const MIN_LENGTH = 8;

/** Records the given strings as secrets. */
export function keepSecret(...secrets: (string | undefined)[]): void {
  const lines = secrets.filter((secret) => secret !== undefined && secret.length >= MIN_LENGTH);
  if (lines.length > 0)
    appendFileSync(join(logFolder(), 'secrets'), lines.map((secret) => `${JSON.stringify(secret)}\n`).join(''));
}

/** Response properties that contain a secret, at any depth. */
const SECRET_PROPERTIES = new Set(['upload_token', 'key', 'token']);

/** Records the secrets in a response: tokens, new keys, and URL signatures. */
export function keepSecretsOf(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value !== 'string') keepSecretsOf(value);
    else if (SECRET_PROPERTIES.has(name)) keepSecret(value);
    else if (name === 'url') keepSecret(/[?&](?:X-Amz-Signature|signature)=([^&]+)/.exec(value)?.[1]);
  }
}
