import { IsIn, IsOptional, IsString, Matches, MinLength } from 'class-validator';
import { Amount, Flag, HttpUrl, Origin, PostgresUrl, WholeNumber } from './setting.js';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

const AGENT_PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;

/** Matches `*`, `none`, or origins separated by commas. */
const ORIGINS = /^(\*|none|https?:\/\/[^/?#@,\s]+(\s*,\s*https?:\/\/[^/?#@,\s]+)*)$/;

/** All settings for the service, named like their environment variables. */
export class Settings {
  /** TCP port. 0 selects a free port. */
  @WholeNumber(0, 65535)
  PORT: number = 3000;

  /** Address to listen on. Default: 127.0.0.1 with the embedded database, otherwise 0.0.0.0. */
  @IsString()
  HOST: string = '0.0.0.0';

  /** Base URL of this service for clients, used in signed file URLs. Default: taken from the request. */
  @IsOptional()
  @HttpUrl()
  PUBLIC_URL?: string;

  /**
   * Number of trusted proxies in front of the service, counted from the nearest. Their `X-Forwarded-For` and `X-Forwarded-Proto`
   * are used.
   */
  @WholeNumber(0)
  TRUSTED_PROXIES: number = 0;

  /**
   * Origins of web clients, separated by commas. Use `*` for any origin, `none` for no origin. Default: every port of this
   * computer with the embedded database, otherwise `none`.
   */
  @IsOptional()
  @Matches(ORIGINS, { message: 'CORS_ORIGINS must be *, none, or http and https origins separated by commas' })
  CORS_ORIGINS?: string;

  /**
   * Whether webhooks may call this computer, including over http. Intended for development, because it gives company-level
   * callers access to local services. Default: only with the embedded database.
   */
  @IsOptional()
  @Flag()
  WEBHOOKS_LOOPBACK?: boolean;

  /** Maximum number of requests per minute that a caller may send to this process. 0 disables the limit. */
  @WholeNumber(0)
  RATE_LIMIT_PER_MINUTE: number = 0;

  /**
   * Maximum number of 401 responses that this process sends to an address per minute. Additional requests without valid
   * credentials get 429. 0 disables the limit.
   */
  @WholeNumber(0)
  RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: number = 0;

  /** Maximum number of client connections to this process. Without TRUSTED_PROXIES, a single address can use half of them. */
  @WholeNumber(1)
  MAX_CONNECTIONS: number = 10_000;

  /** Role of the process. `api` serves requests, `worker` runs turns, solves and background work, `all` does both. */
  @IsIn(['all', 'api', 'worker'])
  ROLE: 'all' | 'api' | 'worker' = 'all';

  /** Memory for the newest messages from recently read conversations, in MiB. Other messages are read from the database. */
  @WholeNumber(1, 65_536)
  MESSAGES_CACHE_MIB: number = 64;

  /** Memory for recently read canvases, in MiB. A canvas may need up to 5 MiB. Other canvases are read from the database. */
  @WholeNumber(1, 65_536)
  CANVASES_CACHE_MIB: number = 32;

  /**
   * Maximum number of turns that this process runs concurrently. At most half of them are for the same company. Additional
   * turns wait or run on other workers. A turn spends most of its time waiting for its model. While it waits, it holds no
   * database connection, but keeps part of its conversation in memory.
   */
  @WholeNumber(1, 10_000)
  TURNS_CONCURRENCY: number = 100;

  /**
   * Whether JSON responses above 1 KiB are compressed for clients that accept compression (`br`, `gzip`). Set it to `false` if
   * a proxy compresses them.
   */
  @Flag()
  COMPRESSION: boolean = true;

  /** Whether to serve `/metrics`, on the same port as everything else. */
  @Flag()
  METRICS: boolean = false;

  /** Bearer token required for `/metrics`, at least 16 characters. If absent, no token is required. */
  @IsOptional()
  @MinLength(16)
  METRICS_TOKEN?: string;

  /**
   * Seconds during which a stopping process still serves requests while `/health/ready` already returns 503. This gives a load
   * balancer time to switch to other processes.
   */
  @WholeNumber(0, 300)
  STOP_DELAY_SECONDS: number = 0;

  /**
   * Seconds that an idle client connection stays open. Set it above the load balancer's idle timeout. Otherwise the load
   * balancer sends requests on connections that are about to close.
   */
  @WholeNumber(1, 3_600)
  KEEP_ALIVE_SECONDS: number = 65;

  /**
   * Lowest level that is logged. `debug` also logs successful requests. Default: `warn` with the embedded database, otherwise
   * `info`.
   */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL: string = 'info';

  /** `postgres://` URL of PostgreSQL 18 or newer. If absent, an embedded server in DATA_DIR is used. */
  @IsOptional()
  @PostgresUrl()
  DATABASE_URL?: string;

  /** Maximum number of database connections for this process, at least 4. Short reads share two of them. */
  @WholeNumber(4)
  DATABASE_POOL_SIZE: number = 20;

  /** Folder for the embedded database, the disk store and generated secrets. */
  @IsString()
  @MinLength(1)
  DATA_DIR: string = '.data';

  /** Secret for HS256 bearer tokens, at least 32 characters. In embedded mode it is generated and stored in DATA_DIR. */
  @IsOptional()
  @MinLength(32)
  AUTH_JWT_SECRET?: string;

  /**
   * Secret that encrypts the responses stored for `Idempotency-Key`, at least 32 characters. If absent, a secret is generated
   * and stored in the same database. With your own secret, a copy of the database does not reveal the responses.
   */
  @IsOptional()
  @MinLength(32)
  ANSWERS_SECRET?: string;

  /** URL of the JSON Web Key Set of an OpenID provider, whose tokens are accepted too. If absent, no provider is used. */
  @IsOptional()
  @HttpUrl()
  AUTH_JWKS_URL?: string;

  /** Issuer (`iss`) of the provider's tokens. */
  @IsOptional()
  @IsString()
  AUTH_ISSUER?: string;

  /** Required `aud` value in the provider's tokens: the name of this service at the provider. */
  @IsOptional()
  @IsString()
  AUTH_AUDIENCE?: string;

  /**
   * Client id of the page at `/` for signing in at the OpenID provider. Register the page there as a public client with PKCE
   * that may redirect to the page's address. AUTH_ISSUER must be the provider's URL. If absent, the page asks for a token.
   */
  @IsOptional()
  @IsString()
  WEB_CLIENT_ID?: string;

  /** Scopes that the page requests from the provider. With `offline_access`, users stay signed in while the tab is open. */
  @IsString()
  WEB_SCOPE: string = 'openid profile email';

  /** Claim with the user's id. Specify a claim by name, or by path into nested claims (`realm_access.roles`). */
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

  /** Comma-separated role values from the provider that make a user company-level. */
  @IsString()
  AUTH_ROLE_COMPANY: string = 'company';

  /** Comma-separated role values from the provider that make a user a member. If absent, all other users are members. */
  @IsOptional()
  @IsString()
  AUTH_ROLE_MEMBER?: string;

  /** Whether the first start in embedded mode creates the demo deployment and project. */
  @Flag()
  DEMO: boolean = true;

  /** Maximum size of a file returned by the content operation, in bytes. */
  @WholeNumber(1)
  FILES_CONTENT_MAX_BYTES: number = 10 * MiB;

  /** Maximum size of an uploaded file, in bytes. */
  @WholeNumber(1)
  FILES_MAX_BYTES: number = 5 * GiB;

  /** Maximum total size of a company's files, in bytes. If absent, there is no limit. */
  @IsOptional()
  @WholeNumber(1)
  FILES_COMPANY_MAX_BYTES?: number;

  /**
   * Disk space that files never use, in bytes. When less space is free, file writes are rejected. Reduce it for small volumes.
   */
  @WholeNumber(0)
  FILES_RESERVE_BYTES: number = GiB;

  /** Maximum total size of converted tables cached in DATA_DIR, in bytes. The least recently used tables are removed first. */
  @WholeNumber(0)
  TABLES_CACHE_BYTES: number = 2 * GiB;

  /** Provider of the language model that answers turns. If absent, the rule-based `guide` answers. */
  @IsOptional()
  @IsIn(AGENT_PROVIDERS)
  AGENT_PROVIDER?: (typeof AGENT_PROVIDERS)[number];

  /** Name of the model at the provider. */
  @IsOptional()
  @IsString()
  AGENT_MODEL?: string;

  /**
   * Base URL of the provider's API, including the version. Required for `openai-compatible`. Default: the provider's own URL.
   */
  @IsOptional()
  @HttpUrl()
  AGENT_BASE_URL?: string;

  /** API key for the provider. */
  @IsOptional()
  @IsString()
  AGENT_API_KEY?: string;

  /**
   * Whether the model receives images (PNG, JPEG, WebP, GIF) from messages and from the workspace. Default: `true` for
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

  /**
   * Seconds that file content is kept after its last reference is removed. Must exceed the duration of any turn and the
   * lifetime of any signed URL.
   */
  @WholeNumber(1)
  FILES_GRACE_SECONDS: number = 24 * 60 * 60;

  /** Seconds during which a deleted project can be restored. After that its rows are removed. */
  @WholeNumber(1)
  PROJECTS_GRACE_SECONDS: number = 24 * 60 * 60;

  /** URL of MinIO or another S3 server for the files, as reached by this process. If absent, files are stored in DATA_DIR. */
  @IsOptional()
  @Origin()
  S3_ENDPOINT?: string;

  /** Access key for the S3 server. */
  @IsOptional()
  @IsString()
  S3_ACCESS_KEY?: string;

  /** Secret key for the S3 server. */
  @IsOptional()
  @IsString()
  S3_SECRET_KEY?: string;

  /** Bucket for the files, reserved for this service. Created if missing. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'S3_BUCKET must be a valid bucket name' })
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

  /**
   * Maximum number of solves that this process runs concurrently. Additional solves wait. Each solve uses a core. Default: the
   * number of cores minus 1.
   */
  @IsOptional()
  @WholeNumber(1, 1_000)
  SOLVES_CONCURRENCY?: number;

  /**
   * Solver time limit per model, in seconds, unless a request sets another limit. Reading the model and explaining the outcome
   * are not included.
   */
  @Amount(0.1, 3_000)
  SOLVE_TIME_LIMIT_SECONDS: number = 60;

  /** Maximum time limit that a request can set, in seconds. SOLVE_TIME_LIMIT_SECONDS applies instead if it is larger. */
  @Amount(0.1, 3_000)
  SOLVE_TIME_LIMIT_MAX_SECONDS: number = 600;

  /** Solver memory limit per solve, in MiB. */
  @WholeNumber(32, 2_048)
  SOLVE_MEMORY_MIB: number = 1_024;

  /** Credits charged per started second of a solve. */
  @Amount(0)
  PRICE_SOLVE_SECOND: number = 0.01;

  /**
   * Maximum size of a file that is read as a table or document, in bytes. Reading a file temporarily needs up to four times its
   * size in DATA_DIR.
   */
  @WholeNumber(1)
  TABLES_FILE_MAX_BYTES: number = 500 * MiB;

  /**
   * Maximum number of processes that read tables and documents and run queries, each with up to 1,280 MiB of memory. They start
   * with the first task and end when idle. Half read large files. The rest read small files or run queries. With fewer than 4,
   * one company's large file can delay the large files of other companies.
   */
  @WholeNumber(2, 64)
  TABLES_PROCESSES: number = 4;
}
