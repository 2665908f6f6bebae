import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import type { Tx } from '../database/database.service.js';
import { Forbidden, NotFound } from '../common/errors/errors.js';
import { type ContainerRequest, type FileSource, IDENTIFIERS } from './container-request.js';
import type { ContainerRef, ResolvedContainer, Scope, ContainerQuery } from './tree/container-ref.js';
import { CONTAINER_KINDS, type ContainerKind } from './tree/container.entity.js';
import { ContainersRepository } from './tree/containers.repository.js';

/** Finds the containers of a source that a caller may see. */
export interface ContainerLookup {
  /**
   * Returns the SELECT of the {@link ResolvedContainer} with identifier `$1`. `scope` is SQL for the caller's scope. The SELECT
   * returns at most one row.
   */
  select: (scope: string) => string;
  /** Returns the scope that the caller may see, as a parameter of the SELECT. */
  scope: (caller: Principal) => Scope;
  /**
   * Variant of the SELECT that takes a container id, for containers that clients can access without naming them. Null if the
   * whole company can see them.
   */
  selectById: ((scope: string) => string) | null;
  /** Converts a client's identifier to the format stored in the database. @throws NotFound if it cannot be an identifier */
  parse(identifier: string): string;
}

/** Container that a request names. */
export type RequestedContainer = ContainerRef & ResolvedContainer;

/**
 * Resolves the containers that requests name. The modules of deployments, projects and snapshots depend on this module, so each
 * registers its lookup during initialization.
 */
@Injectable()
export class ContainerResolverService {
  private readonly lookups = new Map<ContainerKind, ContainerLookup>();

  constructor(private readonly containers: ContainersRepository) {}

  /** Registers the lookup for the containers of a source. */
  provide(source: FileSource, lookup: ContainerLookup): void {
    if (this.lookups.has(source)) throw new Error(`A lookup for containers of source ${source} is already registered`);
    this.lookups.set(source, lookup);
  }

  /**
   * Returns a query for the container that a valid request names, for statements that look up the container themselves. @throws
   * NotFound
   */
  seek(caller: Principal, request: ContainerRequest): ContainerQuery {
    const lookup = this.lookups.get(request.source);
    const identifier = request[IDENTIFIERS[request.source]];
    if (lookup === undefined || identifier == null)
      throw new Error(`No lookup for containers of source ${request.source} is registered`);
    const { company_id } = caller;
    return {
      company_id,
      select: lookup.select,
      identifier: lookup.parse(identifier),
      scope: lookup.scope(caller),
      resource: CONTAINER_KINDS[request.source].resource,
    };
  }

  /** Returns the container that a valid request names. @throws NotFound */
  async find(caller: Principal, request: ContainerRequest, tx?: Tx): Promise<RequestedContainer> {
    const sought = this.seek(caller, request);
    const containers = tx?.withRepository(this.containers) ?? this.containers;
    const container = await containers.findSought(sought);
    if (container === undefined) throw new NotFound(sought.resource);
    return { ...container, company_id: sought.company_id };
  }

  /**
   * Returns the container that a valid request names, for a caller who wants to change it. After long preparations, it must be
   * called again in the writing transaction, because the caller may have lost access.
   *
   * @throws NotFound @throws Forbidden
   */
  async findForWriting(caller: Principal, request: ContainerRequest, tx?: Tx): Promise<RequestedContainer> {
    const container = await this.find(caller, request, tx);
    assertWritable(caller, request.source, container);
    return container;
  }

  /**
   * Checks whether a caller may write to a container of their company that the request does not name.
   *
   * @returns false if they may not even see it
   * @throws Forbidden
   */
  async mayWriteTo(caller: Principal, kind: ContainerKind, container_id: string): Promise<boolean> {
    const lookup = this.lookups.get(kind);
    if (lookup === undefined) throw new Error(`No lookup for containers of kind ${kind} is registered`);
    const { selectById, scope } = lookup;
    const container = selectById
      ? await this.containers.findSought({
          select: selectById,
          identifier: container_id,
          scope: scope(caller),
        })
      : { may_write: true };
    if (container === undefined) return false;
    assertWritable(caller, kind, container);
    return true;
  }
}

/**
 * @throws Forbidden for snapshots, which are immutable, for deployments unless at company level, and for callers with a
 *   read-only role
 */
function assertWritable(
  caller: Principal,
  kind: ContainerKind,
  { may_write }: Pick<ResolvedContainer, 'may_write'>,
): void {
  if (!may_write) throw new Forbidden('editor_required', 'A viewer cannot change the project');
  if (kind === 'snapshot') throw new Forbidden('snapshot_immutable', 'A snapshot cannot be changed');
  if (kind === 'deployment' && !caller.isCompanyLevel) {
    throw new Forbidden('company_level_required', 'Only company-level callers can change the files of a deployment');
  }
}
