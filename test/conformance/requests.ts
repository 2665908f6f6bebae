import type { Operation } from '../interface/interface.js';
import {
  boolean,
  choice,
  count,
  type Field,
  integer,
  list,
  moment,
  object,
  optional,
  orNull,
  required,
  text,
  texts,
  word,
} from './kinds.js';

/**
 * Documented request with the values that each field accepts, and with FastAPI's response to each kind of invalid
 * value.
 *
 * The list is written by hand, as is the interface table that it is compared with.
 */
export interface Request {
  /** Name in the interface table. */
  operation: Operation['name'];
  method: string;
  /** Path below `/api/v1`, with `{project_id}`, `{skill}` and `{name}`. */
  path: string;
  part: 'body' | 'query';
  /** Request that passes validation. The string `{project_id}` is replaced with the id of the project. */
  valid: Record<string, unknown>;
  /** Fields in the order of their declaration. */
  fields: Record<string, Field>;
}

const source = required(choice(['workspace'], 'deployment', 'workspace', 'snapshot'));
const identifier = optional(orNull(text()));
/** In these requests, `project_id` identifies the workspace, so it cannot be null. */
const identifiers = {
  deployment_name: identifier,
  project_id: { ...identifier, fine: [] },
  snapshot_id: identifier,
};
const workspace = { source: 'workspace', project_id: '{project_id}' };
const path = required(text({ min: 1 }));
const name = text({ min: 1, max: 100, fine: [' '] });
const page = { limit: optional(count({ min: 1, max: 1000 })), offset: optional(count({ min: 0 })) };
const conversation = optional(word);

export const requests: Request[] = [
  { operation: 'List projects', method: 'GET', path: '/projects', part: 'query', valid: {}, fields: page },
  {
    operation: 'Update project',
    method: 'PATCH',
    path: '/projects/{project_id}',
    part: 'body',
    valid: {},
    fields: {
      name: optional(orNull(name)),
      description: optional(orNull(text({ fine: [''] }))),
      short_description: optional(orNull(text({ fine: [''] }))),
      workspace_mode: optional(orNull(choice(['define', 'run'], 'define', 'run'))),
    },
  },
  {
    operation: 'List solve executions',
    method: 'GET',
    path: '/projects/{project_id}/solve/executions',
    part: 'query',
    valid: {},
    fields: page,
  },
  {
    operation: 'Post chat message',
    method: 'POST',
    path: '/projects/{project_id}/chat',
    part: 'body',
    valid: { content: 'Hello' },
    fields: {
      content: required(text({ max: 100_000, fine: [''] })),
      conversation_id: optional(orNull(text())),
      client_msg_id: optional(orNull(text())),
      file_ids: optional(list(text(), 'a')),
      context: optional(
        list(object({ id: required(text()), type: required(text()) }, { id: 'a', type: 'b' }), { id: 'a', type: 'b' }),
      ),
      // The valid structure of `selections` depends on the open question.
      answer: optional(orNull(object({ other_text: optional(text()) }, { other_text: 'a' }))),
    },
  },
  {
    operation: 'Get chat history',
    method: 'GET',
    path: '/projects/{project_id}/chat',
    part: 'query',
    valid: {},
    fields: { conversation_id: conversation, ...page },
  },
  {
    operation: 'Get chat sync',
    method: 'GET',
    path: '/projects/{project_id}/chat/sync',
    part: 'query',
    valid: {},
    fields: { conversation_id: conversation, limit: page.limit },
  },
  {
    operation: 'Put project skill',
    method: 'PUT',
    path: '/projects/{project_id}/skills/{skill}',
    part: 'body',
    valid: { files: { 'SKILL.md': 'A skill.' } },
    fields: { files: required(texts({ 'SKILL.md': 'A skill.' })) },
  },
  {
    operation: 'Pull agent config',
    method: 'POST',
    path: '/projects/{project_id}/agent-config/pull',
    part: 'body',
    valid: {},
    fields: { from_deployment: optional(text()), instructions: optional(boolean), skills: optional(boolean) },
  },
  {
    operation: 'Put deployment instructions',
    method: 'PUT',
    path: '/deployments/{name}/instructions',
    part: 'body',
    valid: { content: 'Instructions.' },
    fields: { content: required(text({ min: 1, fine: [' ', '😀'] })) },
  },
  { operation: 'List deployments', method: 'GET', path: '/deployments', part: 'query', valid: {}, fields: page },
  {
    operation: 'Create deployment',
    method: 'POST',
    path: '/deployments',
    part: 'body',
    valid: { name: 'A deployment' },
    fields: { name: required(name) },
  },
  {
    operation: 'Complete upload',
    method: 'POST',
    path: '/files/upload/complete',
    part: 'body',
    valid: { ...workspace, upload_token: 'none' },
    fields: {
      source,
      upload_token: required(text({ min: 1, fine: [' '] })),
      parts: optional(
        list(object({ etag: required(text()), part_number: required(integer) }, { etag: 'e', part_number: 1 }), {
          etag: 'e',
          part_number: 1,
        }),
      ),
      conversation_id: identifier,
      ...identifiers,
    },
  },
  {
    operation: 'Make directory',
    method: 'POST',
    path: '/files/mkdir',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path: required(text({ fine: [''] })), ...identifiers },
  },
  {
    operation: 'Read content',
    method: 'POST',
    path: '/files/content',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path, ...identifiers },
  },
  {
    operation: 'Delete file',
    method: 'POST',
    path: '/files/delete',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path, recursive: optional(boolean), conversation_id: identifier, ...identifiers },
  },
  {
    operation: 'Batch move',
    method: 'POST',
    path: '/files/batch-move',
    part: 'body',
    valid: { ...workspace, moves: [] },
    fields: {
      source,
      moves: required(
        list(
          object({ source_path: path, dest_path: path }, { source_path: 'a', dest_path: 'b' }),
          { source_path: 'a', dest_path: 'b' },
          { max: 1000 },
        ),
      ),
      ...identifiers,
    },
  },
  {
    operation: 'Batch delete',
    method: 'POST',
    path: '/files/batch-delete',
    part: 'body',
    valid: { ...workspace, paths: [] },
    fields: { source, paths: optional(list(text(), 'a', { max: 1000 })), ...identifiers },
  },
  {
    operation: 'List usage by user',
    method: 'GET',
    path: '/usage/users',
    part: 'query',
    valid: {},
    fields: { ...page, since: optional(moment()), until: optional(moment()) },
  },
];
