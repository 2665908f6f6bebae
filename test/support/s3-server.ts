import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../../src/config/config.js';
import { MIN_PART_SIZE } from '../../src/storage/object-store.js';

/** Types for the parts of the package that are used here. The package has no types. */
interface Context {
  method: string;
  path: string;
  query: Record<string, string | undefined>;
  headers: IncomingHttpHeaders;
  params: { bucket?: string; key?: string };
  state: { account?: unknown };
  status: number;
  body: unknown;
}
type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>;
interface PartReference {
  number: number;
  etag: string;
}
interface Store {
  getBucket(bucket: string): Promise<object | null>;
  getObject(bucket: string, key: string, range?: { start?: number; end?: unknown }): Promise<unknown>;
  listObjects(
    bucket: string,
    options: { prefix: string; startAfter: string; maxKeys: number },
  ): Promise<{ objects: { key: string; size: number }[]; isTruncated: boolean }>;
  getResourcePath(bucket: string, key: string | undefined, resource: string): string;
  deleteObject(bucket: string, key: string): Promise<void>;
  putObjectMultipart(bucket: string, uploadId: string, parts: PartReference[]): Promise<unknown>;
}
interface Application {
  silent: boolean;
  store: Store;
  middleware: Middleware[];
  httpServer: Server;
  run(): Promise<AddressInfo>;
}
const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver') as new (options: object) => Application;
const S3Error = require('@20minutes/s3rver/lib/models/error') as new (code: string, message: string) => Error;
const v4 = require('@20minutes/s3rver/lib/signature/v4') as {
  getStringToSign: (request: { querystring: string }, signature: unknown) => string;
};
const authentication = require('@20minutes/s3rver/lib/middleware/authentication') as () => Middleware;

