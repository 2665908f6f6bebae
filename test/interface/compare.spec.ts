import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { differences, type OpenApiDocument } from './compare.js';

type Tree = Record<string, unknown>;

/** Returns the committed document with a single change. The last element of `path` is the key to set or remove. */
function changed(path: string[], value?: unknown): OpenApiDocument {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApiDocument;
  const key = path.at(-1) as string;
  const parent = path.slice(0, -1).reduce((node, step) => node[step] as Tree, document as unknown as Tree);
  if (value === undefined) delete parent[key];
  else parent[key] = value;
  return document;
}

const PROJECT = ['components', 'schemas', 'ProjectResponse'];
const UPDATE = ['components', 'schemas', 'ProjectUpdate'];
const LIST = ['paths', '/api/v1/projects', 'get'];
const CHAT = ['paths', '/api/v1/projects/{project_id}/chat', 'post'];

describe('differences', () => {
  it.each([
    [[...PROJECT, 'properties', 'name'], undefined, 'schema ProjectResponse.name: missing'],
    [
      [...PROJECT, 'properties', 'colour'],
      { type: 'string', title: 'Colour' },
      'schema ProjectResponse.colour: not in the interface and not marked x-extension',
    ],
    [
      [...PROJECT, 'properties', 'name', 'x-extension'],
      true,
      'schema ProjectResponse.name: is marked x-extension, but the interface has it',
    ],
    [
      [...PROJECT, 'properties', 'name', 'title'],
      'name',
      'schema ProjectResponse.name title: is "name", should be "Name"',
    ],
    [
      [...PROJECT, 'properties', 'total_credits', 'default'],
      1,
      'schema ProjectResponse.total_credits default: is 1, should be 0',
    ],
    [
      [...PROJECT, 'properties', 'description'],
      { type: 'string', title: 'Description' },
      'schema ProjectResponse.description: is {"type":"string"}, should be {"anyOf":[{"type":"string"},{"type":"null"}]}',
    ],
    [
      [...PROJECT, 'properties', 'workspace_mode', 'enum'],
      ['define', 'walk'],
      'schema ProjectResponse.workspace_mode: is',
    ],
    [[...PROJECT, 'required'], ['id'], 'schema ProjectResponse.name required: is false, should be true'],
    [[...PROJECT, 'additionalProperties'], true, 'schema ProjectResponse: takes any keys'],
    [[...UPDATE, 'properties', 'name', 'anyOf', '0', 'maxLength'], 101, 'schema ProjectUpdate.name: is'],
    [[...UPDATE, 'required'], ['name'], 'schema ProjectUpdate.name required: is true, should be false'],
    [
      ['components', 'schemas', 'Added'],
      { type: 'object', title: 'Added', properties: {} },
      'schema Added: not in the interface and not marked x-extension',
    ],
    [
      ['components', 'schemas', 'Added'],
      { type: 'object', title: 'Added', 'x-extension': true },
      'schema Added: takes any keys',
    ],
    [[...LIST, 'description'], undefined, 'GET /api/v1/projects description: missing'],
    [
      [...CHAT, 'requestBody', 'content', 'application/json', 'example'],
      undefined,
      'POST /api/v1/projects/{project_id}/chat example: missing',
    ],
    [[...LIST], undefined, 'GET /api/v1/projects: missing (List projects)'],
    [[...LIST, 'x-extension'], true, 'GET /api/v1/projects: is marked x-extension, but the interface has it'],
    [[...LIST, 'security'], [], 'GET /api/v1/projects security: is []'],
    [[...LIST, 'parameters'], [], 'GET /api/v1/projects parameter limit: missing'],
    [[...LIST, 'responses', '422'], undefined, 'GET /api/v1/projects response 422: is absent'],
    [[...LIST, 'operationId'], 'listProjects', 'GET /api/v1/projects operationId: is "listProjects"'],
    [[...CHAT, 'responses', '202'], undefined, 'POST /api/v1/projects/{project_id}/chat response 202: is absent'],
    [
      [...CHAT, 'responses', '200'],
      { description: 'Another' },
      'POST /api/v1/projects/{project_id}/chat response 200: not in the interface and not marked x-extension',
    ],
    [[...CHAT, 'requestBody', 'required'], false, 'POST /api/v1/projects/{project_id}/chat requestBody: is'],
    [['openapi'], '3.0.0', 'openapi: is "3.0.0", should be "3.1.0"'],
  ])('reports a change to %j', (path, value, message) => {
    expect(differences(changed(path, value)).some((line) => line.startsWith(message))).toBe(true);
  });
});
