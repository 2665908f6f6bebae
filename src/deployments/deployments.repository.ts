import { IsNull } from 'typeorm';
import type { ContainerLookup } from '../files/container-resolver.service.js';
import { EntityRepository } from '../database/entity-repository.js';
import type { Page } from '../common/listing/page.js';
import { readPage } from '../database/listing.js';
import { isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { Deployment } from './deployment.entity.js';

/** Returns a SELECT for the company's deployment with the handle or name `$1`, see {@link DeploymentsRepository.findByName}. */
const deploymentOf = (columns: string, company = '$2'): string => `
  SELECT ${columns} FROM deployments
   WHERE company_id = ${company} AND deleted_at IS NULL AND (handle = $1 OR name = $1)
   ORDER BY (handle = $1) DESC LIMIT 1`;

/** Replaces U+0000, which PostgreSQL rejects. No deployment can have such a name. */
const toValidName = (name: string): string => name.replaceAll('\0', '\u{FFFD}');

/** Finds deployment containers. */
export const DEPLOYMENT_CONTAINERS: ContainerLookup = {
  select: (company) => deploymentOf('container_id, NULL::uuid AS project_id, true AS may_write', company),
  selectById: null,
  scope: ({ company_id }) => company_id,
  parse: toValidName,
};

/**
 * Stores deployments. Adding a deployment requires a lock on the company's row, so that a concurrent request cannot take the
 * same name or handle. Changing a deployment requires a lock on its container.
 */
export class DeploymentsRepository extends EntityRepository(Deployment) {
  /** Returns the company's deployments, newest first. */
  async page(company_id: string, page: WalkQuery): Promise<Page<Deployment>> {
    return await readPage(
      this.manager,
      {
        select: 'SELECT * FROM deployments WHERE company_id = $1 AND deleted_at IS NULL',
        table: 'deployments',
        orderBy: 'created_at',
        count: 'SELECT count(*) FROM deployments WHERE company_id = $1 AND deleted_at IS NULL',
        parameters: [company_id],
      },
      page,
      walkStart('deployments', page, isCreationKey),
    );
  }

  /** Returns the deployment with this handle, otherwise the deployment with exactly this name, otherwise undefined. */
  async findByName(company_id: string, name: string): Promise<Deployment | undefined> {
    const [deployment]: Deployment[] = await this.query(deploymentOf('*'), [toValidName(name), company_id]);
    return deployment;
  }

  /** Returns the deployment with this id, or null if it does not exist in the company or was deleted. */
  async findById(company_id: string, id: string): Promise<Deployment | null> {
    return await this.findOneBy({ company_id, id, deleted_at: IsNull() });
  }

  /** Returns whether the company has a deployment with exactly this name. */
  async hasName(company_id: string, name: string): Promise<boolean> {
    return (await this.countBy({ company_id, name, deleted_at: IsNull() })) > 0;
  }

  /**
   * Returns the company's handles that consist of a slug, with or without an appended number. Includes handles of deleted
   * deployments.
   */
  async handlesLike(company_id: string, slug: string): Promise<string[]> {
    const rows: { handle: string }[] = await this.query(
      `SELECT handle FROM deployments WHERE company_id = $1 AND handle >= $2 AND handle < $2 || '.'`,
      [company_id, slug],
    );
    return rows.map(({ handle }) => handle);
  }

  /** Updates a deployment's change time. */
  async touch({ company_id, id }: Deployment): Promise<void> {
    await this.query(
      'UPDATE deployments SET updated_at = greatest(updated_at, clock_timestamp()) WHERE company_id = $1 AND id = $2',
      [company_id, id],
    );
  }

  async markDeleted({ company_id, id }: Deployment): Promise<void> {
    await this.update({ company_id, id }, { deleted_at: () => 'now()' });
  }
}
