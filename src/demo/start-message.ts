import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { IdentitiesService } from '../auth/identities/identities.service.js';
import { InsufficientStorage } from '../common/errors/errors.js';
import { Principal, type Role } from '../auth/principal.js';
import { TokensService } from '../auth/tokens/tokens.service.js';
import { DevelopmentTokensService } from '../web/development-tokens.service.js';
import { createDemo } from './demo.js';

const COMPANY_ID = 'demo';
const PEOPLE = {
  company: { user_id: 'ada', user_name: 'Ada Demo', user_email: 'ada@demo.example' },
  member: { user_id: 'max', user_name: 'Max Demo', user_email: 'max@demo.example' },
} as const satisfies Record<Role, object>;
const TOKEN_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

type Tokens = Record<Role, string>;

/**
 * Prepares embedded mode and returns a message with the next steps. Stores tokens for two users in `DATA_DIR/dev-tokens.json`,
 * and creates new tokens if they are missing or expired. The first start also creates the demo.
 *
 * @returns text for the terminal
 */
export async function startMessage(
  app: INestApplicationContext,
  config: Config,
  url: string,
  notes: readonly string[],
): Promise<string> {
  const marker = join(config.DATA_DIR, 'started-before');
  const problems: string[] = [];
  if (!existsSync(marker)) {
    await createUsers(app);
    const problem = config.DEMO ? await tryDemo(app) : undefined;
    if (problem === undefined) await writeFile(marker, '');
    else problems.push(problem);
  }
  const file = join(config.DATA_DIR, 'dev-tokens.json');
  const stored = await readTokens(file);
  const tokens = stored !== undefined && (await areValid(app, stored)) ? stored : await writeTokens(app, file);
  app.get(DevelopmentTokensService).offer(tokens);
  return [
    '',
    `Open ${url} in a browser. Swagger UI is at ${url}/docs.`,
    `Tokens for the API are in ${resolve(file)}.`,
    ...[...notes, ...problems].map((note) => `Note: ${note}`),
    '',
  ].join('\n');
}

/**
 * Creates the demo. If there is not enough disk space for its files, resolves with an explanation, and the next start tries
 * again.
 */
async function tryDemo(app: INestApplicationContext): Promise<string | undefined> {
  try {
    await createDemo(app, principalOf('company'));
    return undefined;
  } catch (error) {
    if (!(error instanceof InsufficientStorage)) throw error;
    const { message } = error.cause instanceof Error ? error.cause : error;
    return `The demo project was not created. ${message}.`;
  }
}

const principalOf = (role: Role): Principal =>
  Principal.user({ company_id: COMPANY_ID, role, ...PEOPLE[role], user_avatar_url: null, expires_at: null });

async function createUsers(app: INestApplicationContext): Promise<void> {
  const identities = app.get(IdentitiesService);
  for (const role of ['company', 'member'] as const) {
    const { user_id, user_name, user_email } = PEOPLE[role];
    await identities.remember({
      company_id: COMPANY_ID,
      id: user_id,
      display_name: user_name,
      email: user_email,
      avatar_url: null,
      role,
      token_issued_at: new Date(),
    });
  }
}

async function readTokens(file: string): Promise<Tokens | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Tokens;
  } catch (error) {
    // A missing or corrupt file is written again.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function areValid(app: INestApplicationContext, { company, member }: Tokens): Promise<boolean> {
  const tokens = app.get(TokensService);
  return (await tokens.verify(company)) !== null && (await tokens.verify(member)) !== null;
}

/** Writes new tokens to a temporary file first, so that a crash never leaves an incomplete file. */
async function writeTokens(app: INestApplicationContext, file: string): Promise<Tokens> {
  const service = app.get(TokensService);
  const sign = (role: Role): Promise<string> => {
    const { user_id: sub, user_name: name, user_email: email } = PEOPLE[role];
    return service.sign({ sub, company_id: COMPANY_ID, role, name, email }, new Date(Date.now() + TOKEN_DAYS * DAY_MS));
  };
  const tokens: Tokens = { company: await sign('company'), member: await sign('member') };
  await writeFile(`${file}.new`, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return tokens;
}
