import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { FieldOptions } from './field.js';
import type { Kind, Schema } from './kind.js';

/** Returns the OpenAPI schema of a field, in the same format as FastAPI. */
export function documentation<Value>(
  name: string,
  kind: Kind<Value>,
  options: FieldOptions<Value>,
): ApiPropertyOptions {
  const { description, example, nullable = false, optional = false, default: preset, extension = false } = options;
  return {
    ...shape(kind, nullable),
    ...('$ref' in kind.schema || 'enumName' in kind.schema ? {} : { title: titleOf(name) }),
    required: !optional && preset === undefined,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    ...(preset !== undefined && { default: preset }),
    ...(extension && { 'x-extension': true }),
  };
}

/** Adds a `type`, which the swagger module requires but drops if the schema has `anyOf`. */
function shape<Value>({ schema, model }: Kind<Value>, nullable: boolean): Schema {
  if (nullable) return { type: 'object', anyOf: [schema, { type: 'null' }] };
  if ('$ref' in schema) return { type: () => model };
  return 'type' in schema ? schema : { type: 'object', anyOf: [schema] };
}

/** Formats a title: `project_id` becomes `Project Id`. */
const titleOf = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
