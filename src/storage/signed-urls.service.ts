import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Forbidden } from '../common/errors/errors.js';
import type { DownloadGrant, PartGrant } from './object-store.js';
import { SecretsService } from '../common/secrets/secrets.service.js';

const SECRET = 'signed-urls';

/** Signed permissions of a valid URL. */
export type PartUrl = Omit<PartGrant, 'baseUrl'>;
export type DownloadUrl = Required<Omit<DownloadGrant, 'baseUrl'>>;

type Fields = Record<string, string>;

/**
 * Signs and verifies URLs under `/store/`, whose query contains every field of the granted permission. The URLs are signed with
 * HMAC-SHA-256 and a secret that only the service knows.
 */
@Injectable()
export class SignedUrlsService {
  constructor(private readonly secrets: SecretsService) {}

  async signPart({ baseUrl, key, uploadId, partNumber, maxBytes, expiresAt }: PartGrant): Promise<string> {
    return await this.sign('PUT', baseUrl, key, {
      upload: uploadId,
      part: String(partNumber),
      limit: String(maxBytes),
      expires: seconds(expiresAt),
    });
  }

  /** @throws Forbidden if the URL was not signed by this service or has expired */
  async readPart(key: string, query: unknown): Promise<PartUrl> {
    const { upload, part, limit, expires } = await this.verified('PUT', key, query, [
      'upload',
      'part',
      'limit',
      'expires',
    ]);
    return {
      key,
      uploadId: upload,
      partNumber: Number(part),
      maxBytes: Number(limit),
      expiresAt: fromSeconds(expires),
    };
  }

  async signDownload({ baseUrl, key, fileName, contentType, scope = '', expiresAt }: DownloadGrant): Promise<string> {
    const fields = { name: fileName, type: contentType, scope, expires: seconds(expiresAt) };
    return await this.sign('GET', baseUrl, key, fields);
  }

  /** @throws Forbidden if the URL was not signed by this service or has expired */
  async readDownload(key: string, query: unknown): Promise<DownloadUrl> {
    const names: ('name' | 'type' | 'scope' | 'expires')[] = ['name', 'type', 'scope', 'expires'];
    const { name, type, scope, expires } = await this.verified('GET', key, query, names);
    return { key, fileName: name, contentType: type, scope, expiresAt: fromSeconds(expires) };
  }

  private async sign(method: string, baseUrl: string, key: string, fields: Fields): Promise<string> {
    const signature = (await this.signature(method, key, fields)).toString('base64url');
    return `${withoutSlash(baseUrl)}/store/${key}?${new URLSearchParams({ ...fields, signature }).toString()}`;
  }

  private async verified<Name extends string>(
    method: string,
    key: string,
    query: unknown,
    names: Name[],
  ): Promise<Record<Name, string>> {
    const parameters = query as Record<string, unknown>;
    const text = (name: string): string => (typeof parameters[name] === 'string' ? parameters[name] : '');
    const fields = Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>;
    const expected = await this.signature(method, key, fields);
    const signature = Buffer.from(text('signature'), 'base64url');
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
      throw new Forbidden('url_signature_invalid', 'The signature of this URL is invalid');
    }
    if (fromSeconds(text('expires')) <= new Date()) throw new Forbidden('url_expired', 'This URL has expired');
    return fields;
  }

  private async signature(method: string, key: string, fields: Fields): Promise<Buffer> {
    const signed = JSON.stringify([method, key, Object.entries(fields)]);
    return createHmac('sha256', await this.secrets.get(SECRET))
      .update(signed)
      .digest();
  }
}

/** Rounds up, so that a URL never expires before the promised time. */
const seconds = (date: Date): string => String(Math.ceil(date.getTime() / 1000));
const fromSeconds = (text: string): Date => new Date(Number(text) * 1000);

function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}
