import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { callerOf } from '../auth/decorators.js';
import type { Principal } from '../auth/principal.js';
import type { ErrorCode } from '../common/errors/codes.js';
import { Forbidden } from '../common/errors/errors.js';
import type { Proof } from '../common/idempotency/keyed-request.js';
import type { Tx } from '../database/database.service.js';
import { PROJECT_ROLES, type ProjectRole } from './project-member.entity.js';

/**
 * Who may see what, and do what, in projects is decided in this file and in `project-access.sql.ts`, and nowhere else.
 *
 * Repositories find projects for a {@link ProjectReader} only; those who write lock them, which takes a
 * {@link ProjectEditor}. Each says how much it needs of a project, so that what a service was given is what is looked at,
 * in the statement that finds the project, as things are at that moment.
 */

/** A caller who looks at projects: finds those that the caller may see, and no others. */
export class ProjectReader {
  /** The role that the caller needs in a project. */
  readonly least: ProjectRole = 'viewer';

  protected constructor(readonly caller: Principal) {}

  static of(caller: Principal): ProjectReader {
    return new ProjectReader(caller);
  }

  get company_id(): string {
    return this.caller.company_id;
  }

  /** The parameter that the conditions of `project-access.sql.ts` take. */
  get parameter(): CallerParameter {
    return callerParameter(this.caller);
  }

  /** @throws Forbidden for somebody whose role in the project is too little */
  admit(role: ProjectRole): void {
    if (this.least !== 'viewer' && !isAtLeast(role, this.least)) throw new Forbidden(...REFUSALS[this.least]);
  }
}

/** A caller who changes what is in a project. */
export class ProjectEditor extends ProjectReader {
  override readonly least: 'editor' | 'owner' = 'editor';

  /** @throws Forbidden for an API key that may only read */
  static override of(caller: Principal): ProjectEditor {
    assertWrites(caller);
    return new ProjectEditor(caller);
  }

  /** As `once` of the caller. */
  async once<Body>(tx: Tx, work: () => Promise<Body>, proof?: Proof): Promise<Body> {
    return await this.caller.once(tx, work, proof);
  }
}

/** A caller who decides about a project: who its members are, and whether it is there. Never the agent. */
export class ProjectOwner extends ProjectEditor {
  override readonly least = 'owner' as const;

  /** @throws Forbidden for an API key that may only read, and for the agent */
  static override of(caller: Principal): ProjectOwner {
    assertWrites(caller);
    if (caller.kind === 'agent')
      throw new Forbidden('owner_required', 'An agent does not act as the owner of a project');
    return new ProjectOwner(caller);
  }
}

/** A caller who gives up what they are in a project: whoever sees it may. */
export class ProjectLeaver extends ProjectReader {
  readonly leaves = true;

  /** @throws Forbidden for an API key that may only read */
  static override of(caller: Principal): ProjectLeaver {
    assertWrites(caller);
    return new ProjectLeaver(caller);
  }
}

/** The caller of a route that reads projects. */
export const ReadingCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectReader.of(callerOf(context)),
);

/** The caller of a route that changes what is in a project. */
export const EditingCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectEditor.of(callerOf(context)),
);

/** The caller of a route for owners and company-level callers. */
export const OwningCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  ProjectOwner.of(callerOf(context)),
);

/** A `text[]` of the database. */
export type CallerParameter = (string | null)[];

/**
 * What decides which projects a caller sees: the company, the person whose rights count, whether the person sees every project of the
 * company (null: if they are company-level at that moment), whether the caller may only read, whether a list limits the caller, and
 * the ids of that list.
 */
export const callerParameter = (caller: Principal): CallerParameter => {
  const { company_id, person_id, sees_all, access, project_ids } = caller;
  const flags = [sees_all === null ? null : String(sees_all), String(access === 'read'), String(project_ids !== null)];
  return [company_id, person_id, ...flags, ...(project_ids ?? [])];
};

const REFUSALS: Record<Exclude<ProjectRole, 'viewer'>, [code: ErrorCode<403>, sentence: string]> = {
  editor: ['editor_required', 'A viewer of a project changes nothing in it'],
  owner: ['owner_required', 'This operation is for owners of the project and company-level callers only'],
};

const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean =>
  PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(least);

function assertWrites(caller: Principal): void {
  if (caller.access === 'read') throw new Forbidden('api_key_reads_only', 'This API key may only read');
}
