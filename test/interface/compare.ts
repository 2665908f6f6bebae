import { isDeepStrictEqual } from 'node:util';
import {
  type Component,
  components,
  type Field,
  type JsonSchema,
  type Operation,
  operations,
  titles,
} from './interface.js';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: JsonSchema;
  'x-extension'?: boolean;
}

interface DocumentedOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: JsonSchema;
  responses: Record<string, JsonSchema>;
  security?: JsonSchema[];
  'x-extension'?: boolean;
}

/** The parts of an OpenAPI document that are compared. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses?: Record<string, JsonSchema>;
    securitySchemes?: JsonSchema;
  };
}

const SCHEMAS = '#/components/schemas/';
const ANNOTATIONS = new Set(['title', 'description', 'example', 'examples', 'x-extension']);
const BOUNDS = ['default', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'];
/**
 * Names of fields that contain free-form objects or untyped values in the interface. Additions may use the same names.
 */
const OPEN_FIELDS = new Set([
  // Result of a solve: values by the names of the model's variables.
  'variables',
  'data',
  'instance_data',
  'error_details',
  'input',
  'objective_components',
  'ctx',
  'result',
  // Table: cells of any type.
  'rows',
]);

/**
 * Returns all differences between an OpenAPI document and the documented interface, each as a line that names its
 * location.
 *
 * Everything beyond the interface must be marked `x-extension: true`, and nothing in the interface may be marked.
 */
export function differences(document: OpenApiDocument): string[] {
  return [
    ...differ('openapi', document.openapi, '3.1.0'),
    ...differ('components.securitySchemes', document.components.securitySchemes, {
      HTTPBearer: { type: 'http', scheme: 'bearer' },
    }),
    ...operations.flatMap((operation) => operationDifferences(document, operation)),
    ...addedOperations(document),
    ...Object.entries(components).flatMap(([name, component]) => componentDifferences(document, name, component)),
    ...addedComponents(document),
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => openObjects(name, schema)),
  ];
}

function operationDifferences(document: OpenApiDocument, operation: Operation): string[] {
  const { method, path, query, request, status, response } = operation;
  const at = `${method.toUpperCase()} ${path}`;
  const actual = document.paths[path]?.[method];
  if (actual === undefined) return [`${at}: missing (${operation.name})`];
  const wantedBody = request && { required: true, content: { 'application/json': { schema: reference(request) } } };
  return [
    ...markedWrongly(at, actual),
    ...operationForm(at, path, method, actual),
    ...parameterDifferences(at, actual.parameters ?? [], wantedParameters(path, query)),
    ...differ(`${at} requestBody`, withoutAnnotations(actual.requestBody), wantedBody),
    ...responseDifferences(at, resolvedResponses(document, actual), status, response),
    ...differ(`${at} security`, actual.security, [{ HTTPBearer: [] }]),
  ];
}

/**
 * Returns `{function_name}{path}_{method}` with every non-word character replaced with `_`, which is how FastAPI names
 * operations.
 */
function operationForm(
  at: string,
  path: string,
  method: string,
  { operationId, summary, description, requestBody }: DocumentedOperation,
): string[] {
  const suffix = `${path.replace(/\W/g, '_')}_${method}`;
  const found: string[] = [];
  if (!operationId?.endsWith(suffix) || !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(operationId.slice(0, -suffix.length))) {
    found.push(`${at} operationId: is ${show(operationId)}, should be a snake_case name followed by ${show(suffix)}`);
  }
  if (!summary) found.push(`${at} summary: missing`);
  if (!description) found.push(`${at} description: missing`);
  if (requestBody !== undefined && !show(requestBody).includes('"example":')) found.push(`${at} example: missing`);
  return found;
}

interface WantedParameter extends Field {
  in: 'path' | 'query';
}

function wantedParameters(path: string, query: Record<string, Field>): Map<string, WantedParameter> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  return new Map<string, WantedParameter>([
    ...names.map((name) => [name, { in: 'path', required: true, schema: { type: 'string' } }] as const),
    ...Object.entries(query).map(([name, field]) => [name, { in: 'query', ...field }] as const),
  ]);
}

