import { IsNull } from 'typeorm';
import type { ContainerLookup } from '../files/container-resolver.service.js';
import { EntityRepository } from '../database/entity-repository.js';
import type { Page } from '../common/listing/page.js';
import { readPage } from '../database/listing.js';
import { isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { Deployment } from './deployment.entity.js';

/** SELECT from the deployment of a company that `$1` names, see {@link DeploymentsRepository.findByName}. */
const deploymentOf = (columns: string, company = '$2'): string => `
  SELECT ${columns} FROM deployments
   WHERE company_id = ${company} AND deleted_at IS NULL AND (handle = $1 OR name = $1)
   ORDER BY (handle = $1) DESC LIMIT 1`;

/** A name as the database can hold it; of those with U+0000 it has none. */
const toValidName = (name: string): string => name.replaceAll('\0', '\u{FFFD}');

/** The containers of deployments' files. */
export const DEPLOYMENT_CONTAINERS: ContainerLookup = {
  select: (company) => deploymentOf('container_id, NULL::uuid AS project_id, true AS may_write', company),
  selectKnown: null,
  scope: ({ company_id }) => company_id,
  parse: toValidName,
};

/**
 * Deployments. Whoever adds one holds the lock of the company's row, so that names and handles can be looked up before;
 * whoever changes one that exists holds the lock of its container.
 */
export class DeploymentsRepository extends EntityRepository(Deployment) {
  /** The company's deployments, newest first. */
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

  /** The deployment with this handle, else the one with exactly this name; undefined when there is neither. */
  async findByName(company_id: string, name: string): Promise<Deployment | undefined> {
    const [deployment]: Deployment[] = await this.query(deploymentOf('*'), [toValidName(name), company_id]);
    return deployment;
  }

  /** The deployment of this id; null when the company has none or it was deleted. */
  async findById(company_id: string, id: string): Promise<Deployment | null> {
    return await this.findOneBy({ company_id, id, deleted_at: IsNull() });
  }

  /** Whether the company has a deployment of exactly this name. */
  async hasName(company_id: string, name: string): Promise<boolean> {
    return (await this.countBy({ company_id, name, deleted_at: IsNull() })) > 0;
  }

  /** The handles that a slug, alone or with a number, was given to in the company; deleted deployments keep theirs. */
  async handlesLike(company_id: string, slug: string): Promise<string[]> {
    const taken: { handle: string }[] = await this.query(
      `SELECT handle FROM deployments WHERE company_id = $1 AND handle >= $2 AND handle < $2 || '.'`,
      [company_id, slug],
    );
    return taken.map(({ handle }) => handle);
  }

  /** Marks a deployment as changed now. */
  async touch({ company_id, id }: Deployment): Promise<void> {
    await this.query(
      'UPDATE deployments SET updated_at = greatest(updated_at, clock_timestamp()) WHERE company_id = $1 AND id = $2',
      [company_id, id],
    );
  }

  /** Marks a deployment as deleted now. */
  async markDeleted({ company_id, id }: Deployment): Promise<void> {
    await this.update({ company_id, id }, { deleted_at: () => 'now()' });
  }
}
