import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/auth/principal.js';
import { Forbidden } from '../platform/errors/errors.js';
import type { ContainerRef } from './containers.service.js';

export const FILE_SOURCES = ['deployment', 'workspace', 'snapshot'] as const;

/** Kind of container that a client works on. */
export type FileSource = (typeof FILE_SOURCES)[number];

/** What a client's identifier leads to. */
export interface FoundContainer {
  container_id: string;
  /** The project of a workspace or snapshot. */
  project_id: string | null;
}

/**
 * Finds what a client's identifier names among what the caller may see.
 *
 * @throws NotFound
 */
export type ContainerResolver = (caller: Principal, identifier: string) => Promise<FoundContainer>;

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
 * this one; each provides its resolver when it is initialised.
 */
@Injectable()
export class ContainerDirectory {
  private readonly resolvers = new Map<FileSource, ContainerResolver>();

  /** Says who finds containers of a source. */
  provide(source: FileSource, resolver: ContainerResolver): void {
    if (this.resolvers.has(source)) throw new Error(`Containers of source ${source} have a resolver already`);
    this.resolvers.set(source, resolver);
  }

  /** The container of a request that is valid. @throws NotFound */
  async find(caller: Principal, fields: ContainerFields): Promise<RequestedContainer> {
    const resolve = this.resolvers.get(fields.source);
    const identifier = fields[IDENTIFIERS[fields.source]];
    if (resolve === undefined || identifier == null)
      throw new Error(`Nothing finds containers of source ${fields.source}`);
    return { ...(await resolve(caller, identifier)), company_id: caller.company_id };
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
