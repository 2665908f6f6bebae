import type { ApiKeyCreateResponse } from '../../src/platform/auth/api-keys/api-keys.dto.js';
import type { ConversationResponse } from '../../src/chat/conversations.dto.js';
import type { CardResponse } from '../../src/projects/canvas/canvas.dto.js';
import type { SnapshotResponse } from '../../src/projects/snapshots.dto.js';
import type { ScenarioResponse } from '../../src/scenarios/scenarios.dto.js';
import { makeDeployment, makeProject, sendParts } from '../factories/make.js';
import type { Client } from '../support/client.js';

/** Ids of what a company has; the names of all of it hold its `mark`. */
export interface World {
  mark: string;
  /** Company-level user. */
  owner: Client;
  member: Client;
  project_id: string;
  /** Handle. */
  name: string;
  skill: string;
  conversation_id: string;
  card_id: string;
  snapshot_id: string;
  /** Without changes. */
  scenario_id: string;
  /** Over. */
  execution_id: string;
  /** Of the member. */
  api_key_id: string;
  upload_token: string;
}

/** Who asks, in the order of the statuses of a row. The keys are made by a company-level user. */
export const CALLERS = ['member', 'company', 'member key', 'company key', 'another company'] as const;

/** A request and the statuses that it is answered with, by caller. */
export interface Row {
  statuses: readonly [number, number, number, number, number];
  body?: (world: World) => object;
  query?: Record<string, string>;
  /** What the request uses up, made anew for each. */
  fresh?: (world: World) => Promise<Partial<World>>;
}

const row = (...statuses: Row['statuses']): Row => ({ statuses });
const workspace = ({ project_id }: World) => ({ source: 'workspace' as const, project_id });
const template = ({ name }: World) => ({ source: 'deployment' as const, deployment_name: name });
let count = 0;
const unique = (): string => `n${(count += 1)}`;

/** Everybody in the company may; others see nothing. */
const shared = (status = 200): Row => row(status, status, status, status, 404);
/** For company-level callers. */
const guarded = (status = 200): Row => row(403, status, 403, status, 404);
const upload = (place: typeof workspace | typeof template) => async (world: World) => {
  const { upload_token } = await sendParts(world.owner, place(world), `${world.mark}/${unique()}`, Buffer.from('x'));
  return { upload_token };
};
const files = { 'SKILL.md': 'Text' };

/** What needs no credential. */
export const PUBLIC = ['GET /health/live', 'GET /health/ready'];

/**
 * Every operation with what it is answered. Written by hand from what the service promises: an operation that is not here
 * fails the test.
 */
