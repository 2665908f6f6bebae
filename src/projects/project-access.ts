import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { callerOf } from '../auth/decorators.js';
import type { Principal } from '../auth/principal.js';
import type { ErrorCode } from '../common/errors/codes.js';
import { Forbidden } from '../common/errors/errors.js';
import type { Proof } from '../common/idempotency/keyed-request.js';
import type { Tx } from '../database/database.service.js';
import { PROJECT_ROLES, type ProjectRole } from './project-member.entity.js';

/**
 * This file and `project-access.sql.ts` contain all access rules for projects.
 *
 * Repositories find projects only for a {@link ProjectReader}, and lock them for a change only for a {@link ProjectEditor}. The
 * parameter's type determines the required role. The statement that finds the project also returns the caller's current role,
 * which is then checked.
 */

/** Caller who reads projects. Repositories return only projects that are visible to the caller. */
export class ProjectReader {
  /** Minimum role of the caller in a project. */
  readonly least: ProjectRole = 'viewer';

  protected constructor(readonly caller: Principal) {}

  static of(caller: Principal): ProjectReader {
    return new ProjectReader(caller);
  }

  get company_id(): string {
    return this.caller.company_id;
  }

  /** Parameter for the conditions of `project-access.sql.ts`. */
  get parameter(): CallerParameter {
    return callerParameter(this.caller);
  }

  /**
   * Checks the caller's role in a project.
   * @throws Forbidden if the role is not sufficient
   */
  admit(role: ProjectRole): void {
    if (this.least !== 'viewer' && !isAtLeast(role, this.least)) throw new Forbidden(...REFUSALS[this.least]);
  }
}

/** Caller who changes the contents of a project. */
export class ProjectEditor extends ProjectReader {
  override readonly least: 'editor' | 'owner' = 'editor';

  /**
   * Checks that the caller may write.
   * @throws Forbidden for a read-only API key
   */
  static override of(caller: Principal): ProjectEditor {
    assertWrites(caller);
    return new ProjectEditor(caller);
  }

  /** Runs `work` unless an earlier request with the same idempotency key has done so, see {@link Principal.once}. */
  async once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body> {
    return await this.caller.once(tx, work, proof);
  }
}

/** Caller who manages the members of a project, deletes it or restores it. Never the agent. */
export class ProjectOwner extends ProjectEditor {
  override readonly least = 'owner' as const;

  /**
   * Checks that the caller may act as an owner.
   * @throws Forbidden for a read-only API key or the agent
   */
  static override of(caller: Principal): ProjectOwner {
    assertWrites(caller);
    if (caller.kind === 'agent') throw new Forbidden('owner_required', 'An agent cannot act as a project owner');
    return new ProjectOwner(caller);
  }
}

/** Caller who gives up their role in a project. Everyone who can see the project may do so. */
export class ProjectLeaver extends ProjectReader {
  readonly leaves = true;

  /**
   * Checks that the caller may write.
   * @throws Forbidden for a read-only API key
   */
  static override of(caller: Principal): ProjectLeaver {
    assertWrites(caller);
    return new ProjectLeaver(caller);
  }
}

/** Injects the caller of a route that reads projects. */
export const ReadingCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectReader.of(callerOf(context)),
);

/** Injects the caller of a route that changes the contents of a project. */
export const EditingCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectEditor.of(callerOf(context)),
);

/** Injects the caller of a route for owners and company-level callers. */
export const OwningCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectOwner.of(callerOf(context)),
);

/** PostgreSQL `text[]`. */
export type CallerParameter = (string | null)[];

/**
 * Returns the values that determine which projects a caller can see and change:
 * - The company.
 * - The person whose rights apply.
 * - Whether the person sees all projects of the company. Null if this depends on the person's current role.
 * - Whether the caller has read-only access.
 * - Whether the caller is limited to a list of projects.
 * - The ids of these projects.
 */
export const callerParameter = (caller: Principal): CallerParameter => {
  const { company_id, person_id, sees_all, access, project_ids } = caller;
  const flags = [sees_all === null ? null : String(sees_all), String(access === 'read'), String(project_ids !== null)];
  return [company_id, person_id, ...flags, ...(project_ids ?? [])];
};

const REFUSALS: Record<Exclude<ProjectRole, 'viewer'>, [code: ErrorCode<403>, sentence: string]> = {
  editor: ['editor_required', 'A viewer cannot change the project'],
  owner: ['owner_required', 'Only project owners and company-level callers can use this operation'],
};

const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean =>
  PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(least);

function assertWrites(caller: Principal): void {
  if (caller.access === 'read') throw new Forbidden('api_key_reads_only', 'This API key is read-only');
}
