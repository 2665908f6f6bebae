import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUrl, Max, Min, MinLength, validateSync } from 'class-validator';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Turns the text of a variable into a boolean; anything else is left for the validator to refuse. */
const Flag = () =>
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
/** Turns the text of a variable into a number. */
const Numeric = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
  );

/**
 * Every setting of the service, under the name of its environment variable.
 *
 * Injected by class. Values are validated once by {@link loadConfig}; nothing else reads the environment.
 */
export class Config {
  /** TCP port; 0 takes a free one. */
  @Numeric()
  @IsInt()
  @Min(0)
  @Max(65535)
  PORT: number = 3000;

  /** Address to listen on. Default: 127.0.0.1 with the embedded database, else 0.0.0.0. */
  @IsString()
  HOST: string = '0.0.0.0';

  /** Base URL that clients reach this service under, for signed file URLs. Default: taken from the request. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  PUBLIC_URL?: string;

  /** `api` serves requests, `worker` runs turns and jobs, `all` does both. */
  @IsIn(['all', 'api', 'worker'])
  ROLE: 'all' | 'api' | 'worker' = 'all';

  /** Least severe level that is logged. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL: string = 'info';

  /** `postgres://` URL of PostgreSQL 18 or newer. Absent: an embedded server in DATA_DIR. */
  @IsOptional()
  @IsString()
  DATABASE_URL?: string;

  /** Most connections of this process to the database. */
  @Numeric()
  @IsInt()
  @Min(2)
  DATABASE_POOL_SIZE: number = 20;

  /** Folder of the embedded database, the disk store and generated secrets. */
  @IsString()
  @MinLength(1)
  DATA_DIR: string = '.data';

  /** Secret of HS256 bearer tokens, at least 32 characters. Made and kept in DATA_DIR in embedded mode. */
  @IsOptional()
  @MinLength(32)
  AUTH_JWT_SECRET?: string;

  /** Whether a first start of the embedded mode creates the demo deployment and project. */
  @Flag()
  @IsIn([true, false])
  DEMO: boolean = true;

  /** Largest file that the content operation returns, in bytes. */
  @Numeric()
  @IsInt()
  @Min(1)
  FILES_CONTENT_MAX_BYTES: number = 10 * MiB;

  /** Largest file that can be uploaded, in bytes. */
  @Numeric()
  @IsInt()
  @Min(1)
  FILES_MAX_BYTES: number = 5 * GiB;

  /** Most bytes of files a company may keep. Absent: no limit. */
  @IsOptional()
  @Numeric()
  @IsInt()
  @Min(1)
  FILES_COMPANY_MAX_BYTES?: number;

  /** Credits charged for a turn of the `guide` agent. */
  @Numeric()
  @IsNumber()
  @Min(0)
  PRICE_GUIDE_TURN: number = 0.01;

  /** True when the service brings its own PostgreSQL. */
  get embedded(): boolean {
    return this.DATABASE_URL === undefined;
  }
}

/** Settings that do not fit together or have no valid value; the message names each variable, never a value. */
export class ConfigError extends Error {}

/**
 * Reads and validates the settings.
 *
 * @throws ConfigError naming every variable that is wrong.
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const names = Object.keys(new Config()).concat(
    'PUBLIC_URL',
    'DATABASE_URL',
    'AUTH_JWT_SECRET',
    'FILES_COMPANY_MAX_BYTES',
  );
  const given = Object.fromEntries(
    names.flatMap((name) =>
      environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]]],
    ),
  );
  const config = plainToInstance(Config, given, { exposeDefaultValues: true });
  if (config.embedded && given['HOST'] === undefined) config.HOST = '127.0.0.1';
  const problems = validateSync(config).flatMap((error) => Object.values(error.constraints ?? {}));
  if (config.embedded && config.ROLE !== 'all') problems.push(`ROLE=${config.ROLE} needs DATABASE_URL`);
  if (!config.embedded && config.AUTH_JWT_SECRET === undefined)
    problems.push('AUTH_JWT_SECRET is needed with DATABASE_URL');
  if (problems.length > 0) throw new ConfigError(`Settings are not valid: ${problems.join('; ')}`);
  return config;
}
