import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { SnapshotResponse } from '../../../src/projects/snapshots.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import type { BudgetResponse } from '../../../src/usage/budgets.dto.js';
import type { WebhookCreatedResponse } from '../../../src/webhooks/webhooks.dto.js';
import { makeDeployment, sendParts } from '../../factories/make.js';
import type { Client } from '../../support/client.js';

/** Ids of a company's data. All names contain the company's `mark`. */
export interface World {
  mark: string;
  /** Company-level user. */
  owner: Client;
  member: Client;
  project_id: string;
  visibility: 'company' | 'private';
  /** Handle of the deployment. */
  name: string;
  skill: string;
  conversation_id: string;
  card_id: string;
  snapshot_id: string;
  /** Scenario without any changes. */
  scenario_id: string;
  /** Execution that has already ended. */
  execution_id: string;
  /** API key created by the member. */
  api_key_id: string;
  budget_id: string;
  webhook_id: string;
  delivery_id: string;
  upload_token: string;
  /** User without a role in the project. */
  user_id: string;
  /** Creates another project with the same readers. */
  makeProject: () => Promise<string>;
  /** Creates another user known to the service. */
  makeUser: () => Promise<string>;
}

/**
 * Callers, in the order of the statuses in a row. The keys were created by the company-level user who also created the
 * project. The read key is company-level.
 */
export const CALLERS = ['member', 'company', 'member key', 'company key', 'another company', 'read key'] as const;

/** Callers in a private project with their role in it. Null means that they have no access. */
export const CALLERS_IN_PRIVATE = {
  'company-level user': 'owner',
  owner: 'owner',
  editor: 'editor',
  viewer: 'viewer',
  outsider: null,
  'key of the owner': 'owner',
  'read-only key of the owner': 'read key',
  'key of the owner for this project': 'owner',
  'key of the owner for another project': null,
  'key of the editor': 'editor',
  'key of the viewer': 'viewer',
  'key of the viewer for this project': 'viewer',
  'key of the outsider': null,
  'key of the outsider for this project': null,
  'member key of the company-level user': null,
  'company key of the company-level user': 'owner',
  'company key of a user who was demoted to member': null,
  'another company': null,
} as const satisfies Record<string, 'owner' | 'editor' | 'viewer' | 'read key' | null>;

/** Request with its expected statuses by caller. */
export interface Row {
  statuses: readonly [number, number, number, number, number, number];
  /** For requests in a project: the required role and the status with that role. */
  needs?: { role: 'owner' | 'editor' | 'viewer'; status: number };
  /** Whether the request changes nothing in this test, even if it is allowed. */
  isIdle?: true;
  body?: (world: World) => object;
  query?: Record<string, string>;
  /** Creates the data that each request uses up. */
  fresh?: (world: World) => Promise<Partial<World>>;
}

const row = (...statuses: Row['statuses']): Row => ({ statuses });
const workspace = ({ project_id }: World) => ({ source: 'workspace' as const, project_id });
const snapshot = ({ snapshot_id }: World) => ({ source: 'snapshot' as const, snapshot_id });
const template = ({ name }: World) => ({ source: 'deployment' as const, deployment_name: name });
let count = 0;
const unique = (): string => `n${(count += 1)}`;

/** Everyone in the company may read the resource. It is invisible to other companies. */
const shared = (status = 200): Row => row(status, status, status, status, 404, status);
/** Only company-level callers may send the request. */
const guarded = (status = 200): Row => row(403, status, 403, status, 404, 403);
/** Everyone with access to the project may read the resource. */
const reads = (status = 200): Row => ({ ...shared(status), needs: { role: 'viewer', status } });
/**
 * Editors and owners may change the resource. In a project that is visible to the company, everyone in the company is
 * an editor.
 */
const edits = (status = 200): Row => ({
  ...row(status, status, status, status, 404, 403),
  needs: { role: 'editor', status },
});
/**
 * Only owners and company-level callers may send the request. An owner's key counts as an owner regardless of its
 * company role.
 */
const owns = (status = 200): Row => ({
  ...row(403, status, status, status, 404, 403),
  needs: { role: 'owner', status },
});
const upload = (place: typeof workspace | typeof template) => async (world: World) => {
  const { upload_token } = await sendParts(world.owner, place(world), `${world.mark}/${unique()}`, Buffer.from('x'));
  return { upload_token };
};
const files = { 'SKILL.md': 'Text' };

/** Operations that need no credentials. */
export const PUBLIC = ['GET /health/live', 'GET /health/ready'];

/**
 * All operations with their expected statuses. Written by hand from the documented behavior of the service. The tests
 * fail if an operation is missing here.
 */
