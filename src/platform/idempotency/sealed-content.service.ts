import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { SecretBox, Unsealable } from '../crypto/secret-box.js';
import { SecretsService } from '../secrets/secrets.service.js';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Name of the platform's secret where there is no setting, and of what the key is for. */
const PURPOSE = 'idempotency-answers';

/**
 * Encrypts what answers say, some of which hold secrets that are shown once: compressed, then sealed under ANSWERS_SECRET for
 * the record that holds it.
 */
@Injectable()
export class SealedContent {
  private box: Promise<SecretBox> | undefined;

  constructor(
    private readonly config: Config,
    private readonly secrets: SecretsService,
  ) {}

  async seal(scope: Buffer, text: string): Promise<Buffer> {
    const box = await this.opened();
    return box.seal(await deflate(text), scope.toString('hex'));
  }

  /** The text; undefined when it was sealed with another secret, or for another record. */
  async open(scope: Buffer, sealed: Buffer): Promise<string | undefined> {
    const box = await this.opened();
    try {
      return (await inflate(box.open(sealed, scope.toString('hex')))).toString();
    } catch (error) {
      if (error instanceof Unsealable) return undefined;
      throw error;
    }
  }

  private async opened(): Promise<SecretBox> {
    this.box ??= this.make();
    return await this.box.catch((error: unknown) => {
      this.box = undefined;
      throw error;
    });
  }

  private async make(): Promise<SecretBox> {
    return new SecretBox(this.config.ANSWERS_SECRET ?? (await this.secrets.get(PURPOSE)), PURPOSE);
  }
}
