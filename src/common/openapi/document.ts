import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { PARAMETER_EXAMPLES } from './examples.js';
import { IDEMPOTENCY_KEY, KEY_PATTERN, MAX_KEY_LENGTH, REPLAYED } from '../idempotency/idempotency.interceptor.js';
import type { ErrorCode } from '../errors/codes.js';
import { codesOf, ERROR_SCHEMAS, errorResponses } from './error-responses.js';
import { BEARER, BODY_EXAMPLE, IDEMPOTENT, OWN_CODES, OWN_ID, TAGGED } from './operation.js';

type Schema = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
  'x-extension'?: true;
}
interface Success {
  headers?: Record<string, Schema>;
}
interface OperationObject {
  operationId: string;
  summary: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, unknown>;
  [BODY_EXAMPLE]?: object;
  [IDEMPOTENT]?: boolean;
  [OWN_CODES]?: readonly ErrorCode[];
  [OWN_ID]?: true;
  'x-required-role'?: 'company';
  [TAGGED]?: true;
  'x-required-access'?: 'read';
  security?: object[];
}

const DESCRIPTION = `Projects with an agent chat, a canvas, files, deployments, skills, usage and solve executions.

Every operation under \`/api/v1\` takes \`Authorization: Bearer <token>\` and returns JSON. Date-times are UTC with
milliseconds. Listings take \`limit\` and \`offset\` and return the exact \`total\`. Additions to the documented
interface are marked \`x-extension\`.

**Errors.** Failed validation is 422 with an array of problems and their locations. Every other error is
\`{"detail": "<sentence>", "code": "<code>"}\`, where \`code\` is a value of \`ErrorCode\`. Each response lists its possible
codes. The service's log contains the \`X-Request-Id\` of each response. Before routing, a request can also fail with 404, 405
(with \`Allow\`), 408, 414 (URLs above 8 KiB) and 431 (more than 16 KiB of headers).

**To begin**, press _Authorize_, then try _Get the caller_, _List projects_, and _Post chat message_ followed by _Get chat
sync_. The examples use the demo data that the first local start creates.`;

/** Groups of operations in Swagger UI. The groups for the first steps come first. */
const GROUPS: Record<string, string> = {
  Identity: 'The caller and its API keys. Begin with _Get the caller_.',
  Projects: 'Projects, their snapshots and their live events.',
  Members: 'Members of a project and their roles.',
  Canvas: 'The cards that form a project’s model.',
  Solving: 'Solve executions, their plans, values and logs.',
  Scenarios: 'Named sets of changes to a canvas, solved separately and compared with it.',
  Chat:
    'Conversations with the agent. A post is accepted immediately, and its turn runs in the background. ' +
    'Follow the turn with sync or the stream.',
  'Skills and agent configuration': 'Instructions and skills of the agent, in deployments and projects.',
  Deployments: 'Templates of a company for new projects. Only company-level callers can change them.',
  Files:
    'Files of a workspace, a deployment or a snapshot, selected by `source`. Files are uploaded in parts, to signed URLs.',
  Usage: 'Spend in credits.',
  Webhooks: 'Webhooks for events of the company, signed according to the Standard Webhooks specification.',
  Health: 'State of the service and its dependencies, for operators.',
};

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const validationResponse: Schema = {
  description: 'Validation Error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/HTTPValidationError' } } },
};

/** Response bodies of validation errors, as documented by FastAPI. */
const validationSchemas: Record<string, Schema> = {
  HTTPValidationError: {
    properties: { detail: { items: { $ref: '#/components/schemas/ValidationError' }, type: 'array', title: 'Detail' } },
    type: 'object',
    title: 'HTTPValidationError',
  },
  ValidationError: {
    properties: {
      loc: { items: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, type: 'array', title: 'Location' },
      msg: { type: 'string', title: 'Message' },
      type: { type: 'string', title: 'Error Type' },
      input: { title: 'Input' },
      ctx: { type: 'object', title: 'Context' },
    },
    type: 'object',
    required: ['loc', 'msg', 'type'],
    title: 'ValidationError',
  },
};

/**
 * Builds the OpenAPI document in FastAPI's style. Operation ids consist of name, path and method. Parameters and models have
 * titles, and every operation with input documents 422.
 */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Project Workspace Service')
      .setDescription(DESCRIPTION)
      .setVersion('1')
      .addServer('/')
      .addSecurity(BEARER, { type: 'http', scheme: 'bearer' })
      .build(),
    { operationIdFactory: (_controller, method) => method, autoTagControllers: false },
  );
  const components = (document.components ??= {});
  const responses: Record<string, object> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method] as OperationObject | undefined;
      if (operation !== undefined) complete(operation, path, method, responses);
    }
  }
  document.tags = Object.entries(GROUPS).map(([name, description]) => ({ name, description }));
  components.responses = responses as typeof components.responses;
  const schemas = (components.schemas ??= {});
  for (const [name, schema] of Object.entries(schemas as Record<string, Schema>)) {
    schema['title'] ??= name;
    for (const property of Object.values((schema['properties'] ?? {}) as Record<string, Schema>)) unwrap(property);
  }
  Object.assign(schemas, validationSchemas, ERROR_SCHEMAS);
  markExtensions(document);
  return sorted(document);
}