// The package does not encode five characters in the canonical query, although RFC 3986 and therefore Signature
// Version 4 require it.
const { getStringToSign } = v4;
v4.getStringToSign = (request, signature) => {
  const encode = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return getStringToSign({ ...request, querystring: request.querystring.replace(/[!'()*]/g, encode) }, signature);
};

/** Request that the server received. */
export interface S3Request {
  method: string;
  host: string;
  path: string;
  query: Record<string, string | undefined>;
}

/**
 * Requests to leave unanswered: either the next matching request or all of them. They are stalled either before or
 * after the server processes them.
 */
export interface Stall {
  when: 'before' | 'after';
  all?: boolean;
  matches: (request: S3Request) => boolean;
}

/**
 * S3 server in this process: `@20minutes/s3rver` with a signature check on every request and with corrections to match
 * the S3 documentation.
 *
 * Adds ListParts, ListMultipartUploads, AbortMultipartUpload and paginated listings (the package's own listings need a
 * cipher that OpenSSL has dropped). Fixes ranges that contain only the first byte and ranges of empty objects. Returns
 * NoSuchUpload, InvalidPart, InvalidPartOrder and EntityTooSmall where S3 does.
 */
export class S3Server {
  /** All requests since the start, in order. */
  readonly requests: S3Request[] = [];
  private readonly stalls: { stall: Stall; stands: () => void }[] = [];
  private readonly completions = new Map<string, Promise<unknown>>();
  private readonly authenticate = authentication();

  private constructor(
    private readonly app: Application,
    private readonly directory: string,
    private readonly partsPerPage: number,
    private readonly objectsPerPage: number,
  ) {}

  static async start({ partsPerPage = 1000, objectsPerPage = 1000 } = {}): Promise<S3Server> {
    const directory = await mkdtemp(join(tmpdir(), 's3-server-'));
    const app = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false });
    const server = new S3Server(app, directory, partsPerPage, objectsPerPage);
    // The last middleware is the package's own router.
    app.middleware.splice(-1, 0, (context, next) => server.complement(context, next));
    app.middleware.unshift((context, next) => server.record(context, next));
    server.correct(app.store);
    await app.run();
    return server;
  }

  get port(): number {
    return (this.app.httpServer.address() as AddressInfo).port;
  }

  /** Returns settings for the given bucket. The store creates the bucket when it is first used. */
  settings(bucket: string): S3Settings {
    const [endpoint, publicEndpoint] = [`http://127.0.0.1:${this.port}`, `http://localhost:${this.port}`];
    return { endpoint, publicEndpoint, bucket, accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1' };
  }

  /**
   * Resolves when a matching request is stalled. With `all`, it resolves on the first match. A stalled request is never
   * answered.
   */
  async stall(stall: Stall): Promise<void> {
    await new Promise<void>((stands) => {
      this.stalls.push({ stall, stands });
    });
  }

  /** Overwrites the content of a stored object, to simulate damage to the store. */
  async replace(bucket: string, key: string, content: string): Promise<void> {
    await writeFile(this.app.store.getResourcePath(bucket, key, 'object'), content);
  }

  /** Removes every {@link stall} for later requests. */
  resume(): void {
    this.stalls.length = 0;
  }

  async stop(): Promise<void> {
    const closed = once(this.app.httpServer.close(), 'close');
    this.app.httpServer.closeAllConnections();
    await closed;
    await rm(this.directory, { recursive: true, force: true });
  }

  private async record({ method, path, query, headers }: Context, next: () => Promise<void>): Promise<void> {
    const request = { method, host: headers.host ?? '', path, query: { ...query } };
    this.requests.push(request);
    const found = this.stalls.find(({ stall }) => stall.matches(request));
    if (found !== undefined && found.stall.all !== true) this.stalls.splice(this.stalls.indexOf(found), 1);
    if (found?.stall.when !== 'before') await next();
    if (found === undefined) return;
    found.stands();
    await forever;
  }

  private async complement(context: Context, next: () => Promise<void>): Promise<void> {
    const [, bucket = '', ...rest] = context.path.split('/');
    const key = rest.join('/');
    context.params = { bucket, ...(key !== '' && { key }) };
    await this.authenticate(context, () => Promise.resolve());
    if (context.state.account === undefined) throw new S3Error('AccessDenied', 'Access Denied');
    const { uploadId, uploads } = context.query;
    if (context.method === 'GET' && uploads !== undefined) {
      context.body = await this.listUploads(bucket, context.query['prefix'] ?? '');
      return;
    }
    if (context.query['list-type'] !== undefined) {
      context.body = await this.listObjects(context);
      return;
    }
    if (uploadId === undefined) return await next();
    // If several requests complete an upload concurrently, only the first of them finds the upload.
    await this.completions.get(uploadId);
    const folder = this.uploadFolder(bucket, uploadId);
    if ((await contentOf(join(folder, 'key'))) !== key) throw noSuchUpload();
    if (context.method === 'GET') context.body = await this.listParts(context, folder);
    else if (context.method === 'DELETE') {
      await rm(folder, { recursive: true });
      context.status = 204;
    } else if (context.method === 'POST') {
      const completion = next();
      this.completions.set(
        uploadId,
        completion.catch(() => undefined),
      );
      await completion;
    } else await next();
  }

  private correct(store: Store): void {
    const complete = store.putObjectMultipart.bind(store);
    store.putObjectMultipart = async (bucket, uploadId, named) => {
      const received = await partsIn(this.uploadFolder(bucket, uploadId));
      for (const [index, { number, etag }] of named.entries()) {
        if (number <= (named[index - 1]?.number ?? 0))
          throw new S3Error('InvalidPartOrder', 'The parts are not in order');
        const part = received.find((one) => one.number === number);
        if (part?.etag !== etag) throw new S3Error('InvalidPart', 'One or more of the parts could not be found');
        if (index < named.length - 1 && part.size < MIN_PART_SIZE)
          throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
      }
      return await complete(bucket, uploadId, named);
    };
    const get = store.getObject.bind(store);
    store.getObject = async (bucket, key, range = {}) => {
      const found = await stat(store.getResourcePath(bucket, key, 'object')).catch(() => undefined);
      if (range.start !== undefined && found?.size === 0)
        throw new S3Error('InvalidRange', 'The range is not satisfiable');
      // The package treats the number 0 as a missing end, so the end is passed as an object with the value 0.
      return await get(bucket, key, range.end === 0 ? { ...range, end: Object(0) as unknown } : range);
    };
    // The package's own method also removes empty folders, although another request may be writing to them.
    store.deleteObject = async (bucket, key) => {
      for (const resource of ['object', 'object.md5', 'metadata.json'])
        await rm(store.getResourcePath(bucket, key, resource), { force: true });
    };
  }

  private async listParts({ query, params }: Context, folder: string): Promise<unknown> {
    const marker = Number(query['part-number-marker'] ?? 0);
    const later = (await partsIn(folder)).filter(({ number }) => number > marker);
    const page = later.slice(0, this.partsPerPage);
    return {
      ListPartsResult: {
        Bucket: params.bucket,
        Key: params.key,
        UploadId: query['uploadId'],
        PartNumberMarker: marker,
        NextPartNumberMarker: page.at(-1)?.number ?? 0,
        IsTruncated: page.length < later.length,
        Part: page.map(({ number, etag, size }) => ({
          PartNumber: number,
          LastModified: new Date().toISOString(),
          ETag: JSON.stringify(etag),
          Size: size,
        })),
      },
    };
  }

  private async listObjects({ query, params }: Context): Promise<unknown> {
    const bucket = params.bucket ?? '';
    if ((await this.app.store.getBucket(bucket)) === null)
      throw new S3Error('NoSuchBucket', 'The specified bucket does not exist');
    const options = {
      prefix: query['prefix'] ?? '',
      startAfter: query['continuation-token'] ?? '',
      maxKeys: this.objectsPerPage,
    };
    const { objects, isTruncated } = await this.app.store.listObjects(bucket, options);
    return {
      ListBucketResult: {
        Name: bucket,
        Prefix: options.prefix,
        KeyCount: objects.length,
        IsTruncated: isTruncated,
        ...(isTruncated && { NextContinuationToken: objects.at(-1)?.key }),
        Contents: objects.map(({ key, size }) => ({
          Key: key,
          LastModified: new Date().toISOString(),
          ETag: '"-"',
          Size: size,
          StorageClass: 'STANDARD',
        })),
      },
    };
  }

  private async listUploads(bucket: string, prefix: string): Promise<unknown> {
    const found: { Key: string; UploadId: string; Initiated: string }[] = [];
    for (const UploadId of await namesIn(this.uploadFolder(bucket, ''))) {
      const Key = await contentOf(join(this.uploadFolder(bucket, UploadId), 'key'));
      if (Key?.startsWith(prefix) === true) found.push({ Key, UploadId, Initiated: new Date().toISOString() });
    }
    return { ListMultipartUploadsResult: { Bucket: bucket, Prefix: prefix, IsTruncated: false, Upload: found } };
  }

  private uploadFolder(bucket: string, uploadId: string): string {
    return join(this.app.store.getResourcePath(bucket, undefined, 'uploads'), uploadId);
  }
}

const forever = new Promise<never>(() => {
  // This promise never resolves.
});
const noSuchUpload = (): Error => new S3Error('NoSuchUpload', 'The specified upload does not exist');

async function contentOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined);
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

async function partsIn(folder: string): Promise<(PartReference & { size: number })[]> {
  const numbers = (await namesIn(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  return await Promise.all(
    numbers
      .sort((a, b) => a - b)
      .map(async (number) => {
        const file = join(folder, String(number));
        const etag = await contentOf(`${file}.md5`);
        return {
          number,
          etag:
            etag ??
            createHash('md5')
              .update(await readFile(file))
              .digest('hex'),
          size: (await stat(file)).size,
        };
      }),
  );
}
