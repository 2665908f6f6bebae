import { readFileSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { Config } from './config.js';

/** Names of all settings. They are derived from the validators, because every setting has a validator. */
export const SETTINGS = Object.keys(
  getMetadataStorage().groupByPropertyName(getMetadataStorage().getTargetValidationMetadatas(Config, '', false, false)),
);

/** Settings required with an S3 server. */
const S3_WITH_ENDPOINT = ['S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_BUCKET'] as const;

/** Settings required with an OpenID provider, so that only tokens for this service are accepted. */
const PROVIDER_NEEDS = ['AUTH_ISSUER', 'AUTH_AUDIENCE'] as const;

/** Thrown for settings that are invalid or contradict each other. The message lists the variables but never a value. */
export class ConfigError extends Error {}

/**
 * Reads and validates the settings. Each setting can also be read from a file, whose path is in the variable `<name>_FILE`.
 *
 * @throws ConfigError with the name of every invalid variable
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = valueOf(name, environment);
      return value === '' ? [] : [[name, value]];
    }),
  );
  const config = plainToInstance(Config, values, { exposeDefaultValues: true });
  if (config.embedded && values['HOST'] === undefined) config.HOST = '127.0.0.1';
  if (config.embedded && values['LOG_LEVEL'] === undefined) config.LOG_LEVEL = 'warn';
  const problems = validateSync(config).flatMap((error) => Object.values(error.constraints ?? {}));
  if (config.embedded && config.ROLE !== 'all') problems.push(`ROLE=${config.ROLE} requires DATABASE_URL`);
  problems.push(...authProblems(config, values));
  problems.push(...agentProblems(config));
  problems.push(...s3Problems(config, values));
  if (problems.length > 0) throw new ConfigError(`Invalid settings: ${problems.join('; ')}`);
  return config;
}

/** Returns the names of environment variables that are not settings, neither as values nor as files. */
export const otherVariables = (environment: NodeJS.ProcessEnv = process.env): string[] =>
  Object.keys(environment).filter((name) => ![name, name.replace(/_FILE$/, '')].some((one) => SETTINGS.includes(one)));

/** Checks the authentication settings. Users must be able to sign in, and a provider's tokens must be issued for this service. */
function authProblems(config: Config, values: Record<string, unknown>): string[] {
  if (config.AUTH_JWKS_URL !== undefined) {
    const { WEB_CLIENT_ID, AUTH_ISSUER = '' } = config;
    return [
      ...PROVIDER_NEEDS.filter((name) => config[name] === undefined).map(
        (name) => `${name} is required with AUTH_JWKS_URL`,
      ),
      ...(WEB_CLIENT_ID === undefined || (/^https?:/.test(AUTH_ISSUER) && URL.canParse(AUTH_ISSUER))
        ? []
        : ['AUTH_ISSUER must be a URL if WEB_CLIENT_ID is set']),
    ];
  }
  const alone = Object.keys(values).filter((name) => /^AUTH_(ISSUER|AUDIENCE|CLAIM_|ROLE_)|^WEB_/.test(name));
  return [
    ...alone.map((name) => `${name} requires AUTH_JWKS_URL`),
    ...(config.embedded || config.AUTH_JWT_SECRET !== undefined
      ? []
      : ['AUTH_JWT_SECRET or AUTH_JWKS_URL is required with DATABASE_URL']),
  ];
}

/**
 * Returns the value of a setting's variable. If it is not set, returns the content of the file named by `<name>_FILE`, such as
 * a mounted secret.
 */
function valueOf(name: string, environment: NodeJS.ProcessEnv): string {
  const [value = '', file = ''] = [environment[name], environment[`${name}_FILE`]];
  if (value !== '' || file === '') return value;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`the file in ${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Checks the settings for the language model. */
function agentProblems(config: Config): string[] {
  const { AGENT_PROVIDER, AGENT_MODEL, AGENT_BASE_URL, AGENT_API_KEY, AGENT_IMAGES } = config;
  const settings = { AGENT_MODEL, AGENT_BASE_URL, AGENT_API_KEY, AGENT_IMAGES };
  if (AGENT_PROVIDER === undefined) {
    const names = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return names.map((name) => `${name} requires AGENT_PROVIDER`);
  }
  const required = [
    'AGENT_MODEL',
    AGENT_PROVIDER === 'openai-compatible' ? 'AGENT_BASE_URL' : 'AGENT_API_KEY',
  ] as const;
  return required
    .filter((name) => settings[name] === undefined)
    .map((name) => `AGENT_PROVIDER=${AGENT_PROVIDER} requires ${name}`);
}

/** Checks the settings of the S3 server, which must be complete or absent. */
function s3Problems(config: Config, values: Record<string, unknown>): string[] {
  if (config.S3_ENDPOINT === undefined) {
    const alone = [...S3_WITH_ENDPOINT, 'S3_REGION', 'S3_PUBLIC_ENDPOINT'].filter((name) => name in values);
    return alone.map((name) => `${name} requires S3_ENDPOINT`);
  }
  return S3_WITH_ENDPOINT.filter((name) => config[name] === undefined).map(
    (name) => `${name} is required with S3_ENDPOINT`,
  );
}