export const TABLE: Record<string, Row | Row[]> = {
  // Identity: a key cannot create keys. It can only access itself, unless it is company-level and has write access.
  'GET /api/v1/me': row(200, 200, 200, 200, 200, 200),
  'GET /api/v1/api-keys': row(200, 200, 200, 200, 200, 200),
  'POST /api/v1/api-keys': [
    { ...row(201, 201, 403, 403, 201, 403), body: () => ({ name: unique() }) },
    { ...row(403, 201, 403, 403, 201, 403), body: () => ({ name: unique(), role: 'company' }) },
  ],
  'DELETE /api/v1/api-keys/{api_key_id}': [
    { ...row(204, 204, 404, 204, 404, 404), fresh: ({ member }) => makeKey(member) },
    { ...row(404, 204, 404, 204, 404, 404), fresh: ({ owner }) => makeKey(owner) },
  ],

  // Projects: everyone in the company can work on all visible projects. Only the creator of a project manages it.
  'GET /api/v1/projects': row(200, 200, 200, 200, 200, 200),
  'POST /api/v1/projects': {
    ...row(201, 201, 201, 201, 404, 403),
    body: ({ name, mark }) => ({ name: mark, from_deployment: name }),
  },
  'GET /api/v1/projects/{project_id}': reads(),
  'PATCH /api/v1/projects/{project_id}': [
    { ...edits(), body: () => ({ short_description: unique() }) },
    {
      ...owns(),
      body: ({ visibility }) => ({ visibility: visibility === 'private' ? 'company' : 'private' }),
      fresh: makeAnotherProject,
    },
  ],
  'DELETE /api/v1/projects/{project_id}': { ...owns(204), fresh: makeAnotherProject },
  'POST /api/v1/projects/{project_id}/restore': {
    ...owns(),
    fresh: async (world) => {
      const project = await makeAnotherProject(world);
      await world.owner.delete(`/projects/${project.project_id}`);
      return project;
    },
  },
  'GET /api/v1/projects/{project_id}/members': reads(),
  'PUT /api/v1/projects/{project_id}/members/{user_id}': {
    ...owns(),
    body: () => ({ role: 'viewer' }),
    fresh: addUser,
  },
  'DELETE /api/v1/projects/{project_id}/members/{user_id}': {
    ...owns(204),
    fresh: async (world) => {
      const { user_id } = await addUser(world);
      await world.owner.put(`/projects/${world.project_id}/members/${user_id}`, { role: 'editor' });
      return { user_id };
    },
  },
  'GET /api/v1/projects/{project_id}/solve/executions': reads(),
  'POST /api/v1/projects/{project_id}/solve/executions': { ...edits(201), body: () => ({ is_test: true }) },
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}': reads(),
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/log': reads(),
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/cards': reads(),
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/repeat': edits(201),
  // This execution has ended without a plan.
  'GET /api/v1/projects/{project_id}/solve/executions/{execution_id}/values': {
    ...reads(409),
    query: { family: 'x' },
  },
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/cancel': { ...edits(409), isIdle: true },
  'POST /api/v1/projects/{project_id}/snapshots': { ...edits(201), fresh: makeAnotherProject },
  'GET /api/v1/projects/{project_id}/snapshots': reads(),
  'DELETE /api/v1/projects/{project_id}/snapshots/{snapshot_id}': {
    ...edits(204),
    fresh: async (world) => {
      const { owner } = world;
      const project_id = await world.makeProject();
      const { id: snapshot_id } = await owner.post<SnapshotResponse>(`/projects/${project_id}/snapshots`);
      // The current snapshot cannot be deleted.
      await owner.post(`/projects/${project_id}/snapshots`);
      return { project_id, snapshot_id };
    },
  },
  'POST /api/v1/projects/{project_id}/scenarios': { ...edits(201), body: () => ({ name: unique(), changes: [] }) },
  'GET /api/v1/projects/{project_id}/scenarios': reads(),
  'GET /api/v1/projects/{project_id}/scenarios/compare': reads(),
  'POST /api/v1/projects/{project_id}/scenarios/solve': {
    ...edits(201),
    body: ({ scenario_id }) => ({ scenario_ids: [scenario_id] }),
  },
  'GET /api/v1/projects/{project_id}/scenarios/{scenario_id}': reads(),
  'PATCH /api/v1/projects/{project_id}/scenarios/{scenario_id}': {
    ...edits(),
    body: () => ({ description: 'Changed' }),
  },
  'DELETE /api/v1/projects/{project_id}/scenarios/{scenario_id}': {
    ...edits(204),
    fresh: async ({ owner, project_id }) => {
      const body = { name: unique(), changes: [] };
      const { id: scenario_id } = await owner.post<ScenarioResponse>(`/projects/${project_id}/scenarios`, body);
      return { scenario_id };
    },
  },
  'GET /api/v1/projects/{project_id}/events': reads(),
  'GET /api/v1/projects/{project_id}/cards': reads(),
  'POST /api/v1/projects/{project_id}/cards': {
    ...edits(201),
    body: () => ({ card_type: 'kpi', label: unique() }),
  },
  'GET /api/v1/projects/{project_id}/cards/{card_id}': reads(),
  'PATCH /api/v1/projects/{project_id}/cards/{card_id}': {
    ...edits(),
    body: () => ({ version: 1, data: { unit: 'h' } }),
    fresh: makeCard,
  },
  'DELETE /api/v1/projects/{project_id}/cards/{card_id}': { ...edits(204), fresh: makeCard },

  // Chat.
  'POST /api/v1/projects/{project_id}/chat': {
    ...edits(202),
    body: ({ mark }) => ({ content: mark }),
    fresh: makeAnotherProject,
  },
  'GET /api/v1/projects/{project_id}/chat': reads(),
  'GET /api/v1/projects/{project_id}/chat/sync': reads(),
  'GET /api/v1/projects/{project_id}/chat/stream': reads(),
  'POST /api/v1/projects/{project_id}/chat/stop': { ...edits(), isIdle: true, body: () => ({}) },
  'GET /api/v1/projects/{project_id}/conversations': reads(),
  'POST /api/v1/projects/{project_id}/conversations': { ...edits(201), body: () => ({}) },
  'GET /api/v1/projects/{project_id}/conversations/{conversation_id}': reads(),
  'PATCH /api/v1/projects/{project_id}/conversations/{conversation_id}': {
    ...edits(),
    body: ({ mark }) => ({ title: mark }),
  },
  'DELETE /api/v1/projects/{project_id}/conversations/{conversation_id}': {
    ...edits(204),
    fresh: async ({ owner, project_id }) => {
      const { id } = await owner.post<ConversationResponse>(`/projects/${project_id}/conversations`, {});
      return { conversation_id: id };
    },
  },

  // Skills and agent configuration: everyone may change a project's skills.
  'GET /api/v1/projects/{project_id}/skills': reads(),
  'GET /api/v1/projects/{project_id}/skills/{skill}': reads(),
  'PUT /api/v1/projects/{project_id}/skills/{skill}': { ...edits(), body: () => ({ files }) },
  'DELETE /api/v1/projects/{project_id}/skills/{skill}': {
    ...edits(204),
    fresh: async ({ owner, project_id }) => {
      const skill = unique();
      await owner.put(`/projects/${project_id}/skills/${skill}`, { files });
      return { skill };
    },
  },
  'GET /api/v1/projects/{project_id}/agent-config': reads(),
  'POST /api/v1/projects/{project_id}/agent-config/pull': {
    ...edits(),
    body: ({ name }) => ({ from_deployment: name }),
  },
  'POST /api/v1/projects/{project_id}/checkout': { ...edits(), body: ({ name }) => ({ from_deployment: name }) },

  // Deployments: everyone can read them, and company-level callers can change them.
  'GET /api/v1/deployments': row(200, 200, 200, 200, 200, 200),
  'POST /api/v1/deployments': { ...row(403, 201, 403, 201, 201, 403), body: () => ({ name: unique() }) },
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

  // Files: everyone may write to a workspace. Only company-level callers may write to a deployment.
  'POST /api/v1/files/mkdir': inBoth((place) => ({ body: (world) => ({ ...place(world), path: unique() }) })),
  'POST /api/v1/files/batch-move': inBoth((place) => ({
    body: (world) => ({ ...place(world), moves: [{ source_path: 'none', dest_path: 'other' }] }),
    isIdle: true,
  })),
  'POST /api/v1/files/batch-delete': inBoth((place) => ({
    body: (world) => ({ ...place(world), paths: ['none'] }),
    isIdle: true,
  })),
  'POST /api/v1/files/delete': inBoth((place) => ({
    body: (world) => ({ ...place(world), path: world.skill }),
    fresh: async (world) => {
      const skill = unique();
      await world.owner.post('/files/mkdir', { ...place(world), path: skill });
      return { skill };
    },
  })),
  'POST /api/v1/files/list': [workspace, snapshot, template].map((place) => ({
    ...(place === template ? shared() : reads()),
    body: (world) => ({ ...place(world), recursive: true }),
  })),
  'POST /api/v1/files/content': [workspace, snapshot, template].map((place) => ({
    ...(place === template ? shared() : reads()),
    body: (world) => ({ ...place(world), path: 'notes.txt' }),
  })),
  'POST /api/v1/files/table': [workspace, snapshot, template].map((place) => ({
    ...(place === template ? shared() : reads()),
    body: (world) => ({ ...place(world), path: 'notes.txt' }),
  })),
  'POST /api/v1/files/query': [
    ...[workspace, snapshot, template].map((place): Row => ({
      ...(place === template ? shared() : reads()),
      body: (world) => ({ ...place(world), tables: { notes: 'notes.txt' }, sql: 'FROM notes' }),
    })),
    {
      ...edits(),
      body: (world) => ({
        ...workspace(world),
        ...{ tables: { notes: 'notes.txt' }, sql: 'FROM notes', save_as: `${unique()}.csv` },
      }),
    },
  ],
  'POST /api/v1/files/download': [workspace, snapshot, template].map((place) => ({
    ...(place === template ? shared() : reads()),
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
    isIdle: true,
  })),
  'POST /api/v1/files/upload/status': inBoth((place) => ({
    body: ({ upload_token }) => ({ upload_token }),
    fresh: upload(place),
    isIdle: true,
  })),
  'POST /api/v1/files/upload/abort': inBoth(
    (place) => ({ body: ({ upload_token }) => ({ upload_token }), fresh: upload(place) }),
    204,
  ),

  // Usage: the returned rows depend on the caller, but the statuses do not.
  'GET /api/v1/usage/users': row(200, 200, 200, 200, 200, 200),
  'GET /api/v1/usage/api-keys': row(200, 200, 200, 200, 200, 200),
  'GET /api/v1/usage/projects': row(200, 200, 200, 200, 200, 200),
  'GET /api/v1/usage/days': row(200, 200, 200, 200, 200, 200),
  'GET /api/v1/usage/budgets': row(403, 200, 403, 200, 200, 200),
  'PUT /api/v1/usage/budgets': {
    ...row(403, 200, 403, 200, 200, 403),
    body: () => ({ scope: 'company', period: 'total', limit_credits: 1_000_000, action: 'block' }),
  },
  'DELETE /api/v1/usage/budgets/{budget_id}': { ...guarded(204), fresh: ({ owner }) => makeBudget(owner) },

  // Webhooks.
  'GET /api/v1/webhooks': row(403, 200, 403, 200, 200, 200),
  'POST /api/v1/webhooks': {
    ...row(403, 201, 403, 201, 201, 403),
    body: () => hook(unique()),
  },
  'PATCH /api/v1/webhooks/{webhook_id}': { ...guarded(), body: () => ({ events: ['project.deleted'] }) },
  'DELETE /api/v1/webhooks/{webhook_id}': { ...guarded(204), fresh: makeWebhook },
  'POST /api/v1/webhooks/{webhook_id}/test': guarded(201),
  'GET /api/v1/webhooks/{webhook_id}/deliveries': row(403, 200, 403, 200, 404, 200),
  'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend': guarded(),
};

