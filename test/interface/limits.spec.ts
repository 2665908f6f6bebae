import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Schema {
  $ref?: string;
  type?: string;
  anyOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  maxProperties?: number;
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns the arrays and free-form objects in request bodies that have no limit on their size. */
function unbounded({ paths, components: { schemas } }: Document): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (schema: Schema, place: string): void => {
    const name = schema.$ref?.split('/').pop();
    if (name !== undefined) {
      if (!seen.has(name)) visit(schemas[name] ?? {}, name);
      seen.add(name);
      return;
    }
    for (const choice of schema.anyOf ?? []) visit(choice, place);
    if (schema.items !== undefined) {
      if (schema.maxItems === undefined) found.push(`${place}[]`);
      visit(schema.items, `${place}[]`);
    }
    if (schema.additionalProperties !== undefined) {
      if (schema.maxProperties === undefined) found.push(`${place}{}`);
      if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${place}{}`);
    }
    for (const [key, property] of Object.entries(schema.properties ?? {})) visit(property, `${place}.${key}`);
  };
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(item)) {
      if (requestBody !== undefined) visit(requestBody.content['application/json'].schema, `${method} ${path}`);
    }
  }
  return found;
}

const read = (): Document => JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

describe('limits of openapi.json', () => {
  it('apply to all arrays and objects that clients send', () => expect(unbounded(read())).toEqual([]));

  it.each(['MovePair', 'SkillWriteRequest', 'AskUserQuestionAnswer'])(
    'are reported as missing for an unlimited array and object in %s',
    (name) => {
      const document = read();
      const schema = document.components.schemas[name] ?? {};
      schema.properties = {
        ...schema.properties,
        list: { type: 'array', items: { type: 'string' } },
        map: { anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] },
      };
      expect(unbounded(document)).toEqual([`${name}.list[]`, `${name}.map{}`]);
    },
  );
});
