import { availableParallelism } from 'node:os';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsOptional, IsString, IsUrl, Matches, Max, Min, MinLength } from 'class-validator';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

const AGENT_PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;

/** Turns the text of a variable into a boolean; anything else is left for the validator to refuse. */
const Flag = () =>
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));
/** Turns the text of a variable into a number. */
const Numeric = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
  );

/** Scheme, host and port. */
const ORIGIN = /^https?:\/\/[^/?#@\s]+\/?$/;

/** Where objects are kept, and how clients reach it. */
export interface S3Settings {
  endpoint: string;
  publicEndpoint: string;
  accessKey: string;
  secretKey: string;
  bucket: string;
  region: string;
}

/**
 * Every setting of the service, under the name of its environment variable.
 *
 * Injected by class. Values are validated once by `loadConfig`; nothing else reads the environment.
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

  /**
   * Most turns that this process runs at once; further ones wait for it or go to other workers. A turn mostly waits for
   * its model and holds no database connection meanwhile, but it has a part of its conversation in memory.
   */
  @Numeric()
  @IsInt()
  @Min(1)
  @Max(10_000)
  TURNS_CONCURRENCY: number = 100;

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
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  AGENT_BASE_URL?: string;

  /** Key of the provider. */
  @IsOptional()
  @IsString()
  AGENT_API_KEY?: string;

  /** A provider that says nothing for so long, in seconds, has failed. */
  @Numeric()
  @IsNumber()
  @Min(0.1)
  AGENT_TIMEOUT_SECONDS: number = 120;

  /** Credits charged per 1,000 tokens that a language model reads. */
  @Numeric()
  @IsNumber()
  @Min(0)
  PRICE_INPUT_TOKENS: number = 0.003;

  /** Credits charged per 1,000 tokens that a language model writes. */
  @Numeric()
  @IsNumber()
  @Min(0)
  PRICE_OUTPUT_TOKENS: number = 0.015;

  /** How long the content of a file stays after nothing refers to it, in seconds; longer than any turn or URL lives. */
  @Numeric()
  @IsInt()
  @Min(1)
  FILES_GRACE_SECONDS: number = 24 * 60 * 60;

  /** URL of MinIO or another S3 server that keeps the files, as this process reaches it. Absent: files are in DATA_DIR. */
  @IsOptional()
  @Matches(ORIGIN, { message: 'S3_ENDPOINT must be an http or https URL without a path' })
  S3_ENDPOINT?: string;

  @IsOptional()
  @IsString()
  S3_ACCESS_KEY?: string;

  @IsOptional()
  @IsString()
  S3_SECRET_KEY?: string;

  /** Made when it is missing. */
  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'S3_BUCKET must be the name of a bucket' })
  S3_BUCKET?: string;

  @IsString()
  @MinLength(1)
  S3_REGION: string = 'us-east-1';

  /** The S3 server as clients reach it, for signed URLs. Default: S3_ENDPOINT. */
  @IsOptional()
  @Matches(ORIGIN, { message: 'S3_PUBLIC_ENDPOINT must be an http or https URL without a path' })
  S3_PUBLIC_ENDPOINT?: string;

  /** Credits charged for a turn of the `guide` agent. */
  @Numeric()
  @IsNumber()
  @Min(0)
  PRICE_GUIDE_TURN: number = 0.01;

  /** Most solves that this process runs at once; further ones wait. Each keeps a core busy. */
  @Numeric()
  @IsInt()
  @Min(1)
  @Max(1_000)
  SOLVES_CONCURRENCY: number = Math.max(1, availableParallelism() - 1);

  /** How long the solver may work on a model, in seconds; reading the model and explaining the outcome come on top. */
  @Numeric()
  @IsNumber()
  @Min(0.1)
  @Max(3_000)
  SOLVE_TIME_LIMIT_SECONDS: number = 60;

  /** Most memory of the solver in one solve, in MiB. */
  @Numeric()
  @IsInt()
  @Min(32)
  @Max(2_048)
  SOLVE_MEMORY_MIB: number = 1_024;

  /** Credits charged per started second of a solve. */
  @Numeric()
  @IsNumber()
  @Min(0)
  PRICE_SOLVE_SECOND: number = 0.01;

  /** True when the service brings its own PostgreSQL. */
  get embedded(): boolean {
    return this.DATABASE_URL === undefined;
  }

  /** The S3 server that keeps the files; undefined when they are on the disk. */
  get s3(): S3Settings | undefined {
    const { S3_ENDPOINT, S3_ACCESS_KEY = '', S3_SECRET_KEY = '', S3_BUCKET = '', S3_REGION } = this;
    if (S3_ENDPOINT === undefined) return undefined;
    return {
      endpoint: S3_ENDPOINT,
      publicEndpoint: this.S3_PUBLIC_ENDPOINT ?? S3_ENDPOINT,
      accessKey: S3_ACCESS_KEY,
      secretKey: S3_SECRET_KEY,
      bucket: S3_BUCKET,
      region: S3_REGION,
    };
  }
}
