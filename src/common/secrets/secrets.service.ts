import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../crypto/secret-box.js';
import { SecretsRepository } from './secrets.repository.js';

const SECRET_BYTES = 32;

/**
 * Random secrets shared by all processes of the service through the database. Ask for them outside of transactions: the first time
 * takes a connection of its own.
 */
@Injectable()
export class SecretsService {
  private readonly known = new Map<string, Buffer>();
  private readonly boxes = new Map<string, SecretBox>();

  constructor(private readonly secrets: SecretsRepository) {}

  /** The secret of that name, made when it is first asked for. */
  async get(name: string): Promise<Buffer> {
    const known = this.known.get(name) ?? (await this.read(name));
    this.known.set(name, known);
    return known;
  }

  /** What encrypts under the secret of that name, for what the name says. */
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