function parameterDifferences(at: string, actual: Parameter[], wanted: Map<string, WantedParameter>): string[] {
  const missing = [...wanted.keys()].filter((name) => !actual.some((parameter) => parameter.name === name));
  return [
    ...missing.map((name) => `${at} parameter ${name}: missing`),
    ...actual.flatMap((parameter) => {
      const where = `${at} parameter ${parameter.name}`;
      const documented = wanted.get(parameter.name);
      if (documented === undefined)
        return [...notMarked(where, parameter), ...requiredAddition(where, parameter.required)];
      return [
        ...markedWrongly(where, parameter),
        ...differ(`${where} in`, parameter.in, documented.in),
        ...differ(`${where} required`, parameter.required === true, documented.required),
        ...schemaDifferences(where, parameter.schema, documented.schema),
        ...titleDifferences(where, parameter.schema, titleOf(parameter.name)),
      ];
    }),
  ];
}

/** Returns a response without headers that the interface does not have. */
function documented(response: JsonSchema | undefined): JsonSchema | undefined {
  const { headers = {}, ...rest } = (response ?? {}) as { headers?: Record<string, JsonSchema> };
  const known = Object.entries(headers).filter(([, header]) => header['x-extension'] !== true);
  return response && { ...rest, ...(known.length > 0 && { headers: Object.fromEntries(known) }) };
}

/** Returns an operation's responses and resolves references to shared responses. */
const resolvedResponses = (
  { components: { responses = {} } }: OpenApiDocument,
  operation: DocumentedOperation,
): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      responses[String(response['$ref']).replace('#/components/responses/', '')] ?? response,
    ]),
  );

function responseDifferences(at: string, actual: Record<string, JsonSchema>, status: number, name: string): string[] {
  const body = (component: string, description: string): JsonSchema => ({
    description,
    content: { 'application/json': { schema: reference(component) } },
  });
  const errorBody = { content: body('ErrorResponse', '')['content'] };
  const others = Object.keys(actual).filter((code) => code !== String(status) && code !== '422');
  return [
    ...differ(`${at} response ${status}`, documented(actual[status]), body(name, 'Successful Response')),
    ...differ(`${at} response 422`, actual['422'], body('HTTPValidationError', 'Validation Error')),
    ...others.flatMap((code) =>
      /^[45]\d\d$/.test(code)
        ? differ(`${at} response ${code}`, withoutAnnotations({ content: actual[code]?.['content'] }), errorBody)
        : // Clients receive these statuses only if they ask for them.
          notMarked(`${at} response ${code}`, actual[code] ?? {}),
    ),
  ];
}

function addedOperations(document: OpenApiDocument): string[] {
  const documented = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => !documented.has(`${method} ${path}`))
      .flatMap(([method, operation]) => {
        const at = `${method.toUpperCase()} ${path}`;
        return [...notMarked(at, operation), ...operationForm(at, path, method, operation)];
      }),
  );
}

