import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testRun } from './run.js';

/*
 * What must never reach a log. Helpers note every secret that they make or receive, and every process of the service
 * leaves its log here; the end of the run looks for the ones in the others (secret-scan.js).
 */

/** The folder of the logs of this run. */
export function logFolder(): string {
  const folder = join(testRun().directory, 'logs');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Short texts are found anywhere; a secret is longer. */
const MIN_LENGTH = 8;

/** Notes that these are secrets. */
export function keepSecret(...secrets: (string | undefined)[]): void {
  const lines = secrets.filter((secret) => secret !== undefined && secret.length >= MIN_LENGTH);
  if (lines.length > 0)
    appendFileSync(join(logFolder(), 'secrets'), lines.map((secret) => `${JSON.stringify(secret)}\n`).join(''));
}

/** Properties of answers that hold a secret, wherever they stand. */
const SECRET_PROPERTIES = new Set(['upload_token', 'key', 'token']);

/** Notes the secrets in an answer: tokens, new keys, and the signatures of URLs. */
export function keepSecretsOf(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value !== 'string') keepSecretsOf(value);
    else if (SECRET_PROPERTIES.has(name)) keepSecret(value);
    else if (name === 'url') keepSecret(/[?&](?:X-Amz-Signature|signature)=([^&]+)/.exec(value)?.[1]);
  }
}
