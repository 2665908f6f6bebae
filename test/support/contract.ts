import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

type Schema = Record<string, unknown>;
interface Body {
  schema: Schema;
}
interface Response {
  content?: Record<string, Body>;
}
interface Operation {
  responses: Record<string, Response>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  method: string;
  /** Path without query. */
  path: string;
  status: number;
  contentType: string | null;
  text: string;
}

/** What is told where the document has no operation to declare it. */
const isRoutingError = (operation: Operation | undefined, status: number): boolean =>
  operation === undefined && (status === 404 || status === 405);
/** The one form of date-times in this service. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SENTENCE: Schema = {
  type: 'object',
  properties: { detail: { type: 'string', minLength: 1 } },
  required: ['detail'],
  additionalProperties: false,
};

/**
 * Checks answers against an OpenAPI document, more strictly than the document reads: properties that it does not name
 * are refused, except in free-form objects.
 */
export class Contract {
  private readonly ajv = new Ajv2020({ allErrors: true, strictTypes: false, allowUnionTypes: true });
  private readonly routes: { pattern: RegExp; methods: Record<string, Operation> }[];
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor({ paths, components }: Document) {
    this.ajv.addVocabulary(['x-extension', 'example', 'discriminator']);
    this.ajv.addFormat('date-time', DATE_TIME);
    for (const [name, schema] of Object.entries(components.schemas)) this.ajv.addSchema(closed(schema) as Schema, name);
    // Literal segments come before parameters, as the router has it.
    this.routes = Object.entries(paths)
      .sort(([a], [b]) => (a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1))
      .map(([template, methods]) => ({ pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`), methods }));
  }

  /** @throws Error that says what in the answer the document does not allow. */
  check(answer: WireAnswer): void {
    const problems = this.problems(answer);
    if (problems.length === 0) return;
    const { method, path, status, text } = answer;
    throw new Error(
      `${method} ${path} answered ${status} against openapi.json:\n  ${problems.join('\n  ')}\n  ${text.slice(0, 2000)}`,
    );
  }

  private problems({ method, path, status, contentType, text }: WireAnswer): string[] {
    const operation = this.routes.find(({ pattern }) => pattern.test(path))?.methods[method.toLowerCase()];
    const declared = operation?.responses[String(status)];
    if (declared === undefined && !isRoutingError(operation, status)) return ['the status is not declared'];
    if (declared !== undefined && declared.content === undefined)
      return text === '' ? [] : ['the answer has no body by the document'];
    if (contentType !== 'application/json') return [`content-type is ${contentType}`];
    const schema = declared === undefined ? SENTENCE : declared.content?.['application/json']?.schema;
    if (schema === undefined) return ['the document declares another content type'];
    const validate = this.validator(schema);
    return validate(JSON.parse(text)) ? [] : (validate.errors ?? []).map(describe);
  }

  private validator(schema: Schema): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const made = this.ajv.compile(closed(schema) as Schema);
    this.compiled.set(key, made);
    return made;
  }
}

let contract: Contract | undefined;

/** The contract of the committed document. */
export function committedContract(): Contract {
  contract ??= new Contract(JSON.parse(readFileSync('openapi.json', 'utf8')) as Document);
  return contract;
}

/** The schema with references to registered components, and no room for properties that it does not name. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const schema = node as Schema;
  if ('allOf' in schema) throw new Error('allOf cannot be closed against unknown properties part by part');
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === '$ref') return [key, String(value).replace('#/components/schemas/', '')];
      if (key === 'properties')
        return [key, Object.fromEntries(Object.entries(value as Schema).map(([name, one]) => [name, closed(one)]))];
      return ['enum', 'const', 'default', 'example', 'examples', 'required'].includes(key)
        ? [key, value]
        : [key, closed(value)];
    }),
  );
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function describe({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`;
}
