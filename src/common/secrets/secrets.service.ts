import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../crypto/secret-box.js';
import { SecretsRepository } from './secrets.repository.js';

const SECRET_BYTES = 32;

/**
 * Provides random secrets that all of the service's processes share through the database. Call it outside transactions, because
 * the first call takes another connection.
 */
@Injectable()
export class SecretsService {
  private readonly cache = new Map<string, Buffer>();
  private readonly boxes = new Map<string, SecretBox>();

  constructor(private readonly secrets: SecretsRepository) {}

  /** Returns the secret with this name. Creates it on the first call. */
  async get(name: string): Promise<Buffer> {
    const secret = this.cache.get(name) ?? (await this.read(name));
    this.cache.set(name, secret);
    return secret;
  }

  /** Returns a box that encrypts with the named secret. The name is also the purpose of the derived key. */
  async box(name: string): Promise<SecretBox> {
    const box = this.boxes.get(name) ?? new SecretBox(await this.get(name), name);
    this.boxes.set(name, box);
    return box;
  }

  private async read(name: string): Promise<Buffer> {
    await this.secrets.add(name, randomBytes(SECRET_BYTES));
    return await this.secrets.value(name);
  }
}