/** @param shared collects the error responses that the operation refers to */
function complete(operation: OperationObject, path: string, method: string, shared: Record<string, object>): void {
  const name = operation.operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  operation.operationId = `${name}${path}`.replace(/\W/g, '_') + `_${method}`;
  const ownId = operation[OWN_ID] === true ? path.match(/\{(\w+)\}[^{]*$/)?.[1] : undefined;
  delete operation[OWN_ID];
  for (const parameter of operation.parameters ?? []) {
    parameter.schema['title'] ??= titleOf(parameter.name);
    const example = PARAMETER_EXAMPLES[parameter.name];
    if (parameter.required === true && example !== undefined && parameter.name !== ownId) parameter.example = example;
  }
  for (const content of Object.values(operation.requestBody?.content ?? {})) content.example = operation[BODY_EXAMPLE];
  delete operation[BODY_EXAMPLE];
  const isIdempotent = operation[IDEMPOTENT] === true;
  if (isIdempotent) addKey(operation);
  delete operation[IDEMPOTENT];
  const own = operation[OWN_CODES] ?? [];
  delete operation[OWN_CODES];
  const isTagged = operation[TAGGED] === true;
  if (isTagged) documentTags(operation, method);
  delete operation[TAGGED];
  // Public operations access no domain data, so they cannot return these errors.
  operation.security ??= [];
  if (operation.security.length === 0) return;
  const isConditional = isTagged && method !== 'get' && method !== 'post';
  const codes = codesOf({
    own: isConditional ? [...own, 'precondition_failed'] : own,
    path,
    method,
    takesBody: operation.requestBody !== undefined,
    onlyReads: method === 'get' || operation['x-required-access'] === 'read',
    isForCompany: operation['x-required-role'] === 'company',
    isIdempotent,
  });
  for (const { status, name, response } of errorResponses(codes)) {
    shared[name] = response;
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (operation.requestBody !== undefined || (operation.parameters ?? []).length > 0)
    operation.responses['422'] ??= validationResponse;
}

/** Documents the headers of requests with an `Idempotency-Key`. */
function addKey(operation: OperationObject): void {
  (operation.parameters ??= []).push(IDEMPOTENCY_PARAMETER);
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status.startsWith('2')) ((response as Success).headers ??= {})[REPLAYED] = REPLAYED_HEADER;
  }
}

const IDEMPOTENCY_PARAMETER: Parameter = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'A unique value, such as a UUID, for each action. Repeating the request within 24 hours returns the first ' +
    'successful response without repeating the action. Returns 409 if the body differs, and 409 with `Retry-After` ' +
    'while the first request runs.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH, pattern: KEY_PATTERN, title: IDEMPOTENCY_KEY },
  'x-extension': true,
};

const REPLAYED_HEADER = {
  description: 'Present if this is the response to an earlier request with the same `Idempotency-Key`',
  schema: { type: 'string', enum: ['true'] },
  'x-extension': true,
};

/** Documents an operation's ETag and its conditional headers. */
function documentTags(operation: OperationObject, method: string): void {
  const { responses } = operation;
  const parameters = (operation.parameters ??= []);
  for (const [status, response] of Object.entries(responses) as [string, { content?: unknown; headers?: object }][])
    if (status.startsWith('2') && response.content !== undefined)
      response.headers = { ...response.headers, ETag: ETAG };
  if (method === 'get') {
    parameters.push(
      conditionHeader('If-None-Match', 'The ETag that you last read. Returns 304 if it has not changed since.'),
    );
    responses['304'] = {
      description: 'Not changed since the ETag in `If-None-Match`',
      headers: { ETag: ETAG },
      'x-extension': true,
    };
  } else if (method !== 'post') {
    const description = 'The ETag that you last read, or `*` for any version. Returns 412 if it has changed since.';
    parameters.push(conditionHeader('If-Match', description));
  }
}

const ETAG = {
  description: 'Version of the response. Changes whenever the response changes',
  schema: { type: 'string' },
  'x-extension': true,
};

const conditionHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  required: false,
  schema: { type: 'string', title: name },
  'x-extension': true,
});

/**
 * Replaces `allOf` or `anyOf` with its only schema. The empty schema replaces all alternatives, because it allows every value
 * including null.
 */
function unwrap(property: Schema): void {
  for (const key of ['allOf', 'anyOf']) {
    const options = (property[key] ?? []) as Schema[];
    const only = options.length === 1 ? options[0] : options.find((option) => Object.keys(option).length === 0);
    if (only === undefined) continue;
    delete property[key];
    Object.assign(property, only);
  }
}

const titleOf = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Marks schemas that only undocumented operations and properties use as extensions. */
function markExtensions(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const documented = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null || (node as Schema)['x-extension'] === true) return;
    for (const [key, value] of Object.entries(node)) {
      if (key !== '$ref') visit(value);
      else {
        const name = String(value).replace('#/components/schemas/', '');
        if (documented.has(name)) continue;
        documented.add(name);
        visit(schemas[name]);
      }
    }
  };
  visit(document.paths);
  for (const [name, schema] of Object.entries(schemas)) if (!documented.has(name)) schema['x-extension'] = true;
}

/** Sorts paths and schemas by name, so that the committed document changes only if the interface changes. */
function sorted(document: OpenAPIObject): OpenAPIObject {
  const byName = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
  return {
    ...document,
    paths: byName(document.paths),
    components: {
      ...document.components,
      responses: byName(document.components?.responses ?? {}),
      schemas: byName(document.components?.schemas ?? {}),
    },
  };
}
