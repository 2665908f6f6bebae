import { EntityRepository } from '../../database/entity-repository.js';
import { Company } from './company.entity.js';

export class CompaniesRepository extends EntityRepository(Company) {
  /** Adds a company unless it already exists. */
  async add(id: string): Promise<void> {
    await this.query('INSERT INTO companies (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
  }

  /** Locks a company until the transaction ends, so that counts and lookups in it stay valid. */
  async lock(id: string): Promise<void> {
    await this.query('SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE', [id]);
  }
}