function componentDifferences({ components: { schemas } }: OpenApiDocument, name: string, wanted: Component): string[] {
  const actual = schemas[name];
  if (actual === undefined) return [`schema ${name}: missing`];
  const found = [...markedWrongly(`schema ${name}`, actual), ...titleDifferences(`schema ${name}`, actual, name)];
  if ('schema' in wanted) return [...found, ...schemaDifferences(`schema ${name}`, actual, wanted.schema)];
  const properties = (actual['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((actual['required'] ?? []) as string[]);
  const known = new Set(['type', 'properties', 'required', ...ANNOTATIONS]);
  return [
    ...found,
    ...differ(`schema ${name} type`, actual['type'], 'object'),
    ...Object.keys(actual).flatMap((key) => (known.has(key) ? [] : [`schema ${name} ${key}: not in the interface`])),
    ...Object.entries(wanted.fields).flatMap(([property, field]) =>
      fieldDifferences(name, property, properties[property], required.has(property), field),
    ),
    ...Object.entries(properties).flatMap(([property, schema]) => {
      if (property in wanted.fields) return [];
      const at = `schema ${name}.${property}`;
      return [...notMarked(at, schema), ...(isRequest(name) ? requiredAddition(at, required.has(property)) : [])];
    }),
  ];
}

function fieldDifferences(
  component: string,
  property: string,
  actual: JsonSchema | undefined,
  isRequired: boolean,
  wanted: Field,
): string[] {
  const at = `schema ${component}.${property}`;
  if (actual === undefined) return [`${at}: missing`];
  const title = titles[`${component}.${property}`] ?? titleOf(property);
  return [
    ...markedWrongly(at, actual),
    ...differ(`${at} required`, isRequired, wanted.required),
    ...schemaDifferences(at, actual, wanted.schema),
    ...titleDifferences(at, actual, isReference(wanted.schema) ? undefined : title),
  ];
}

/**
 * Compares complete schemas, but reports bounds and defaults separately from types, so that the message names the exact
 * difference.
 */
function schemaDifferences(at: string, actual: JsonSchema, wanted: JsonSchema): string[] {
  const bare = Object.fromEntries(Object.entries(actual).filter(([key]) => !ANNOTATIONS.has(key)));
  const byBound = BOUNDS.flatMap((key) =>
    isDeepStrictEqual(bare[key], wanted[key]) ? [] : differ(`${at} ${key}`, bare[key], wanted[key]),
  );
  return byBound.length > 0 ? byBound : differ(at, bare, wanted);
}

function titleDifferences(at: string, { title }: JsonSchema, wanted: string | undefined): string[] {
  return differ(`${at} title`, title, wanted);
}

function addedComponents({ components: { schemas } }: OpenApiDocument): string[] {
  return Object.entries(schemas).flatMap(([name, schema]) =>
    name in components
      ? []
      : [...notMarked(`schema ${name}`, schema), ...titleDifferences(`schema ${name}`, schema, name)],
  );
}

/** Finds objects with arbitrary keys and untyped values, except where the interface has them too. */
function openObjects(at: string, schema: JsonSchema): string[] {
  const found = isOpen(schema) ? [`schema ${at}: takes any keys or any value, which the interface does not say`] : [];
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
    if (!OPEN_FIELDS.has(name)) found.push(...openObjects(`${at}.${name}`, property));
  }
  for (const key of ['items', 'additionalProperties'] as const) {
    const inner = schema[key];
    if (typeof inner === 'object' && inner !== null) found.push(...openObjects(`${at}[]`, inner as JsonSchema));
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    for (const option of (schema[key] ?? []) as JsonSchema[]) found.push(...openObjects(at, option));
  }
  return found;
}

function isOpen(schema: JsonSchema): boolean {
  if (schema['additionalProperties'] === true) return true;
  if (schema['type'] === 'object') return !('properties' in schema) && !('additionalProperties' in schema);
  return !['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'].some((key) => key in schema);
}

const reference = (name: string): JsonSchema => ({ $ref: `${SCHEMAS}${name}` });
const isReference = (schema: JsonSchema): boolean =>
  '$ref' in schema || ((schema['anyOf'] ?? []) as JsonSchema[]).some((option) => '$ref' in option);
const isRequest = (component: string): boolean =>
  operations.some(({ request }) => request === component) ||
  ['MovePair', 'CompletedPart', 'ContextRef', 'AskUserQuestionAnswer'].includes(component);
const titleOf = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Returns a body or its content without keys that clients do not depend on. */
function withoutAnnotations(value: JsonSchema | undefined): JsonSchema | undefined {
  if (value === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'description' && key !== 'example')
      .map(([key, inner]) => [
        key,
        key === 'content' || key === 'application/json' ? withoutAnnotations(inner as JsonSchema) : inner,
      ]),
  );
}

const markedWrongly = (at: string, node: { 'x-extension'?: unknown }): string[] =>
  node['x-extension'] === undefined ? [] : [`${at}: is marked x-extension, but the interface has it`];
const notMarked = (at: string, node: { 'x-extension'?: unknown }): string[] =>
  node['x-extension'] === true ? [] : [`${at}: not in the interface and not marked x-extension`];
const requiredAddition = (at: string, required: unknown): string[] =>
  required === true ? [`${at}: an addition that a documented client does not send, so it cannot be required`] : [];

function differ(at: string, actual: unknown, wanted: unknown): string[] {
  return isDeepStrictEqual(actual, wanted) ? [] : [`${at}: is ${show(actual)}, should be ${show(wanted)}`];
}

const show = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));
