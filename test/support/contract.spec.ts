import { describe, expect, it } from '@jest/globals';
import { Contract } from './contract.js';

const contract = new Contract({
  paths: {
    '/things': {
      get: {
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
      },
    },
    '/things/{id}': { delete: { responses: { 204: {} } } },
    '/things/count': { get: { responses: { 204: {} } } },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        title: 'Thing',
        properties: {
          name: { type: 'string', example: 'a', 'x-extension': true },
          made_at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
          inner: { $ref: '#/components/schemas/Inner' },
          data: { type: 'object', additionalProperties: true },
        },
        required: ['name'],
      },
      Inner: { type: 'object', properties: { size: { type: 'integer' } } },
    },
  },
});

const answer = (body: unknown, rest = {}) => ({
  method: 'GET',
  path: '/things',
  status: 200,
  contentType: 'application/json',
  text: JSON.stringify(body),
  ...rest,
});
const checking =
  (...given: Parameters<typeof answer>) =>
  () =>
    contract.check(answer(...given));

describe('Contract', () => {
  it('accepts responses that the document allows, including objects with free-form keys', () => {
    const body = { name: 'a', made_at: '2026-01-02T03:04:05.678Z', inner: { size: 1 }, data: { any: ['thing'] } };
    expect(checking(body)).not.toThrow();
    expect(checking({ name: 'a', made_at: null })).not.toThrow();
    expect(checking({ detail: 'Not Found', code: 'path_not_found' }, { path: '/nothing', status: 404 })).not.toThrow();
    expect(
      checking({ detail: 'Method Not Allowed', code: 'method_not_allowed' }, { method: 'PUT', status: 405 }),
    ).not.toThrow();
    expect(
      checking(null, { method: 'DELETE', path: '/things/1', status: 204, contentType: null, text: '' }),
    ).not.toThrow();
    // The literal path has no DELETE, so this request deletes the item named `count`.
    expect(
      checking(null, { method: 'DELETE', path: '/things/count', status: 204, contentType: null, text: '' }),
    ).not.toThrow();
  });

  it.each([
    ['an unknown property', { name: 'a', extra: 1 }],
    ['an unknown nested property', { name: 'a', inner: { size: 1, extra: 1 } }],
    ['a missing property', {}],
    ['a wrong type', { name: 5 }],
    ['a null for a property that is not nullable', { name: null }],
    ['a date-time without milliseconds', { name: 'a', made_at: '2026-01-02T03:04:05Z' }],
  ])('rejects a body with %s', (_, body) => {
    expect(checking(body)).toThrow('against openapi.json');
  });

  it.each([
    ['an undeclared status', { name: 'a' }, { status: 201 }],
    ['status 500', { detail: 'Internal Server Error' }, { status: 500 }],
    ['an undeclared error', { detail: 'Thing not found' }, { status: 404 }],
    ['additional properties in an error', { detail: 'No', code: 1 }, { path: '/nothing', status: 404 }],
    ['an undeclared content type', { name: 'a' }, { contentType: 'text/html' }],
    ['an undeclared body', {}, { method: 'DELETE', path: '/things/1', status: 204 }],
  ])('rejects a response with %s', (_, body, rest) => {
    expect(checking(body, rest)).toThrow('against openapi.json');
  });
});
