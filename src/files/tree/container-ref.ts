import type { Resource } from '../../common/errors/codes.js';
import type { ProjectId } from '../../database/checked-id.js';

/**
 * A container as other modules name it. The company is part of every query, so a wrong id never reaches another
 * company's files.
 */
export interface ContainerRef {
  company_id: string;
  container_id: string;
}

/** What a caller may see, as the parameter of a SELECT. */
export type Scope = string | (string | null)[];

/** A container that a statement is to find itself, in place of a round trip before. */
export interface SoughtContainer {
  company_id: string;
  /** SELECT of one row with `container_id`, by `$1`, the identifier, and the parameter that is named, the scope. */
  select: (scope: string) => string;
  identifier: string;
  scope: Scope;
  /** What the caller sees none of where there is no such row, as {@link NotFound} names it. */
  resource: Resource;
}

/** What a client's identifier leads to. */
export interface FoundContainer {
  container_id: string;
  /** The project of a workspace or snapshot. */
  project_id: ProjectId | null;
  /** Whether the caller's role there lets them write, as far as there are roles. */
  may_write: boolean;
}
