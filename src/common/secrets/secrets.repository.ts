import { EntityRepository } from '../../database/entity-repository.js';
import { PlatformSecret } from './platform-secret.entity.js';

/** Stores secrets shared by all processes. An existing secret never changes. */
export class SecretsRepository extends EntityRepository(PlatformSecret) {
  /** Adds a secret unless its name already exists. */
  async add(name: string, value: Buffer): Promise<void> {
    await this.query('INSERT INTO platform_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      name,
      value,
    ]);
  }

  /** Returns the secret with this name. @throws Error if it was deleted */
  async value(name: string): Promise<Buffer> {
    const [row]: { value: Buffer }[] = await this.query('SELECT value FROM platform_secrets WHERE name = $1', [name]);
    if (row === undefined) throw new Error(`The secret ${name} is gone`);
    return row.value;
  }
}
