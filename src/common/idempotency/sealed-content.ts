import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type SecretBox, Unsealable } from '../crypto/secret-box.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Compresses responses and encrypts them for their record. Some responses contain secrets that are shown only once. */
export class SealedContent {
  constructor(private readonly box: SecretBox) {}

  async seal(scope: Buffer, text: string): Promise<Buffer> {
    return this.box.seal(await deflate(text), scope.toString('hex'));
  }

  /** Returns the text, or undefined if it was sealed with another secret or for another record. */
  async open(scope: Buffer, sealed: Buffer): Promise<string | undefined> {
    try {
      return (await inflate(this.box.open(sealed, scope.toString('hex')))).toString();
    } catch (error) {
      if (error instanceof Unsealable) return undefined;
      throw error;
    }
  }
}
