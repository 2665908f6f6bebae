import { IsIn, IsOptional, IsString, Matches, MinLength } from 'class-validator';
import { Amount, Flag, HttpUrl, Origin, PostgresUrl, WholeNumber } from './setting.js';

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

  /** Base URL of this service for clients, used in signed file URLs. Default: taken from the request. */
  @IsOptional()
  @HttpUrl()
  PUBLIC_URL?: string;

  /** Number of nearest proxies in front whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  @WholeNumber(0)
  TRUSTED_PROXIES: number = 0;

  /**
   * Origins of web clients, separated by commas; `*` for any, `none` for none. Default: every port of this computer with
   * the embedded database, else `none`.
   */
  @IsOptional()
  @Matches(ORIGINS, { message: 'CORS_ORIGINS must be *, none, or http and https origins separated by commas' })
  CORS_ORIGINS?: string;

  /**
   * Whether webhooks can go to this computer, by http too. For development: it lets company-level callers reach what listens
   * here. Default: only with the embedded database.
   */
  @IsOptional()
  @Flag()
  WEBHOOKS_LOOPBACK?: boolean;

  /** Most requests of one caller per minute to this process; 0 disables the limit. */
  @WholeNumber(0)
  RATE_LIMIT_PER_MINUTE: number = 0;

  /** Most 401 answers of this process to one address per minute, for requests without valid credentials; 0 disables the limit. */
  @WholeNumber(0)
  RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: number = 0;

  /** Most client connections to this process. Without TRUSTED_PROXIES, one address can have half of them. */
  @WholeNumber(1)
  MAX_CONNECTIONS: number = 10_000;

  /** `api` serves requests, `worker` runs turns, solves and background work, `all` does both. */
  @IsIn(['all', 'api', 'worker'])
  ROLE: 'all' | 'api' | 'worker' = 'all';

  /** Memory for the newest messages of conversations that were read lately, in MiB; each that is not there is read anew. */
  @WholeNumber(1, 65_536)
  MESSAGES_CACHE_MIB: number = 64;

  /** Memory for canvases that were read lately, in MiB, of which one may need 5; each that is not there is read anew. */
  @WholeNumber(1, 65_536)
  CANVASES_CACHE_MIB: number = 32;

  /**
   * Most turns that this process runs at once, at most half of them for one company; others wait or go to other workers. A turn
   * mostly waits for its model. It then holds no database connection, but keeps part of its conversation in memory.
   */
  @WholeNumber(1, 10_000)
  TURNS_CONCURRENCY: number = 100;

  /** Whether JSON answers above 1 KiB are compressed for clients that take it (`br`, `gzip`). `false` where a proxy does it. */
  @Flag()
  COMPRESSION: boolean = true;

  /** Whether to serve `/metrics`, on the same port as everything else. */
  @Flag()
  METRICS: boolean = false;

  /** Bearer token that `/metrics` requires, at least 16 characters. Absent: none required. */
  @IsOptional()
  @MinLength(16)
  METRICS_TOKEN?: string;

  /**
   * How long, in seconds, a stopping process still serves requests while `/health/ready` already answers 503. This gives
   * a load balancer time to switch to others.
   */
  @WholeNumber(0, 300)
  STOP_DELAY_SECONDS: number = 0;

  /**
   * Seconds that an idle connection of a client stays open. Set it above the idle time of the load balancer, which otherwise sends
   * requests on connections that are about to close.
   */
  @WholeNumber(1, 3_600)
  KEEP_ALIVE_SECONDS: number = 65;

  /** Lowest level that is logged. `debug` also logs successful requests. Default: `warn` with the embedded database, else `info`. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL: string = 'info';

  /** `postgres://` URL of PostgreSQL 18 or newer. Absent: an embedded server in DATA_DIR. */
  @IsOptional()
  @PostgresUrl()
  DATABASE_URL?: string;

  /** Most connections of this process to the database, at least 4. Short reads share two of them. */
  @WholeNumber(4)
  DATABASE_POOL_SIZE: number = 20;

  /** Folder of the embedded database, the disk store and generated secrets. */
  @IsString()
  @MinLength(1)
  DATA_DIR: string = '.data';

  /** Secret of HS256 bearer tokens, at least 32 characters. In embedded mode it is generated and kept in DATA_DIR. */
  @IsOptional()
  @MinLength(32)
  AUTH_JWT_SECRET?: string;

  /**
   * Secret that answers kept for `Idempotency-Key` are encrypted with, at least 32 characters. Absent: a generated one that is
   * kept in the database beside them; with a secret of your own a copy of the database does not tell them.
   */
  @IsOptional()
  @MinLength(32)
  ANSWERS_SECRET?: string;

  /** URL of the JSON Web Key Set of an OpenID provider, whose tokens are accepted too. Absent: no provider. */
  @IsOptional()
  @HttpUrl()
  AUTH_JWKS_URL?: string;

  /** `iss` of the provider's tokens. */
  @IsOptional()
  @IsString()
  AUTH_ISSUER?: string;

  /** Value that `aud` of the provider's tokens must be or contain: the name of this service at the provider. */
  @IsOptional()
  @IsString()
  AUTH_AUDIENCE?: string;

  /**
   * Name of the page at `/` at the OpenID provider, where it is a public client with PKCE that may return to the page's address:
   * people then sign in there. `AUTH_ISSUER` has to be its URL. Absent: the page asks for a token.
   */
  @IsOptional()
  @IsString()
  WEB_CLIENT_ID?: string;

  /** Scopes that the page asks the provider for; with `offline_access` people stay signed in while the tab is open. */
  @IsString()
  WEB_SCOPE: string = 'openid profile email';

  /** Claim with the user's id. Claims are given by name, or by path into nested claims (`realm_access.roles`). */
  @IsString()
  AUTH_CLAIM_USER_ID: string = 'sub';

  /** Claim with the company's id. */
  @IsString()
  AUTH_CLAIM_COMPANY_ID: string = 'company_id';

  /** Claim with the role or roles: a string or an array. */
  @IsString()
  AUTH_CLAIM_ROLE: string = 'role';

  /** Claim with the user's name. */
  @IsString()
  AUTH_CLAIM_NAME: string = 'name';

  /** Claim with the user's e-mail address. */
  @IsString()
  AUTH_CLAIM_EMAIL: string = 'email';

  /** Claim with the URL of the user's picture. */
  @IsString()
  AUTH_CLAIM_PICTURE: string = 'picture';

  /** Role values of the provider, separated by commas, that make a user company-level. */
  @IsString()
  AUTH_ROLE_COMPANY: string = 'company';

  /** Role values of the provider, separated by commas, that make a user a member. Absent: everyone else is a member. */
  @IsOptional()
  @IsString()
  AUTH_ROLE_MEMBER?: string;

  /** Whether the first start in embedded mode creates the demo deployment and project. */
  @Flag()
  DEMO: boolean = true;

  /** Largest file that the content operation returns, in bytes. */
  @WholeNumber(1)
  FILES_CONTENT_MAX_BYTES: number = 10 * MiB;

  /** Largest file that can be uploaded, in bytes. */
  @WholeNumber(1)
  FILES_MAX_BYTES: number = 5 * GiB;

  /** Most bytes of files that a company can store. Absent: no limit. */
  @IsOptional()
  @WholeNumber(1)
  FILES_COMPANY_MAX_BYTES?: number;

  /** Bytes of a disk that files never use; below it, writes of files are refused. Less suits small volumes. */
  @WholeNumber(0)
  FILES_RESERVE_BYTES: number = GiB;

  /** Most bytes of tables that are kept converted in DATA_DIR; the least recently used ones are removed first. */
  @WholeNumber(0)
  TABLES_CACHE_BYTES: number = 2 * GiB;

  /** Provider of the language model that answers turns. Absent: the rule-based `guide` answers. */
  @IsOptional()
  @IsIn(AGENT_PROVIDERS)
  AGENT_PROVIDER?: (typeof AGENT_PROVIDERS)[number];

  /** Name of the model, as the provider knows it. */
  @IsOptional()
  @IsString()
  AGENT_MODEL?: string;

  /** Base URL of the provider's API, version included. Required for `openai-compatible`. Default: the provider's own. */
  @IsOptional()
  @HttpUrl()
  AGENT_BASE_URL?: string;

  /** API key for the provider. */
  @IsOptional()
  @IsString()
  AGENT_API_KEY?: string;

  /**
   * Whether the model is given images (PNG, JPEG, WebP, GIF) of messages and of the workspace. Default: `true` for
   * `anthropic` and `openai`, `false` for `openai-compatible`.
   */
  @IsOptional()
  @Flag()
  AGENT_IMAGES?: boolean;

  /** Seconds without any output after which a provider counts as failed. */
  @Amount(0.1)
  AGENT_TIMEOUT_SECONDS: number = 120;

  /** Credits charged per 1,000 input tokens of a language model. */
  @Amount(0)
  PRICE_INPUT_TOKENS: number = 0.003;

  /** Credits charged per 1,000 output tokens of a language model. */
  @Amount(0)
  PRICE_OUTPUT_TOKENS: number = 0.015;

  /** Seconds that file content is kept after the last reference to it; set it longer than any turn or URL lives. */
  @WholeNumber(1)
  FILES_GRACE_SECONDS: number = 24 * 60 * 60;

  /** Seconds in which a deleted project can be restored; then its rows are removed. */
  @WholeNumber(1)
  PROJECTS_GRACE_SECONDS: number = 24 * 60 * 60;

  /** URL of MinIO or another S3 server for the files, as this process reaches it. Absent: files are in DATA_DIR. */
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

  /** Bucket of the files; nothing else may use it. Created if missing. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'S3_BUCKET must be the name of a bucket' })
  S3_BUCKET?: string;

  /** Region of the S3 server. */
  @IsString()
  @MinLength(1)
  S3_REGION: string = 'us-east-1';

  /** URL of the S3 server for clients, used in signed URLs. Default: S3_ENDPOINT. */
  @IsOptional()
  @Origin()
  S3_PUBLIC_ENDPOINT?: string;

  /** Credits charged for a turn of the `guide` agent. */
  @Amount(0)
  PRICE_GUIDE_TURN: number = 0.01;

  /** Most solves that this process runs at once; others wait. Each uses one core. Default: all cores but one. */
  @IsOptional()
  @WholeNumber(1, 1_000)
  SOLVES_CONCURRENCY?: number;

  /**
   * Time limit of the solver per model, in seconds, unless a request has another one; reading the model and explaining the
   * outcome are not included.
   */
  @Amount(0.1, 3_000)
  SOLVE_TIME_LIMIT_SECONDS: number = 60;

  /** Largest time limit that a request can have, in seconds; SOLVE_TIME_LIMIT_SECONDS if that is larger. */
  @Amount(0.1, 3_000)
  SOLVE_TIME_LIMIT_MAX_SECONDS: number = 600;

  /** Memory limit of the solver per solve, in MiB. */
  @WholeNumber(32, 2_048)
  SOLVE_MEMORY_MIB: number = 1_024;

  /** Credits charged per started second of a solve. */
  @Amount(0)
  PRICE_SOLVE_SECOND: number = 0.01;

  /** Largest file that is read as a table or document, in bytes. Up to four times as much is copied into DATA_DIR meanwhile. */
  @WholeNumber(1)
  TABLES_FILE_MAX_BYTES: number = 500 * MiB;

  /**
   * Most processes that read tables and documents and run queries, each with up to 1,280 MiB of memory. They start with the first
   * task and end when idle. Half of them read large files, the others small files and queries. With fewer than 4, a large file of one
   * company can keep those of others waiting.
   */
  @WholeNumber(2, 64)
  TABLES_PROCESSES: number = 4;
}
