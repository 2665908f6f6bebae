import { Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import type { Tx } from '../database/database.service.js';
import { Forbidden, NotFound } from '../common/errors/errors.js';
import { type ContainerRequest, type FileSource, IDENTIFIERS } from './container-request.js';
import type { ContainerRef, FoundContainer, Scope, SoughtContainer } from './tree/container-ref.js';
import { CONTAINER_KINDS, type ContainerKind } from './tree/container.entity.js';
import { ContainersRepository } from './tree/containers.repository.js';

/** How containers of a source are found among what a caller may see. */
export interface ContainerLookup {
  /** SELECT of the {@link FoundContainer} that the identifier `$1` names. The argument is the SQL of the caller's scope. At most one row. */
  select: (scope: string) => string;
  /** What the caller may see, as the SELECT takes it. */
  scope: (caller: Principal) => Scope;
  /** The same SELECT by the id of a container that clients reach without naming it; null: the whole company sees them. */
  selectKnown: ((scope: string) => string) | null;
  /** A client's identifier as the database takes it. @throws NotFound for what can be none */
  parse(identifier: string): string;
}

/** A container that a request names. */
export type RequestedContainer = ContainerRef & FoundContainer;

/**
 * Leads from what requests name to containers. The modules that own deployments, projects and snapshots stand above
 * this one; each provides its look-up when it is initialised.
 */
@Injectable()
export class ContainerResolverService {
  private readonly lookups = new Map<ContainerKind, ContainerLookup>();

  constructor(private readonly containers: ContainersRepository) {}

  /** Says how containers of a source are found. */
  provide(source: FileSource, lookup: ContainerLookup): void {
    if (this.lookups.has(source)) throw new Error(`Containers of source ${source} have a look-up already`);
    this.lookups.set(source, lookup);
  }

  /** The container of a request that is valid, for a statement that finds it itself. @throws NotFound */
  seek(caller: Principal, request: ContainerRequest): SoughtContainer {
    const lookup = this.lookups.get(request.source);
    const identifier = request[IDENTIFIERS[request.source]];
    if (lookup === undefined || identifier == null)
      throw new Error(`Nothing finds containers of source ${request.source}`);
    const { company_id } = caller;
    return {
      company_id,
      select: lookup.select,
      identifier: lookup.parse(identifier),
      scope: lookup.scope(caller),
      resource: CONTAINER_KINDS[request.source].resource,
    };
  }

  /** The container of a request that is valid. @throws NotFound */
  async find(caller: Principal, request: ContainerRequest, tx?: Tx): Promise<RequestedContainer> {
    const sought = this.seek(caller, request);
    const containers = tx?.withRepository(this.containers) ?? this.containers;
    const found = await containers.findSought(sought);
    if (found === undefined) throw new NotFound(sought.resource);
    return { ...found, company_id: sought.company_id };
  }

  /**
   * The same for a caller who wants to change it. What takes long to make ready is asked for again in the transaction that
   * writes it, as rights may have ended meanwhile.
   *
   * @throws NotFound @throws Forbidden
   */
  async findForWriting(caller: Principal, request: ContainerRequest, tx?: Tx): Promise<RequestedContainer> {
    const container = await this.find(caller, request, tx);
    assertWritable(caller, request.source, container);
    return container;
  }

  /**
   * Makes sure that a caller may write to a container of their company that they have not named.
   *
   * @returns false where they may not even see it
   * @throws Forbidden
   */
  async mayWriteTo(caller: Principal, kind: ContainerKind, container_id: string): Promise<boolean> {
    const lookup = this.lookups.get(kind);
    if (lookup === undefined) throw new Error(`Nothing finds containers of kind ${kind}`);
    const { selectKnown, scope } = lookup;
    const found = selectKnown
      ? await this.containers.findSought({
          select: selectKnown,
          identifier: container_id,
          scope: scope(caller),
        })
      : { may_write: true };
    if (found === undefined) return false;
    assertWritable(caller, kind, found);
    return true;
  }
}

/**
 * @throws Forbidden for snapshots, which never change, for deployments unless at company level, and for those whose role
 *   lets them read only
 */
function assertWritable(
  caller: Principal,
  kind: ContainerKind,
  { may_write }: Pick<FoundContainer, 'may_write'>,
): void {
  if (!may_write) throw new Forbidden('editor_required', 'A viewer of a project changes nothing in it');
  if (kind === 'snapshot') throw new Forbidden('snapshot_immutable', 'A snapshot cannot be changed');
  if (kind === 'deployment' && !caller.isCompanyLevel) {
    throw new Forbidden('company_level_required', 'Files of a deployment are changed by company-level callers only');
  }
}