function inBoth(request: (place: typeof workspace | typeof template) => Omit<Row, 'statuses'>, status = 200): Row[] {
  return [
    { ...edits(status), ...request(workspace) },
    { ...guarded(status), ...request(template) },
  ];
}

async function makeAnotherProject(world: World): Promise<{ project_id: string }> {
  return { project_id: await world.makeProject() };
}

async function addUser(world: World): Promise<{ user_id: string }> {
  return { user_id: await world.makeUser() };
}

async function makeCard({ owner, project_id }: World): Promise<Partial<World>> {
  const card = await owner.post<CardResponse>(`/projects/${project_id}/cards`, { card_type: 'kpi', label: unique() });
  return { card_id: card.id };
}

async function makeBudget(client: Client): Promise<Partial<World>> {
  const body = { scope: 'company', period: 'day', limit_credits: 1_000_000, action: 'notice' };
  return { budget_id: (await client.put<BudgetResponse>('/usage/budgets', body)).id };
}

/** Webhook whose host name does not resolve. */
export const hook = (mark: string): { url: string; events: string[] } => ({
  url: `https://${mark}.invalid/hook`,
  events: ['project.deleted'],
});

async function makeWebhook({ owner, mark }: World): Promise<Partial<World>> {
  return { webhook_id: (await owner.post<WebhookCreatedResponse>('/webhooks', hook(mark))).id };
}

async function makeKey(client: Client): Promise<Partial<World>> {
  return { api_key_id: (await client.post<ApiKeyCreateResponse>('/api-keys', { name: unique() })).id };
}
