import { In } from 'typeorm';
import { VALID_KEY } from '../../auth/api-keys/valid-key.sql.js';
import { EntityRepository } from '../../database/entity-repository.js';
import type { ContainerRef, FoundContainer, SoughtContainer } from './container-ref.js';
import { Container, type ContainerKind } from './container.entity.js';
import { DELETED_CONTAINERS } from './containers.sql.js';
import { INSERT_ROOT } from './file-tree-changes.sql.js';

/** A container whose writers wait until the transaction ends. */
export interface LockedContainer extends ContainerRef {
  kind: ContainerKind;
  next_node: number;
}

/** Rows of containers. Whoever writes to a tree locks its container until the transaction ends. */
export class ContainersRepository extends EntityRepository(Container) {
  /** Makes an empty container with its root; resolves with its id. */
  async insertEmpty(company_id: string, kind: ContainerKind): Promise<string> {
    const [container]: { id: string }[] = await this.query(
      `WITH container AS (INSERT INTO containers (company_id, kind) VALUES ($1, $2) RETURNING id),
            root AS (${INSERT_ROOT})
       SELECT id FROM container`,
      [company_id, kind],
    );
    if (container === undefined) throw new Error('A new container has no row');
    return container.id;
  }

  /** Locks containers against other writers until the transaction ends, in the order of their ids. */
  async lock(
    company_id: string,
    container_ids: readonly string[],
  ): Promise<(LockedContainer & { deleted: boolean })[]> {
    return await this.query(
      `SELECT company_id, id AS container_id, kind, next_node, deleted_at IS NOT NULL AS deleted
         FROM containers WHERE company_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`,
      [company_id, container_ids],
    );
  }

  /** Ends containers, which are locked; those that are restorable keep what they hold. */
  async markDeleted(company_id: string, container_ids: readonly string[], is_restorable: boolean): Promise<void> {
    await this.update({ company_id, id: In([...container_ids]) }, { deleted_at: () => 'now()', is_restorable });
  }

  /** Undoes the end of containers that are restorable; their number. */
  async bringBack(company_id: string, container_ids: readonly string[]): Promise<number> {
    const ended = { company_id, id: In([...container_ids]), is_restorable: true };
    return (await this.update(ended, { deleted_at: null, is_restorable: false })).affected ?? 0;
  }

  /** Lets containers that were restorable go, since when they were ended. */
  async giveUp(company_id: string, container_ids: readonly string[]): Promise<void> {
    await this.update({ company_id, id: In([...container_ids]) }, { is_restorable: false });
  }

  /** Deletes the rows of those of the containers that are ended, empty and referred to by no upload. */
  async deleteEmptied(company_id: string, container_ids: readonly string[]): Promise<void> {
    await this.query(
      `DELETE FROM containers c
        WHERE c.company_id = $1 AND c.id = ANY ($2) AND c.deleted_at IS NOT NULL
          AND NOT EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)
          AND NOT EXISTS (SELECT FROM uploads u WHERE u.container_id = c.id)`,
      [company_id, container_ids],
    );
  }

  /** Containers of all companies that were ended so many seconds ago and still hold something. */
  async endedWithContent(seconds: number): Promise<string[]> {
    const containers: { id: string }[] = await this.query(DELETED_CONTAINERS, [seconds]);
    return containers.map(({ id }) => id);
  }

  /** The container that a statement finds; undefined when it finds none. */
  async findSought({
    scope,
    select,
    identifier,
  }: Pick<SoughtContainer, 'scope' | 'select' | 'identifier'>): Promise<FoundContainer | undefined> {
    const [found]: FoundContainer[] = await this.query(select('$2'), [identifier, scope]);
    return found;
  }

  /** Whether a container is there, and the API key, where there is one, is valid. */
  async isReadable(container_id: string, api_key_id: string | null): Promise<boolean> {
    const rows: unknown[] = await this.query(
      `SELECT 1
        WHERE EXISTS (SELECT FROM containers c WHERE c.id = $1::uuid AND c.deleted_at IS NULL)
          AND ($2::uuid IS NULL OR EXISTS (SELECT FROM api_keys k WHERE k.id = $2 AND ${VALID_KEY}))`,
      [container_id, api_key_id],
    );
    return rows.length > 0;
  }
}
