import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Client } from 'minio';
import type { S3Settings } from '../config/config.js';
import type { StoredPart } from './object-store.js';
import { codeOf } from './s3-errors.js';

/** The MinIO client with what its interface leaves out: bounded waiting, and parts of uploads one by one. */
export class S3Client extends Client {
  /**
   * @param timeoutMs longest time in which nothing comes from the server
   * @param onAnswer receives the `Date` of each answer
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
      // Its own retries write to the terminal.
      retryOptions: { disableRetry: true },
    });
  }

  /** Whether the bucket exists. A listing, because the answer to `HEAD` has no body that would say why the server refuses. */
  async hasBucket(bucketName: string): Promise<boolean> {
    try {
      await text(await this.makeRequestAsync({ method: 'GET', bucketName, query: 'list-type=2&max-keys=1' }));
      return true;
    } catch (error) {
      if (['NoSuchBucket', 'NotFound'].includes(codeOf(error))) return false;
      throw error;
    }
  }

  /** Writes an object in one request: the client's own way would adopt an upload that is open under the same key. */
  async writeObject(bucketName: string, objectName: string, bytes: Buffer): Promise<void> {
    await text(await this.makeRequestAsync({ method: 'PUT', bucketName, objectName }, bytes));
  }

  /** Sends a part of an upload; resolves with its etag without quotes. */
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

  async partsOf(bucketName: string, objectName: string, uploadId: string): Promise<StoredPart[]> {
    const parts = await this.listParts(bucketName, objectName, uploadId);
    return parts.map(({ part, etag, size }) => ({ part_number: part, etag, size }));
  }

  /** Ids of the uploads that are open under a key. */
  async uploadsOf(bucketName: string, objectName: string): Promise<string[]> {
    const { uploads } = await this.listIncompleteUploadsQuery(bucketName, objectName, '', '', '');
    return uploads.filter(({ key }) => key === objectName).map(({ uploadId }) => uploadId);
  }
}

type Transport = Pick<typeof http, 'request'>;

/** Requests that end when nothing has moved for a while, also while they connect. */
function bounded(transport: Transport, timeout: number, onAnswer: (date: string | undefined) => void): Transport {
  const request = (options: RequestOptions, answered?: (response: IncomingMessage) => void): http.ClientRequest => {
    const sent = transport.request({ ...options, timeout }, answered);
    sent.on('response', ({ headers }) => onAnswer(headers.date));
    return sent.on('timeout', () => sent.destroy(new Error(`No answer in ${timeout} ms`)));
  };
  return { request: request as Transport['request'] };
}
