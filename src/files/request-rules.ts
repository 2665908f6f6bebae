import { type ErrorEntry, invalidValue, missing } from '../common/errors/errors.js';
import type { JsonObject } from '../../packages/json/index.js';
import { type ContainerFields, FILE_SOURCES, IDENTIFIERS } from './container-resolver.service.js';
import { EnumField, StringField } from '../common/validation/fields.js';
import { pathProblem } from './tree/paths.js';

/** Kind of container of a request. */
export const SourceField = (): PropertyDecorator =>
  EnumField(FILE_SOURCES, { description: 'Kind of container; determines which identifier is required' });

/** Identifier of a container, needed for one `source`. */
export const IdentifierField = (source: keyof typeof IDENTIFIERS): PropertyDecorator =>
  StringField({ optional: true, nullable: true, description: `Needed when \`source\` is \`${source}\`` });

/** Path of a file or directory that is not the root. */
export const PathField = (description: string): PropertyDecorator =>
  StringField({ minLength: 1, check: (path) => pathProblem(path), description, example: 'inputs/demand.csv' });

/** Rule of every request that names a container: the identifier that goes with its source is there. */
export function identifierGiven(fields: ContainerFields, received: JsonObject): ErrorEntry[] {
  const name = IDENTIFIERS[fields.source];
  return fields[name] == null ? [missing([name], received)] : [];
}

/** Rule of requests with an array of paths: each is a valid path. */
export function pathsValid({ paths = [] }: { paths?: string[] }): ErrorEntry[] {
  return paths.flatMap((path, index) => {
    const problem = pathProblem(path);
    return problem === undefined ? [] : [invalidValue(['paths', index], problem, path)];
  });
}
