import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretsRepository } from './secrets.repository.js';

const SECRET_BYTES = 32;

/** Random secrets shared by all processes of the service through the database. */
@Injectable()
export class SecretsService {
  private readonly known = new Map<string, Buffer>();

  constructor(private readonly secrets: SecretsRepository) {}

  /** The secret of that name, made when it is first asked for. */
  async get(name: string): Promise<Buffer> {
    const known = this.known.get(name) ?? (await this.read(name));
    this.known.set(name, known);
    return known;
  }

  private async read(name: string): Promise<Buffer> {
    await this.secrets.add(name, randomBytes(SECRET_BYTES));
    return await this.secrets.value(name);
  }
}
