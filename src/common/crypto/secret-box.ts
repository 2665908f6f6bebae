import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Thrown if sealed content was altered, or was sealed with another key or for another owner. */
export class Unsealable extends Error {}

/**
 * Encrypts content that must be decrypted later. Uses AES-256-GCM with a key that is derived from the secret for a single
 * purpose.
 */
export class SecretBox {
  private readonly key: Buffer;

  constructor(secret: Buffer | string, purpose: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
  }

  /**
   * @param place identifies the owner of the content, for example by the id of its row. Opening the content requires the same
   * value.
   * @returns the nonce, the tag and the ciphertext
   */
  seal(content: Buffer | string, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(place));
    const sealed = [cipher.update(content as Buffer), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** @throws Unsealable */
  open(sealed: Buffer, place: string): Buffer {
    const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
    try {
      const decipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new Unsealable('The sealed value cannot be decrypted', { cause });
    }
  }
}
