import { IsIn, IsOptional, IsString, Matches, MinLength } from 'class-validator';
import { Amount, Flag, HttpUrl, Origin, WholeNumber } from './setting.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

const AGENT_PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;

/** `*`, `none`, or origins by comma. */
const ORIGINS = /^(\*|none|https?:\/\/[^/?#@,\s]+(\s*,\s*https?:\/\/[^/?#@,\s]+)*)$/;

/** Every setting of the service, under the name of its environment variable. */
export class Settings {
  /** TCP port; 0 takes a free one. */
  @WholeNumber(0, 65535)
  PORT: number = 3000;

  /** Address to listen on. Default: 127.0.0.1 with the embedded database, else 0.0.0.0. */
  @IsString()
  HOST: string = '0.0.0.0';

  /** Base URL that clients reach this service under, for signed file URLs. Default: taken from the request. */
  @IsOptional()
  @HttpUrl()
  PUBLIC_URL?: string;

  /** Proxies in front of the service whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, the nearest ones. */
  @WholeNumber(0)
  TRUSTED_PROXIES: number = 0;

  /**
   * Origins of web clients by comma, `*` for any, `none` for none. Default: every port of this computer with the embedded
   * database, else `none`.
   */
  @IsOptional()
  @Matches(ORIGINS, { message: 'CORS_ORIGINS must be *, none, or http and https origins separated by commas' })
  CORS_ORIGINS?: string;

  /** Requests that are served to one caller in a minute, over all processes; 0: as many as come. */
  @WholeNumber(0)
  RATE_LIMIT_PER_MINUTE: number = 0;

  /** Requests without valid credentials that are answered 401 to one address in a minute; 0: as many as come. */
  @WholeNumber(0)
  RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: number = 0;

  /** Most connections of clients to this process. Without TRUSTED_PROXIES one address may have half of them. */
  @WholeNumber(1)
  MAX_CONNECTIONS: number = 10_000;

  /** `api` serves requests, `worker` runs turns and jobs, `all` does both. */
  @IsIn(['all', 'api', 'worker'])
  ROLE: 'all' | 'api' | 'worker' = 'all';

  /**
   * Most turns that this process runs at once; further ones wait for it or go to other workers. A turn mostly waits for
   * its model and holds no database connection meanwhile, but it has a part of its conversation in memory.
   */
  @WholeNumber(1, 10_000)
  TURNS_CONCURRENCY: number = 100;

  /** Whether `/metrics` answers, on the same port as everything else. */
  @Flag()
  METRICS: boolean = false;

  /** Bearer token that `/metrics` asks for, at least 16 characters. Absent: it asks for none. */
  @IsOptional()
  @MinLength(16)
  METRICS_TOKEN?: string;

  /**
   * How long, in seconds, a process that is told to stop goes on serving while `/health/ready` already answers 503, so
   * that a load balancer has time to turn to others.
   */
  @WholeNumber(0, 300)
  STOP_DELAY_SECONDS: number = 0;

  /** Least severe level that is logged. At `debug`, requests that succeed are logged as well. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL: string = 'info';

  /** `postgres://` URL of PostgreSQL 18 or newer. Absent: an embedded server in DATA_DIR. */
  @IsOptional()
  @IsString()
  DATABASE_URL?: string;

  /** Most connections of this process to the database. */
  @WholeNumber(2)
  DATABASE_POOL_SIZE: number = 20;

  /** Folder of the embedded database, the disk store and generated secrets. */
  @IsString()
  @MinLength(1)
  DATA_DIR: string = '.data';

  /** Secret of HS256 bearer tokens, at least 32 characters. Made and kept in DATA_DIR in embedded mode. */
  @IsOptional()
  @MinLength(32)
  AUTH_JWT_SECRET?: string;

  /** URL of the JSON Web Key Set of an OpenID provider, whose tokens are then taken too. Absent: no provider. */
  @IsOptional()
  @HttpUrl()
  AUTH_JWKS_URL?: string;

  /** `iss` of the provider's tokens. */
  @IsOptional()
  @IsString()
  AUTH_ISSUER?: string;

  /** What `aud` of the provider's tokens must be or hold: the name of this service at the provider. */
  @IsOptional()
  @IsString()
  AUTH_AUDIENCE?: string;

  /** Claims of the provider's tokens by name, or by path into nested claims (`realm_access.roles`): the user's id. */
  @IsString()
  AUTH_CLAIM_USER_ID: string = 'sub';

  /** The company's id. */
  @IsString()
  AUTH_CLAIM_COMPANY_ID: string = 'company_id';

  /** The role or roles: one text or an array. */
  @IsString()
  AUTH_CLAIM_ROLE: string = 'role';

  /** The user's name. */
  @IsString()
  AUTH_CLAIM_NAME: string = 'name';

  /** The user's e-mail address. */
  @IsString()
  AUTH_CLAIM_EMAIL: string = 'email';

  /** URL of the user's picture. */
  @IsString()
  AUTH_CLAIM_PICTURE: string = 'picture';

  /** Role values of the provider, separated by commas, that make a user company-level. */
  @IsString()
  AUTH_ROLE_COMPANY: string = 'company';

  /** Role values of the provider, separated by commas, that make a user a member. Absent: everybody else is one. */
  @IsOptional()
  @IsString()
  AUTH_ROLE_MEMBER?: string;

  /** Whether a first start of the embedded mode creates the demo deployment and project. */
  @Flag()
  DEMO: boolean = true;

  /** Largest file that the content operation returns, in bytes. */
  @WholeNumber(1)
  FILES_CONTENT_MAX_BYTES: number = 10 * MiB;

  /** Largest file that can be uploaded, in bytes. */
  @WholeNumber(1)
  FILES_MAX_BYTES: number = 5 * GiB;

  /** Most bytes of files a company may keep. Absent: no limit. */
  @IsOptional()
  @WholeNumber(1)
  FILES_COMPANY_MAX_BYTES?: number;

  /** Who serves the language model that answers turns. Absent: the `guide`, which follows fixed rules, does. */
  @IsOptional()
  @IsIn(AGENT_PROVIDERS)
  AGENT_PROVIDER?: (typeof AGENT_PROVIDERS)[number];

  /** Name of the model, as the provider knows it. */
  @IsOptional()
  @IsString()
  AGENT_MODEL?: string;

  /** Base URL of the provider's API, version included. Needed for `openai-compatible`; default the provider's own. */
  @IsOptional()
  @HttpUrl()
  AGENT_BASE_URL?: string;

  /** Key of the provider. */
  @IsOptional()
  @IsString()
  AGENT_API_KEY?: string;

  /** A provider that says nothing for so long, in seconds, has failed. */
  @Amount(0.1)
  AGENT_TIMEOUT_SECONDS: number = 120;

  /** Credits charged per 1,000 tokens that a language model reads. */
  @Amount(0)
  PRICE_INPUT_TOKENS: number = 0.003;

  /** Credits charged per 1,000 tokens that a language model writes. */
  @Amount(0)
  PRICE_OUTPUT_TOKENS: number = 0.015;

  /** How long the content of a file stays after nothing refers to it, in seconds; longer than any turn or URL lives. */
  @WholeNumber(1)
  FILES_GRACE_SECONDS: number = 24 * 60 * 60;

  /** How long the rows of a deleted project stay, in seconds. */
  @WholeNumber(1)
  PROJECTS_GRACE_SECONDS: number = 24 * 60 * 60;

  /** URL of MinIO or another S3 server that keeps the files, as this process reaches it. Absent: files are in DATA_DIR. */
  @IsOptional()
  @Origin()
  S3_ENDPOINT?: string;

  /** Access key of the S3 server. */
  @IsOptional()
  @IsString()
  S3_ACCESS_KEY?: string;

  /** Secret key of the S3 server. */
  @IsOptional()
  @IsString()
  S3_SECRET_KEY?: string;

  /** Bucket of the files, which nothing else may use. Made when it is missing. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'S3_BUCKET must be the name of a bucket' })
  S3_BUCKET?: string;

  /** Region of the S3 server. */
  @IsString()
  @MinLength(1)
  S3_REGION: string = 'us-east-1';

  /** The S3 server as clients reach it, for signed URLs. Default: S3_ENDPOINT. */
  @IsOptional()
  @Origin()
  S3_PUBLIC_ENDPOINT?: string;

  /** Credits charged for a turn of the `guide` agent. */
  @Amount(0)
  PRICE_GUIDE_TURN: number = 0.01;

  /** Most solves that this process runs at once; further ones wait. Each keeps a core busy. Default: all cores but one. */
  @IsOptional()
  @WholeNumber(1, 1_000)
  SOLVES_CONCURRENCY?: number;

  /** How long the solver may work on a model, in seconds; reading the model and explaining the outcome come on top. */
  @Amount(0.1, 3_000)
  SOLVE_TIME_LIMIT_SECONDS: number = 60;

  /** Most memory of the solver in one solve, in MiB. */
  @WholeNumber(32, 2_048)
  SOLVE_MEMORY_MIB: number = 1_024;

  /** Credits charged per started second of a solve. */
  @Amount(0)
  PRICE_SOLVE_SECOND: number = 0.01;
}
