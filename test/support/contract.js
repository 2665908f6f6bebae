import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/*
 * Service tests load this module with Node rather than Jest, so that each Jest process compiles the schemas only once.
 */

/** Returns whether the router rejected the path or method, which the document does not list. */
const isRoutingError = (operation, status) => operation === undefined && (status === 404 || status === 405);
/** The only date-time format of this service. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RESPONSES = '#/components/responses/';
const SENTENCE = {
  type: 'object',
  properties: { detail: { type: 'string', minLength: 1 }, code: { enum: ['path_not_found', 'method_not_allowed'] } },
  required: ['detail', 'code'],
  additionalProperties: false,
};

/**
 * Checks responses against an OpenAPI document. Rejects properties that the document does not list, except in
 * free-form objects.
 */
export class Contract {
  #ajv = new Ajv2020({ allErrors: true, strictTypes: false, allowUnionTypes: true });
  #routes;
  #responses;
  #compiled = new Map();

  constructor({ paths, components }) {
    this.#ajv.addVocabulary(['x-extension', 'x-enum-varnames', 'example', 'discriminator']);
    this.#ajv.addFormat('date-time', DATE_TIME);
    this.#responses = components.responses ?? {};
    for (const [name, schema] of Object.entries(components.schemas)) this.#ajv.addSchema(closed(schema), name);
    // Literal path segments take precedence over parameters, as in the router.
    this.#routes = Object.entries(paths)
      .sort(([a], [b]) => (a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1))
      .map(([template, methods]) => ({ pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`), methods }));
  }

  /** @throws Error that names the part of the response that the document does not allow */
  check(answer) {
    const problems = this.#problems(answer);
    if (problems.length === 0) return;
    const { method, path, status, text } = answer;
    throw new Error(
      `${method} ${path} answered ${status} against openapi.json:\n  ${problems.join('\n  ')}\n  ${text.slice(0, 2000)}`,
    );
  }

  #problems({ method, path, status, contentType, text }) {
    const name = method.toLowerCase();
    // `PATCH .../scenarios/solve` updates the scenario named "solve", because the literal path only supports another
    // method.
    const operation = this.#routes.find(({ pattern, methods }) => name in methods && pattern.test(path))?.methods[name];
    const named = operation?.responses[String(status)];
    const declared = named?.$ref === undefined ? named : this.#responses[named.$ref.replace(RESPONSES, '')];
    if (declared === undefined && !isRoutingError(operation, status)) return ['the status is not declared'];
    if (declared !== undefined && declared.content === undefined)
      return text === '' ? [] : ['the answer has no body by the document'];
    if (contentType !== 'application/json') return [`content-type is ${contentType}`];
    const schema = declared === undefined ? SENTENCE : declared.content?.['application/json']?.schema;
    if (schema === undefined) return ['the document declares another content type'];
    const validate = this.#validator(schema);
    const body = JSON.parse(text);
    if (!validate(body)) return (validate.errors ?? []).map(describe);
    const codes = declared?.['x-error-codes'];
    return codes === undefined || codes.includes(body.code) ? [] : [`the code ${body.code} is not declared`];
  }

  #validator(schema) {
    const key = JSON.stringify(schema);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const made = this.#ajv.compile(closed(schema));
    this.#compiled.set(key, made);
    return made;
  }
}

let contract;

/** Returns the contract of the committed document. */
export function committedContract() {
  contract ??= new Contract(JSON.parse(readFileSync('openapi.json', 'utf8')));
  return contract;
}

/** Resolves references to shared components and rejects properties that the schema does not list. */
function closed(node) {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  if ('allOf' in node) throw new Error('allOf cannot be closed against unknown properties part by part');
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === '$ref') return [key, String(value).replace('#/components/schemas/', '')];
      if (key === 'properties')
        return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]))];
      return ['enum', 'const', 'default', 'example', 'examples', 'required'].includes(key)
        ? [key, value]
        : [key, closed(value)];
    }),
  );
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function describe({ instancePath, message, params }) {
  return `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`;
}
