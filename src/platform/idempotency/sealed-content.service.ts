import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { SecretsService } from '../secrets/secrets.service.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Name of the platform's secret where there is no setting, and of what the key is for. */
const PURPOSE = 'idempotency-answers';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what answers say, some of which hold secrets that are shown once: compressed, then AES-256-GCM under a key that
 * is derived from ANSWERS_SECRET, bound to the record that holds it.
 */
@Injectable()
export class SealedContent {
  private key: Promise<Buffer> | undefined;

  constructor(
    private readonly config: Config,
    private readonly secrets: SecretsService,
  ) {}

  /** @returns the nonce, the tag and the encrypted text */
  async seal(scope: Buffer, text: string): Promise<Buffer> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, await this.derived(), nonce).setAAD(scope);
    const sealed = [cipher.update(await deflate(text)), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** The text; undefined when it was sealed with another secret, or for another record. */
  async open(scope: Buffer, sealed: Buffer): Promise<string | undefined> {
    const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    const decipher = createDecipheriv(CIPHER, await this.derived(), nonce, { authTagLength: TAG_BYTES })
      .setAAD(scope)
      .setAuthTag(tag);
    const packed = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return (await inflate(packed)).toString();
  }

  private async derived(): Promise<Buffer> {
    this.key ??= this.derive();
    return await this.key.catch((error: unknown) => {
      this.key = undefined;
      throw error;
    });
  }

  private async derive(): Promise<Buffer> {
    const secret = this.config.ANSWERS_SECRET ?? (await this.secrets.get(PURPOSE));
    return Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES));
  }
}
