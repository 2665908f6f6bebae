import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/auth/principal.js';
import { Forbidden, NotFound } from '../platform/errors/errors.js';
import type { ContainerRef, FoundContainer, SoughtContainer } from './tree/container-ref.js';
import { ContainersRepository } from './tree/containers.repository.js';

export const FILE_SOURCES = ['deployment', 'workspace', 'snapshot'] as const;

/** Kind of container that a client works on. */
export type FileSource = (typeof FILE_SOURCES)[number];

/** How containers of a source are found among what a company has. */
export interface ContainerLookup {
  /** What a client knows them as. */
  resource: string;
  /** SELECT of the {@link FoundContainer} that the identifier `$1` names in the company `$2`: one row at most. */
  select: string;
  /** A client's identifier as the database takes it. @throws NotFound for what can be none */
  parse(identifier: string): string;
}

/** How requests name a container: `source` says which of the identifiers counts. */
export interface ContainerFields {
  source: FileSource;
  deployment_name?: string | null;
  project_id?: string | null;
  snapshot_id?: string | null;
}

/** The identifier that goes with each source. */
export const IDENTIFIERS = {
  deployment: 'deployment_name',
  workspace: 'project_id',
  snapshot: 'snapshot_id',
} as const satisfies Record<FileSource, keyof ContainerFields>;

/** A container that a request names. */
export type RequestedContainer = ContainerRef & FoundContainer;

/**
 * Leads from what requests name to containers. The modules that own deployments, projects and snapshots stand above
 * this one; each provides its look-up when it is initialised.
 */
@Injectable()
export class ContainerResolver {
  private readonly lookups = new Map<FileSource, ContainerLookup>();

  constructor(private readonly containers: ContainersRepository) {}

  /** Says how containers of a source are found. */
  provide(source: FileSource, lookup: ContainerLookup): void {
    if (this.lookups.has(source)) throw new Error(`Containers of source ${source} have a look-up already`);
    this.lookups.set(source, lookup);
  }

  /** The container of a request that is valid, for a statement that finds it itself. @throws NotFound */
  seek({ company_id }: Principal, fields: ContainerFields): SoughtContainer {
    const lookup = this.lookups.get(fields.source);
    const identifier = fields[IDENTIFIERS[fields.source]];
    if (lookup === undefined || identifier == null)
      throw new Error(`Nothing finds containers of source ${fields.source}`);
    const { resource, select } = lookup;
    return { company_id, select, identifier: lookup.parse(identifier), resource };
  }

  /** The container of a request that is valid. @throws NotFound */
  async find(caller: Principal, fields: ContainerFields): Promise<RequestedContainer> {
    const sought = this.seek(caller, fields);
    const found = await this.containers.findSought(sought);
    if (found === undefined) throw new NotFound(sought.resource);
    return { ...found, company_id: sought.company_id };
  }

  /** The same for a caller who wants to change it. @throws NotFound @throws Forbidden */
  async findForWriting(caller: Principal, fields: ContainerFields): Promise<RequestedContainer> {
    const container = await this.find(caller, fields);
    assertWritable(caller, fields.source);
    return container;
  }
}

/** @throws Forbidden for snapshots, which never change, and for deployments unless at company level */
export function assertWritable(caller: Principal, source: string): void {
  if (source === 'snapshot') throw new Forbidden('A snapshot cannot be changed');
  if (source === 'deployment' && !caller.isCompanyLevel) {
    throw new Forbidden('Files of a deployment are changed by company-level callers only');
  }
}
