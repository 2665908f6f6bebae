import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './config/load-config.js';
import { readOrCreateSecret } from './auth/secret-file.js';
import type { Role } from './auth/principal.js';
import { signToken } from './auth/tokens/sign-token.js';

const USAGE = `Usage: npm run -s token -- --company <id> --user <id> [--role member|company] [--expires 30d] [--name <name>] [--email <address>]
Prints a bearer token, signed with AUTH_JWT_SECRET, or with the secret in DATA_DIR if the service uses its embedded database.
--expires takes minutes, hours or days (90m, 12h, 30d); default 30d. --role: default member.
`;

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Maximum length of a stored user or company id. */
const MAX_ID_LENGTH = 200;

/** Thrown for invalid usage. The message explains the problem. */
class UsageError extends Error {}

async function makeToken(args: string[]): Promise<string> {
  const { company, user, role, expires, name, email } = readArguments(args);
  const claims = { sub: user, company_id: company, role, ...(name && { name }), ...(email && { email }) };
  return await signToken(await secret(), claims, expires);
}

function readArguments(args: string[]) {
  const { values } = parse(args);
  const { role = 'member', expires = '30d', name, email } = values;
  const [company, user] = [idOf(values.company, '--company'), idOf(values.user, '--user')];
  if (!isRole(role)) throw new UsageError('--role must be member or company');
  return { company, user, role, expires: new Date(Date.now() + duration(expires)), name, email };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: { company: text, user: text, role: text, expires: text, name: text, email: text },
    });
  } catch (error) {
    // The message already describes the invalid argument.
    throw new UsageError((error as Error).message);
  }
}

function idOf(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new UsageError(`${option} is missing`);
  if (value.length > MAX_ID_LENGTH) throw new UsageError(`${option} has more than ${MAX_ID_LENGTH} characters`);
  return value;
}

const isRole = (text: string): text is Role => text === 'member' || text === 'company';

function duration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw new UsageError('--expires must look like 90m, 12h or 30d');
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Returns the service's secret, from its settings or from the file created by its first start. */
async function secret(): Promise<string> {
  const config = loadConfig();
  if (config.AUTH_JWT_SECRET !== undefined) return config.AUTH_JWT_SECRET;
  if (!config.embedded) throw new UsageError('AUTH_JWT_SECRET is not set: tokens come from the OpenID provider');
  const file = join(config.DATA_DIR, 'jwt-secret');
  if (!existsSync(file))
    throw new UsageError(`There is no ${file} yet: start the service once, or set AUTH_JWT_SECRET`);
  return await readOrCreateSecret(file);
}

try {
  process.stdout.write(`${await makeToken(process.argv.slice(2))}\n`);
} catch (error) {
  const isPlain = error instanceof UsageError || error instanceof ConfigError;
  process.stderr.write(isPlain ? `${error.message}\n${USAGE}` : `${String((error as Error).stack)}\n`);
  process.exitCode = isPlain ? 2 : 1;
}
