import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { callerOf } from '../auth/decorators.js';
import type { Principal } from '../auth/principal.js';
import type { ErrorCode } from '../common/errors/codes.js';
import { Forbidden } from '../common/errors/errors.js';
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

  /** What the one parameter of the conditions of `project-access.sql.ts` holds. */
  get parameter(): string[] {
    return accessParameter(this.caller);
  }

  /** What these conditions ask for; `parameter` is the SQL of theirs. */
  access(parameter: string): Access {
    return accessOf(this.caller, parameter);
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

/** A kind of caller, of which the conditions of `project-access.sql.ts` are made. */
export interface Access {
  /** SQL of the parameter that tells callers of a kind apart, a text[] as {@link accessParameter} makes it. */
  parameter: string;
  /** Whether they see every project of the company; null: if the person is company-level at that moment. */
  seesAll: boolean | null;
  /** Whether they see projects of a list at most. */
  isLimited: boolean;
  onlyReads: boolean;
}

/** The kind of a caller. */
export const accessOf = ({ sees_all, project_ids, access }: Principal, parameter: string): Access => ({
  parameter,
  seesAll: sees_all,
  isLimited: project_ids !== null,
  onlyReads: access === 'read',
});

const kindOf = ({ sees_all, project_ids, access }: Principal): number =>
  (sees_all === null ? 0 : sees_all ? 1 : 2) + (project_ids === null ? 0 : 3) + (access === 'read' ? 6 : 0);

/**
 * The text of a statement, made once for each kind of caller and not for each request: to make it, and to find what was
 * prepared under it, would cost as much as to run it.
 *
 * @param parts up to two texts that it is made of as well: constants, as all of them are remembered
 */
export function perKind<Parts extends [] | [string] | [string, string]>(
  parameter: string,
  make: (access: Access, ...parts: Parts) => string,
): (reader: ProjectReader, ...parts: Parts) => string {
  const kinds: Map<string | undefined, Map<string | undefined, string>>[] = [];
  return ({ caller }, ...parts) => {
    const [first, second] = parts;
    const kind = (kinds[kindOf(caller)] ??= new Map());
    let texts = kind.get(first);
    if (texts === undefined) kind.set(first, (texts = new Map<string | undefined, string>()));
    let text = texts.get(second);
    if (text === undefined) texts.set(second, (text = make(accessOf(caller, parameter), ...parts)));
    return text;
  };
}

/** The company of a caller, the person whose rights count, and the projects of the list if there is one. */
export const accessParameter = ({ company_id, person_id, project_ids }: Principal): string[] => [
  company_id,
  person_id,
  ...(project_ids ?? []),
];

const REFUSALS: Record<Exclude<ProjectRole, 'viewer'>, [code: ErrorCode<403>, sentence: string]> = {
  editor: ['editor_required', 'A viewer of a project changes nothing in it'],
  owner: ['owner_required', 'This operation is for owners of the project and company-level callers only'],
};

const isAtLeast = (role: ProjectRole, least: ProjectRole): boolean =>
  PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(least);

function assertWrites(caller: Principal): void {
  if (caller.access === 'read') throw new Forbidden('api_key_reads_only', 'This API key may only read');
}
