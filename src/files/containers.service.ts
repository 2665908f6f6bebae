import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import { NotFound } from '../platform/errors/errors.js';
import type { ContainerKind } from './container.entity.js';

/**
 * A container as other modules name it. The company is part of every query, so a wrong id never reaches another
 * company's files.
 */
export interface ContainerRef {
  company_id: string;
  container_id: string;
}

/** A container that a statement is to find itself, in place of a round trip before. */
export interface SoughtContainer {
  company_id: string;
  /** Of one row with `container_id`, by the parameters `$1`, the identifier, and `$2`, the company. */
  select: string;
  identifier: string;
  /** What the company has none of where there is no such row, as {@link NotFound} names it. */
  resource: string;
}

/** A container whose writers wait until the transaction ends. */
export interface LockedContainer extends ContainerRef {
  kind: ContainerKind;
  next_node: number;
}

/** Task that drops uploads which nobody can finish any more. */
export const SWEEP_UPLOADS = 'sweep_uploads';

/** What a client knows a container as. */
const RESOURCES: Record<ContainerKind, string> = {
  deployment: 'Deployment',
  workspace: 'Project',
  snapshot: 'Snapshot',
  agent_config: 'Project',
  project_skills: 'Project',
};

/** Trees of files as a whole; {@link TreesService} works inside them. */
@Injectable()
export class ContainersService {
  /** Makes an empty container and resolves with its id. */
  async create(tx: Tx, company_id: string, kind: ContainerKind): Promise<string> {
    const [container]: { id: string }[] = await tx.query(
      `WITH container AS (INSERT INTO containers (company_id, kind) VALUES ($1, $2) RETURNING id),
            root AS (INSERT INTO nodes (container_id, node_id, name, kind) SELECT id, 0, '', 'directory' FROM container)
       SELECT id FROM container`,
      [company_id, kind],
    );
    if (container === undefined) throw new Error('A new container has no row');
    return container.id;
  }

  /** Ends containers: nothing finds them any more. The sweeper drops uploads to them, the collector empties them. */
  async delete(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await this.lock(tx, company_id, ...container_ids);
    await tx.query('UPDATE containers SET deleted_at = now() WHERE company_id = $1 AND id = ANY ($2)', [
      company_id,
      container_ids,
    ]);
  }

  /**
   * Removes the rows of ended containers that nothing refers to any more and that the collector has emptied already; those
   * that it empties later it removes itself.
   */
  async forget(tx: Tx, company_id: string, ...container_ids: string[]): Promise<void> {
    await tx.query(
      `DELETE FROM containers c
        WHERE c.company_id = $1 AND c.id = ANY ($2) AND c.deleted_at IS NOT NULL
          AND NOT EXISTS (SELECT FROM nodes n WHERE n.root_of = c.id)
          AND NOT EXISTS (SELECT FROM uploads u WHERE u.container_id = c.id)`,
      [company_id, container_ids],
    );
  }

  /**
   * Locks containers against other writers until the transaction ends, in the order of their ids whatever the order
   * given, and resolves with them in the order given. Locks of projects, conversations and turns come before these.
   *
   * Who writes to one container need not call this, {@link TreesService} does; who writes to several locks them first.
   *
   * @throws NotFound when one of them was deleted
   */
  async lock(tx: Tx, company_id: string, ...container_ids: string[]): Promise<LockedContainer[]> {
    const rows: (LockedContainer & { deleted: boolean })[] = await tx.query(
      `SELECT company_id, id AS container_id, kind, next_node, deleted_at IS NOT NULL AS deleted
         FROM containers WHERE company_id = $1 AND id = ANY ($2) ORDER BY id FOR NO KEY UPDATE`,
      [company_id, container_ids],
    );
    return container_ids.map((container_id) => {
      const container = rows.find((row) => row.container_id === container_id);
      if (container === undefined) throw new Error(`The company has no container ${container_id}`);
      if (container.deleted) throw new NotFound(RESOURCES[container.kind]);
      return container;
    });
  }
}
