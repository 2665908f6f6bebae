import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Patterns that match secrets by their format, even if no test has recorded them. */
const PATTERNS = {
  'a bearer token': /\bBearer\s+[\w~+/-]{8,}/i,
  'a JSON web token': /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/,
  // Metrics have the same prefix as API keys, but no hexadecimal digits follow it.
  'an API key': /\bpws_[0-9a-f]{12}_[0-9a-f]{16,}/,
  'a signature': /\b(?:X-Amz-Signature|X-Amz-Credential|signature)=[\w%-]{8,}/i,
  'a password in a URL': /\b[a-z]+:\/\/[^\s:/@"]+:[^\s@/"]{4,}@/,
};

/**
 * Returns a description of each secret in the text, with its line. The secrets in that line are masked.
 *
 * @param {string} text lines of a log
 * @param {readonly string[]} secrets
 * @returns {string[]}
 */
export function findSecrets(text, secrets) {
  const told = [
    ...Object.entries(PATTERNS).flatMap(([name, pattern]) => (pattern.test(text) ? [{ name, pattern }] : [])),
    ...included(text, secrets).map((secret) => ({ name: 'a secret of a test', pattern: secret })),
  ];
  return told.map(({ name, pattern }) => {
    const line =
      text.split('\n').find((one) => (typeof pattern === 'string' ? one.includes(pattern) : pattern.test(one))) ?? text;
    return `${name} in: ${hide(line, secrets).slice(0, 500)}`;
  });
}

/**
 * Length of the prefixes that the search hashes. A rolling hash of the text finds all prefixes in a single pass.
 */
const BEGINNING = 8;
const SLOTS = 2 ** 20;
const BASE = 65_599;
const OLDEST = Array.from({ length: BEGINNING }).reduce((power) => Math.imul(power, BASE), 1);

/** Returns the secrets that occur in the text. Reads the text only once, regardless of the number of secrets. */
function included(text, secrets) {
  const found = new Set(secrets.filter((secret) => secret.length < BEGINNING && text.includes(secret)));
  const slots = new Map();
  const isTaken = new Uint8Array(SLOTS);
  for (const secret of secrets) {
    if (secret.length < BEGINNING) continue;
    let hash = 0;
    for (let at = 0; at < BEGINNING; at += 1) hash = (Math.imul(hash, BASE) + secret.charCodeAt(at)) | 0;
    isTaken[hash & (SLOTS - 1)] = 1;
    slots.set(hash, [...(slots.get(hash) ?? []), secret]);
  }
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
    if (at >= BEGINNING) hash = (hash - Math.imul(OLDEST, text.charCodeAt(at - BEGINNING))) | 0;
    if (at < BEGINNING - 1 || isTaken[hash & (SLOTS - 1)] === 0) continue;
    const start = at - BEGINNING + 1;
    for (const secret of slots.get(hash) ?? []) if (text.startsWith(secret, start)) found.add(secret);
  }
  return secrets.filter((secret) => found.has(secret));
}

/** Masks all secrets in a line. */
function hide(line, secrets) {
  const plain = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), line);
  return Object.values(PATTERNS).reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, 'gi'), '***'), plain);
}

/**
 * Searches all service logs from a run for secrets.
 *
 * @param {string} folder folder of the logs
 * @returns {{ lines: number, problems: string[] }}
 */
export function scanLogs(folder) {
  if (!existsSync(folder)) return { lines: 0, problems: [] };
  const noted = join(folder, 'secrets');
  const kept = existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : [];
  const secrets = [...new Set(kept)].map((line) => JSON.parse(line));
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  let lines = 0;
  const problems = logs.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    lines += text.split('\n').length - 1;
    return findSecrets(text, secrets);
  });
  return { lines, problems };
}
