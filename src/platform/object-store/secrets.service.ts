import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

const SECRET_BYTES = 32;

/** Random secrets shared by all processes of the service through the database. */
@Injectable()
export class SecretsService {
  private readonly known = new Map<string, Buffer>();

  constructor(private readonly database: Database) {}

  /** The secret of that name, made when it is first asked for. */
  async get(name: string): Promise<Buffer> {
    const known = this.known.get(name) ?? (await this.read(name));
    this.known.set(name, known);
    return known;
  }

  private async read(name: string): Promise<Buffer> {
    await this.database.manager.query(
      'INSERT INTO platform_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [name, randomBytes(SECRET_BYTES)],
    );
    const [row]: { value: Buffer }[] = await this.database.manager.query(
      'SELECT value FROM platform_secrets WHERE name = $1',
      [name],
    );
    if (row === undefined) throw new Error(`The secret ${name} is gone`);
    return row.value;
  }
}