export const TABLE: Record<string, Row | Row[]> = {
  // Identity: a key makes no keys, and reaches itself alone unless it is company-level.
  'GET /api/v1/me': row(200, 200, 200, 200, 200),
  'GET /api/v1/api-keys': row(200, 200, 200, 200, 200),
  'POST /api/v1/api-keys': [
    { ...row(201, 201, 403, 403, 201), body: () => ({ name: unique() }) },
    { ...row(403, 201, 403, 403, 201), body: () => ({ name: unique(), role: 'company' }) },
  ],
  'DELETE /api/v1/api-keys/{api_key_id}': [
    { ...row(204, 204, 404, 204, 404), fresh: ({ member }) => makeKey(member) },
    { ...row(404, 204, 404, 204, 404), fresh: ({ owner }) => makeKey(owner) },
  ],

  // Projects: everybody in the company works on all of them.
  'GET /api/v1/projects': row(200, 200, 200, 200, 200),
  'POST /api/v1/projects': { ...shared(201), body: ({ name, mark }) => ({ name: mark, from_deployment: name }) },
  'GET /api/v1/projects/{project_id}': shared(),
  'PATCH /api/v1/projects/{project_id}': { ...shared(), body: () => ({ short_description: 'Changed' }) },
  'DELETE /api/v1/projects/{project_id}': { ...shared(204), fresh: makeAnotherProject },
  'GET /api/v1/projects/{project_id}/solve/executions': shared(),
  'POST /api/v1/projects/{project_id}/solve/executions': { ...shared(201), body: () => ({ is_test: true }) },
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}': shared(),
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/log': shared(),
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/cards': shared(),
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/repeat': shared(201),
  // One that is over, and has no plan.
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/values': {
    ...shared(409),
    query: { family: 'x' },
  },
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/cancel': shared(409),
  'POST /api/v1/projects/{project_id}/snapshots': { ...shared(201), fresh: makeAnotherProject },
  'GET /api/v1/projects/{project_id}/snapshots': shared(),
  'DELETE /api/v1/projects/{project_id}/snapshots/{snapshot_id}': {
    ...shared(204),
    fresh: async ({ owner }) => {
      const { id: project_id } = await makeProject(owner);
      const { id: snapshot_id } = await owner.post<SnapshotResponse>(`/projects/${project_id}/snapshots`);
      // The current one cannot be deleted.
      await owner.post(`/projects/${project_id}/snapshots`);
      return { project_id, snapshot_id };
    },
  },
  'POST /api/v1/projects/{project_id}/scenarios': { ...shared(201), body: () => ({ name: unique(), changes: [] }) },
  'GET /api/v1/projects/{project_id}/scenarios': shared(),
  'GET /api/v1/projects/{project_id}/scenarios/compare': shared(),
  'POST /api/v1/projects/{project_id}/scenarios/solve': {
    ...shared(201),
    body: ({ scenario_id }) => ({ scenario_ids: [scenario_id] }),
  },
  'GET /api/v1/projects/{project_id}/scenarios/{scenario_id}': shared(),
  'PATCH /api/v1/projects/{project_id}/scenarios/{scenario_id}': {
    ...shared(),
    body: () => ({ description: 'Changed' }),
  },
  'DELETE /api/v1/projects/{project_id}/scenarios/{scenario_id}': {
    ...shared(204),
    fresh: async ({ owner, project_id }) => {
      const body = { name: unique(), changes: [] };
      const { id: scenario_id } = await owner.post<ScenarioResponse>(`/projects/${project_id}/scenarios`, body);
      return { scenario_id };
    },
  },
  'GET /api/v1/projects/{project_id}/cards': shared(),
  'POST /api/v1/projects/{project_id}/cards': {
    ...shared(201),
    body: () => ({ card_type: 'kpi', label: unique() }),
  },
  'PATCH /api/v1/projects/{project_id}/cards/{card_id}': {
    ...shared(),
    body: () => ({ version: 1, data: { unit: 'h' } }),
    fresh: makeCard,
  },
  'DELETE /api/v1/projects/{project_id}/cards/{card_id}': { ...shared(204), fresh: makeCard },

  // Chat.
  'POST /api/v1/projects/{project_id}/chat': {
    ...shared(202),
    body: ({ mark }) => ({ content: mark }),
    fresh: makeAnotherProject,
  },
  'GET /api/v1/projects/{project_id}/chat': shared(),
  'GET /api/v1/projects/{project_id}/chat/sync': shared(),
  'GET /api/v1/projects/{project_id}/chat/stream': shared(),
  'POST /api/v1/projects/{project_id}/chat/stop': { ...shared(), body: () => ({}) },
  'GET /api/v1/projects/{project_id}/conversations': shared(),
  'POST /api/v1/projects/{project_id}/conversations': { ...shared(201), body: () => ({}) },
  'PATCH /api/v1/projects/{project_id}/conversations/{conversation_id}': {
    ...shared(),
    body: ({ mark }) => ({ title: mark }),
  },
  'DELETE /api/v1/projects/{project_id}/conversations/{conversation_id}': {
    ...shared(204),
    fresh: async ({ owner, project_id }) => {
      const { id } = await owner.post<ConversationResponse>(`/projects/${project_id}/conversations`, {});
      return { conversation_id: id };
    },
  },

  // Skills and agent configuration: the project's own are everybody's.
  'GET /api/v1/projects/{project_id}/skills': shared(),
  'GET /api/v1/projects/{project_id}/skills/{skill}': shared(),
  'PUT /api/v1/projects/{project_id}/skills/{skill}': { ...shared(), body: () => ({ files }) },
  'DELETE /api/v1/projects/{project_id}/skills/{skill}': {
    ...shared(204),
    fresh: async ({ owner, project_id }) => {
      const skill = unique();
      await owner.put(`/projects/${project_id}/skills/${skill}`, { files });
      return { skill };
    },
  },
  'GET /api/v1/projects/{project_id}/agent-config': shared(),
  'POST /api/v1/projects/{project_id}/agent-config/pull': {
    ...shared(),
    body: ({ name }) => ({ from_deployment: name }),
  },
  'POST /api/v1/projects/{project_id}/checkout': { ...shared(), body: ({ name }) => ({ from_deployment: name }) },

  // Deployments: everybody reads, company-level callers write.
  'GET /api/v1/deployments': row(200, 200, 200, 200, 200),
  'POST /api/v1/deployments': { ...row(403, 201, 403, 201, 201), body: () => ({ name: unique() }) },
  'GET /api/v1/deployments/{name}': shared(),
  'DELETE /api/v1/deployments/{name}': {
    ...guarded(204),
    fresh: async ({ owner }) => ({ name: (await makeDeployment(owner)).handle }),
  },
  'GET /api/v1/deployments/{name}/instructions': shared(),
  'PUT /api/v1/deployments/{name}/instructions': { ...guarded(), body: ({ mark }) => ({ content: mark }) },
  'GET /api/v1/deployments/{name}/skills': shared(),
  'GET /api/v1/deployments/{name}/skills/{skill}': shared(),
  'PUT /api/v1/deployments/{name}/skills/{skill}': { ...guarded(), body: () => ({ files }) },
  'DELETE /api/v1/deployments/{name}/skills/{skill}': {
    ...guarded(204),
    fresh: async ({ owner, name }) => {
      const skill = unique();
      await owner.put(`/deployments/${name}/skills/${skill}`, { files });
      return { skill };
    },
  },

  // Files: a workspace is everybody's, a deployment's is written by company-level callers.
  'POST /api/v1/files/mkdir': inBoth((place) => ({ body: (world) => ({ ...place(world), path: unique() }) })),
  'POST /api/v1/files/batch-move': inBoth((place) => ({
    body: (world) => ({ ...place(world), moves: [{ source_path: 'none', dest_path: 'other' }] }),
  })),
  'POST /api/v1/files/batch-delete': inBoth((place) => ({ body: (world) => ({ ...place(world), paths: ['none'] }) })),
  'POST /api/v1/files/delete': inBoth((place) => ({
    body: (world) => ({ ...place(world), path: world.skill }),
    fresh: async (world) => {
      const skill = unique();
      await world.owner.post('/files/mkdir', { ...place(world), path: skill });
      return { skill };
    },
  })),
  'POST /api/v1/files/list': [workspace, template].map((place) => ({
    ...shared(),
    body: (world) => ({ ...place(world), recursive: true }),
  })),
  'POST /api/v1/files/content': [workspace, template].map((place) => ({
    ...shared(),
    body: (world) => ({ ...place(world), path: 'notes.txt' }),
  })),
  'POST /api/v1/files/table': [workspace, template].map((place) => ({
    ...shared(),
    body: (world) => ({ ...place(world), path: 'notes.txt' }),
  })),
  'POST /api/v1/files/query': [workspace, template].map((place) => ({
    ...shared(),
    body: (world) => ({ ...place(world), tables: { notes: 'notes.txt' }, sql: 'FROM notes' }),
  })),
  'POST /api/v1/files/download': [workspace, template].map((place) => ({
    ...shared(),
    body: (world) => ({ ...place(world), path: 'notes.txt' }),
  })),
  'POST /api/v1/files/upload/start': inBoth(
    (place) => ({ body: (world) => ({ ...place(world), path: unique() }) }),
    201,
  ),
  'POST /api/v1/files/upload/complete': inBoth((place) => ({
    body: (world) => ({ ...place(world), upload_token: world.upload_token }),
    fresh: upload(place),
  })),
  'POST /api/v1/files/upload/parts': inBoth((place) => ({
    body: ({ upload_token }) => ({ upload_token, part_numbers: [2] }),
    fresh: upload(place),
  })),
  'POST /api/v1/files/upload/status': inBoth((place) => ({
    body: ({ upload_token }) => ({ upload_token }),
    fresh: upload(place),
  })),
  'POST /api/v1/files/upload/abort': inBoth(
    (place) => ({ body: ({ upload_token }) => ({ upload_token }), fresh: upload(place) }),
    204,
  ),

  // Usage: rows differ, not statuses.
  'GET /api/v1/usage/users': row(200, 200, 200, 200, 200),
  'GET /api/v1/usage/api-keys': row(200, 200, 200, 200, 200),
};

function inBoth(request: (place: typeof workspace | typeof template) => Omit<Row, 'statuses'>, status = 200): Row[] {
  return [
    { ...shared(status), ...request(workspace) },
    { ...guarded(status), ...request(template) },
  ];
}

async function makeAnotherProject({ owner, mark }: World): Promise<Partial<World>> {
  return { project_id: (await makeProject(owner, { name: mark })).id };
}

async function makeCard({ owner, project_id }: World): Promise<Partial<World>> {
  const card = await owner.post<CardResponse>(`/projects/${project_id}/cards`, { card_type: 'kpi', label: unique() });
  return { card_id: card.id };
}

async function makeKey(client: Client): Promise<Partial<World>> {
  return { api_key_id: (await client.post<ApiKeyCreateResponse>('/api-keys', { name: unique() })).id };
}
