import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createConfig, lint } from '@redocly/openapi-core';

/** Returns each schema below `node` that code generators reject or ignore, with its location. */
function unusableSchemas(node: unknown, at = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, items, anyOf, allOf, ...schema } = node as Partial<Record<'anyOf' | 'allOf', object[]>> & {
    type?: unknown;
    items?: unknown;
    enum?: unknown[];
    'x-enum-varnames'?: string[];
  };
  const names = schema['x-enum-varnames'] ?? (Array.isArray(schema.enum) ? schema.enum.map(String) : []);
  return [
    ...(type === 'array' && items === undefined ? [`${at}: an array without items`] : []),
    ...(Array.isArray(type) ? [`${at}: several types in one schema`] : []),
    ...(anyOf?.some((option) => Object.keys(option).length === 0) ? [`${at}: an alternative without a type`] : []),
    ...([anyOf, allOf].some((options) => options?.length === 1) ? [`${at}: a composition of one schema`] : []),
    ...(names.every((name) => name.trim() !== '') ? [] : [`${at}: an enum value without a name`]),
    ...Object.entries(node).flatMap(([key, value]) =>
      ['example', 'examples', 'enum', 'default'].includes(key) ? [] : unusableSchemas(value, `${at}/${key}`),
    ),
  ];
}

describe('openapi.json', () => {
  it('follows the recommended rules of Redocly', async () => {
    // Health checks take no input, and the service's license is not an open-source license.
    const rules = { 'info-license': 'off', 'operation-4xx-response': 'off' } as const;
    const problems = await lint({
      ref: 'openapi.json',
      config: await createConfig({ extends: ['recommended'], rules }),
    });
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });
});

describe('schemas of openapi.json', () => {
  it('can all be read by code generators', () => {
    expect(unusableSchemas(JSON.parse(readFileSync('openapi.json', 'utf8')))).toEqual([]);
  });

  it('leave out the type of properties that allow any value', () => {
    const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> };
    };
    const any = (schema: string, property: string) => components.schemas[schema]?.properties[property];
    for (const schema of ['ToolCallData', 'ContentSegmentData'])
      expect(any(schema, 'result')).toEqual({ title: 'Result', description: expect.any(String) });
    for (const schema of ['QueryResponse', 'TableResponse'])
      expect(any(schema, 'rows')).toMatchObject({ type: 'array', items: { type: 'array', items: {} } });
  });

  it.each([
    [{ type: 'array' }, '/rows: an array without items'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '/rows/items: several types in one schema'],
    [{ type: 'array', items: { type: 'array' } }, '/rows/items: an array without items'],
    [{ anyOf: [{}, { type: 'null' }] }, '/rows: an alternative without a type'],
    [{ anyOf: [{ anyOf: [{ type: 'string' }] }, { type: 'null' }] }, '/rows/anyOf/0: a composition of one schema'],
    [{ enum: [',', ' '] }, '/rows: an enum value without a name'],
    [{ enum: ['a', ''] }, '/rows: an enum value without a name'],
    [{ anyOf: [{ enum: ['  ', '"'] }, { type: 'null' }] }, '/rows/anyOf/0: an enum value without a name'],
    [{ allOf: [{ $ref: '#/components/schemas/Row' }] }, '/rows: a composition of one schema'],
  ])('are reported as unusable: %j', (schema, problem) => expect(unusableSchemas({ rows: schema })).toEqual([problem]));
});
