import { In } from 'typeorm';
import { VALID_KEY } from '../../auth/api-keys/valid-key.sql.js';
import { EntityRepository } from '../../database/entity-repository.js';
import type { ContainerRef, ResolvedContainer, ContainerQuery } from './container-ref.js';
import { Container, type ContainerKind } from './container.entity.js';
import { DELETED_CONTAINERS } from './containers.sql.js';
import { INSERT_ROOT } from './file-tree-changes.sql.js';

/** Container that other writers cannot change until the transaction ends. */
export interface LockedContainer extends ContainerRef {
  kind: ContainerKind;
  next_node: number;
}

/** Stores container rows. A writer to a tree locks its container until the transaction ends. */
export class ContainersRepository extends EntityRepository(Container) {
  /** Creates an empty container with its root and returns its id. */
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

  /** Marks locked containers as deleted. Restorable containers keep their content. */
  async markDeleted(company_id: string, container_ids: readonly string[], is_restorable: boolean): Promise<void> {
    await this.update({ company_id, id: In([...container_ids]) }, { deleted_at: () => 'now()', is_restorable });
  }

  /** Restores deleted containers that are restorable, and returns their number. */
  async undelete(company_id: string, container_ids: readonly string[]): Promise<number> {
    const ended = { company_id, id: In([...container_ids]), is_restorable: true };
    return (await this.update(ended, { deleted_at: null, is_restorable: false })).affected ?? 0;
  }

  /** Makes restorable containers unrestorable. Their deletion time stays the same. */
  async discardHidden(company_id: string, container_ids: readonly string[]): Promise<void> {
    await this.update({ company_id, id: In([...container_ids]) }, { is_restorable: false });
  }

  /** Deletes the rows of deleted containers that are empty and not referenced by an upload. */
  async deleteEmptied(company_id: string, container_ids: readonly string[]): Promise<void> {
    await this.query(
      `DELETE FROM containers c
        WHERE c.company_id = $1 AND c.id = ANY ($2) AND c.deleted_at IS NOT NULL
          AND NOT EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)
          AND NOT EXISTS (SELECT FROM uploads u WHERE u.container_id = c.id)`,
      [company_id, container_ids],
    );
  }

  /** Returns the non-empty containers, in any company, that were deleted at least this many seconds ago. */
  async endedWithContent(seconds: number): Promise<string[]> {
    const containers: { id: string }[] = await this.query(DELETED_CONTAINERS, [seconds]);
    return containers.map(({ id }) => id);
  }

  /** Returns the container that a statement finds, or undefined if it finds nothing. */
  async findSought({
    scope,
    select,
    identifier,
  }: Pick<ContainerQuery, 'scope' | 'select' | 'identifier'>): Promise<ResolvedContainer | undefined> {
    const [container]: ResolvedContainer[] = await this.query(select('$2'), [identifier, scope]);
    return container;
  }

  /** Returns whether a container exists and the API key, if given, is valid. */
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
