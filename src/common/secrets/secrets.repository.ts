import { EntityRepository } from '../../database/entity-repository.js';
import { PlatformSecret } from './platform-secret.entity.js';

/** Secrets that all processes share. One that is there never changes. */
export class SecretsRepository extends EntityRepository(PlatformSecret) {
  /** Adds a secret unless there is one of this name. */
  async add(name: string, value: Buffer): Promise<void> {
    await this.query('INSERT INTO platform_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      name,
      value,
    ]);
  }

  /** The secret of this name. @throws Error when it is gone */
  async value(name: string): Promise<Buffer> {
    const [row]: { value: Buffer }[] = await this.query('SELECT value FROM platform_secrets WHERE name = $1', [name]);
    if (row === undefined) throw new Error(`The secret ${name} is gone`);
    return row.value;
  }
}
