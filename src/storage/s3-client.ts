import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Client } from 'minio';
import type { S3Settings } from '../config/config.js';
import type { StoredPart } from './object-store.js';
import { codeOf } from './s3-errors.js';

/** MinIO client that adds features missing from the original: timeouts, and sending individual parts of uploads. */
export class S3Client extends Client {
  /**
   * @param timeoutMs maximum time without data from the server
   * @param onAnswer receives the `Date` header in each response
   */
  constructor(
    { accessKey, secretKey, region }: S3Settings,
    endpoint: string,
    timeoutMs: number,
    onAnswer: (date: string | undefined) => void,
  ) {
    const { protocol, hostname, port } = new URL(endpoint);
    const useSSL = protocol === 'https:';
    super({
      endPoint: hostname,
      port: port === '' ? (useSSL ? 443 : 80) : Number(port),
      useSSL,
      accessKey,
      secretKey,
      region,
      transport: bounded(useSSL ? https : http, timeoutMs, onAnswer),
      // The client would report its own retries in the terminal.
      retryOptions: { disableRetry: true },
    });
  }

  /**
   * Returns whether the bucket exists. Uses a listing, because the response to a rejected `HEAD` request has no body with the
   * reason.
   */
  async hasBucket(bucketName: string): Promise<boolean> {
    try {
      await text(await this.makeRequestAsync({ method: 'GET', bucketName, query: 'list-type=2&max-keys=1' }));
      return true;
    } catch (error) {
      if (['NoSuchBucket', 'NotFound'].includes(codeOf(error))) return false;
      throw error;
    }
  }

  /** Writes an object in a single request. The client's own method would continue an open upload with the same key. */
  async writeObject(bucketName: string, objectName: string, bytes: Buffer): Promise<void> {
    await text(await this.makeRequestAsync({ method: 'PUT', bucketName, objectName }, bytes));
  }

  /** Sends a part of an upload and returns its etag without quotes. */
  async writePart(
    bucketName: string,
    objectName: string,
    uploadId: string,
    partNumber: number,
    bytes: Buffer,
  ): Promise<string> {
    const query = `partNumber=${partNumber}&uploadId=${encodeURIComponent(uploadId)}`;
    const answer = await this.makeRequestAsync({ method: 'PUT', bucketName, objectName, query }, bytes);
    await text(answer);
    return (answer.headers.etag ?? '').replaceAll('"', '');
  }

  /**
   * Returns the newest version of each part, sorted by number. SeaweedFS also lists the replaced versions, in any order. Versions
   * from the same second cannot be distinguished.
   */
  async partsOf(bucketName: string, objectName: string, uploadId: string): Promise<StoredPart[]> {
    const versions = await this.listParts(bucketName, objectName, uploadId);
    const sorted = versions.sort((one, other) => timeOf(one) - timeOf(other));
    const newest = new Map(sorted.map(({ part, etag, size }) => [part, { part_number: part, etag, size }]));
    return [...newest.values()].sort((one, other) => one.part_number - other.part_number);
  }

  /** Returns the ids of the open uploads for a key. */
  async uploadsOf(bucketName: string, objectName: string): Promise<string[]> {
    const { uploads } = await this.listIncompleteUploadsQuery(bucketName, objectName, '', '', '');
    return uploads.filter(({ key }) => key === objectName).map(({ uploadId }) => uploadId);
  }
}

const timeOf = ({ lastModified }: { lastModified?: Date }): number => lastModified?.getTime() ?? 0;

type Transport = Pick<typeof http, 'request'>;

/** Wraps a transport so that requests time out when no data is transferred, including while they connect. */
function bounded(transport: Transport, timeout: number, onAnswer: (date: string | undefined) => void): Transport {
  const request = (options: RequestOptions, answered?: (response: IncomingMessage) => void): http.ClientRequest => {
    const sent = transport.request({ ...options, timeout }, answered);
    sent.on('response', ({ headers }) => onAnswer(headers.date));
    return sent.on('timeout', () => sent.destroy(new Error(`No response within ${timeout} ms`)));
  };
  return { request: request as Transport['request'] };
}
