import type { Resource } from '../../common/errors/codes.js';
import type { ProjectId } from '../../database/checked-id.js';

/** Reference to a container. The company is part of every query, so a wrong id never reaches another company's files. */
export interface ContainerRef {
  company_id: string;
  container_id: string;
}

/** Scope that a caller may see, as the parameter of a SELECT. */
export type Scope = string | (string | null)[];

/** Container that a statement looks up itself, which saves a round trip. */
export interface ContainerQuery {
  company_id: string;
  /**
   * Returns the SELECT of a single row with `container_id`. `$1` is the identifier, and `scope` names the parameter with the
   * scope.
   */
  select: (scope: string) => string;
  identifier: string;
  scope: Scope;
  /** Resource in the {@link NotFound} error if the row does not exist. */
  resource: Resource;
}

/** Container that a client's identifier refers to. */
export interface ResolvedContainer {
  container_id: string;
  /** Project of a workspace or snapshot. */
  project_id: ProjectId | null;
  /** Whether the caller's role allows writing. True for containers without roles. */
  may_write: boolean;
}
