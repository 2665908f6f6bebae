import type { Type } from '@nestjs/common';
import type { ErrorCode } from '../common/errors/codes.js';
import { type ErrorEntry, invalidValue, missing } from '../common/errors/errors.js';
import { type ObjectRule, Rule } from '../common/validation/field.js';
import { EnumField, StringField } from '../common/validation/fields.js';
import type { JsonObject } from '../../packages/json/index.js';
import { pathProblem } from '../../packages/paths/index.js';

export const FILE_SOURCES = ['deployment', 'workspace', 'snapshot'] as const;

/** Kind of container that a request names. */
export type FileSource = (typeof FILE_SOURCES)[number];

/** Field that identifies the container for each source, in documentation order. */
export const IDENTIFIERS = {
  deployment: 'deployment_name',
  workspace: 'project_id',
  snapshot: 'snapshot_id',
} as const satisfies Record<FileSource, keyof ContainerRequest>;

/** Error codes for operations whose request names a container that does not exist. */
export const CONTAINER_CODES = [
  'deployment_not_found',
  'project_not_found',
  'snapshot_not_found',
] as const satisfies ErrorCode[];

/** Error codes for operations that change the container. */
export const WRITING_CODES = [
  ...CONTAINER_CODES,
  'company_level_required',
  'editor_required',
  'snapshot_immutable',
] as const satisfies ErrorCode[];

/** Request that names a container. Subclasses need {@link NamesContainer}. */
export abstract class ContainerRequest {
  @EnumField(FILE_SOURCES, { description: 'Kind of container; determines which identifier is required' })
  source!: FileSource;

  deployment_name?: string | null;
  project_id?: string | null;
  snapshot_id?: string | null;
}

/** Adds the container identifiers after the fields of a class, and the rule that the source's identifier must be present. */
export function NamesContainer<Request extends ContainerRequest>(rule: ObjectRule<Request> = missingIdentifier) {
  return (type: Type<Request>): void => {
    for (const [source, name] of Object.entries(IDENTIFIERS)) {
      const description = `Required when \`source\` is \`${source}\``;
      StringField({ optional: true, nullable: true, description })(type.prototype as object, name);
    }
    Rule(rule)(type);
  };
}

/** Reports a missing identifier that the source requires. */
export function missingIdentifier(request: ContainerRequest, received: JsonObject): ErrorEntry[] {
  const name = IDENTIFIERS[request.source];
  return request[name] == null ? [missing([name], received)] : [];
}

/** Declares the path of a file or directory other than the root. */
export const PathField = (description: string): PropertyDecorator =>
  StringField({ minLength: 1, check: (path) => pathProblem(path), description, example: 'inputs/demand.csv' });

/** Validates each path in a request's array of paths. */
export function pathsValid({ paths = [] }: { paths?: string[] }): ErrorEntry[] {
  return paths.flatMap((path, index) => {
    const problem = pathProblem(path);
    return problem === undefined ? [] : [invalidValue(['paths', index], problem, path)];
  });
}
