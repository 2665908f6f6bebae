import { randomBytes } from 'node:crypto';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import type { WebhookCreatedResponse, WebhookDeliveryResponse } from '../../../src/webhooks/webhooks.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { hook } from '../auth/permissions.table.js';

/** Request that is ready to be sent. */
export interface Prepared {
  path: string;
  body?: object;
  /**
   * Query for the rows that the request creates or changes, with the `xmin` of each row, and the parameters of the
   * query.
   */
  effect: [statement: string, ...parameters: unknown[]];
  /** Expected number of these rows. Defaults to 1. */
  rows?: number;
}

/** Operation that supports idempotency keys. */
export interface Served {
  /** Whether each execution creates a new resource. */
  creates?: true;
  /** Whether the rows are written again after the transaction. */
  later?: true;
  prepare: (client: Client) => Promise<Prepared>;
}

const unique = (): string => randomBytes(6).toString('hex');

/** Prepares a request in a new project. */
const inProject =
  (prepare: (client: Client, project: string, name: string) => Promise<Prepared> | Prepared) =>
  async (client: Client): Promise<Prepared> => {
    const name = unique();
    const { id } = await makeProject(client, { name });
    return await prepare(client, id, name);
  };

const workspace = (project_id: string) => ({ source: 'workspace' as const, project_id });

/** Query for the files in a project's workspace. */
const NODES = `SELECT n.xmin::text FROM nodes n JOIN projects p ON p.workspace_id = n.container_id
                WHERE p.id = $1 AND n.name = $2`;

const start = async (client: Client, project: string): Promise<string> =>
  (await client.post<ExecutionResponse>(`/projects/${project}/solve/executions`, { is_test: true })).id;

const makeScenario = async (client: Client, project: string): Promise<string> =>
  (await client.post<ScenarioResponse>(`/projects/${project}/scenarios`, { name: 'One', changes: [] })).id;

const makeWebhook = async (client: Client): Promise<string> =>
  (await client.post<WebhookCreatedResponse>('/webhooks', hook(unique()))).id;

/** All operations that support `Idempotency-Key`, listed by hand. */
export const SERVED: Record<string, Served> = {
  'POST /api/v1/api-keys': {
    creates: true,
    prepare: () => {
      const name = unique();
      return Promise.resolve({
        path: '/api-keys',
        body: { name },
        effect: ['SELECT xmin::text FROM api_keys WHERE name = $1', name],
      });
    },
  },
  'POST /api/v1/deployments': {
    creates: true,
    prepare: () => {
      const name = unique();
      return Promise.resolve({
        path: '/deployments',
        body: { name },
        effect: ['SELECT xmin::text FROM deployments WHERE name = $1', name],
      });
    },
  },
  'POST /api/v1/projects': {
    creates: true,
    prepare: async (client) => {
      const name = unique();
      const { handle } = await makeDeployment(client, { instructions: 'Text' });
      return {
        path: '/projects',
        body: { name, from_deployment: handle },
        effect: ['SELECT xmin::text FROM projects WHERE name = $1', name],
      };
    },
  },
  'POST /api/v1/projects/{project_id}/restore': {
    prepare: inProject(async (client, id) => {
      await client.delete(`/projects/${id}`);
      return {
        path: `/projects/${id}/restore`,
        effect: ['SELECT xmin::text FROM projects WHERE id = $1 AND deleted_at IS NULL', id],
      };
    }),
  },
  'POST /api/v1/projects/{project_id}/snapshots': {
    creates: true,
    prepare: inProject((_, id) => ({
      path: `/projects/${id}/snapshots`,
      effect: ['SELECT xmin::text FROM snapshots WHERE project_id = $1', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/cards': {
    creates: true,
    prepare: inProject((_, id, name) => ({
      path: `/projects/${id}/cards`,
      body: { card_type: 'kpi', label: name },
      effect: ['SELECT xmin::text FROM cards WHERE project_id = $1', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/solve/executions': {
    creates: true,
    prepare: inProject((_, id) => ({
      path: `/projects/${id}/solve/executions`,
      body: { is_test: true },
      effect: ['SELECT xmin::text FROM executions WHERE project_id = $1', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/repeat': {
    creates: true,
    prepare: inProject(async (client, id) => {
      const first = await start(client, id);
      return {
        path: `/projects/${id}/solve/executions/${first}/repeat`,
        effect: ['SELECT xmin::text FROM executions WHERE project_id = $1 AND id <> $2', id, first],
      };
    }),
  },
  'POST /api/v1/projects/{project_id}/solve/executions/{execution_id}/cancel': {
    prepare: inProject(async (client, id) => {
      const execution = await start(client, id);
      return {
        path: `/projects/${id}/solve/executions/${execution}/cancel`,
        effect: [`SELECT xmin::text FROM executions WHERE id = $1 AND status = 'canceled'`, execution],
      };
    }),
  },
  'POST /api/v1/projects/{project_id}/scenarios': {
    creates: true,
    prepare: inProject((_, id, name) => ({
      path: `/projects/${id}/scenarios`,
      body: { name, changes: [] },
      effect: ['SELECT xmin::text FROM scenarios WHERE project_id = $1', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/scenarios/solve': {
    creates: true,
    prepare: inProject(async (client, id) => ({
      path: `/projects/${id}/scenarios/solve`,
      body: { scenario_ids: [await makeScenario(client, id)], include_base: true },
      effect: ['SELECT xmin::text FROM executions WHERE project_id = $1', id],
      rows: 2,
    })),
  },
  'POST /api/v1/projects/{project_id}/chat': {
    creates: true,
    prepare: inProject((_, id) => ({
      path: `/projects/${id}/chat`,
      body: { content: 'Hello' },
      effect: [`SELECT xmin::text FROM messages WHERE project_id = $1 AND role = 'user'`, id],
    })),
  },
  'POST /api/v1/projects/{project_id}/chat/stop': {
    prepare: inProject(async (client, id) => {
      await client.post(`/projects/${id}/chat`, { content: 'Hello' });
      return {
        path: `/projects/${id}/chat/stop`,
        body: {},
        effect: [`SELECT xmin::text FROM turns WHERE project_id = $1 AND state = 'ended'`, id],
      };
    }),
  },
  'POST /api/v1/projects/{project_id}/conversations': {
    creates: true,
    prepare: inProject((_, id) => ({
      path: `/projects/${id}/conversations`,
      body: { title: 'Another' } satisfies Partial<ConversationResponse>,
      effect: ['SELECT xmin::text FROM conversations WHERE project_id = $1 AND NOT is_default', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/agent-config/pull': {
    prepare: inProject(async (client, id) => ({
      path: `/projects/${id}/agent-config/pull`,
      body: { from_deployment: (await makeDeployment(client, { instructions: 'Text' })).handle },
      effect: ['SELECT xmin::text FROM projects WHERE id = $1', id],
    })),
  },
  'POST /api/v1/projects/{project_id}/checkout': {
    prepare: inProject(async (client, id) => ({
      path: `/projects/${id}/checkout`,
      body: { from_deployment: (await makeDeployment(client, { instructions: 'Text' })).handle },
      effect: ['SELECT xmin::text FROM projects WHERE id = $1', id],
    })),
  },
  'POST /api/v1/files/mkdir': {
    creates: true,
    prepare: inProject((_, id, name) => ({
      path: '/files/mkdir',
      body: { ...workspace(id), path: name },
      effect: [NODES, id, name],
    })),
  },
  'POST /api/v1/files/delete': {
    prepare: inProject(async (client, id, name) => {
      await client.post('/files/mkdir', { ...workspace(id), path: name });
      return { path: '/files/delete', body: { ...workspace(id), path: name }, effect: [NODES, id, name], rows: 0 };
    }),
  },
  'POST /api/v1/files/batch-delete': {
    prepare: inProject(async (client, id, name) => {
      await client.post('/files/mkdir', { ...workspace(id), path: name });
      const body = { ...workspace(id), paths: [name] };
      return { path: '/files/batch-delete', body, effect: [NODES, id, name], rows: 0 };
    }),
  },
  'POST /api/v1/files/batch-move': {
    prepare: inProject(async (client, id, name) => {
      await client.post('/files/mkdir', { ...workspace(id), path: 'before' });
      const body = { ...workspace(id), moves: [{ source_path: 'before', dest_path: name }] };
      return { path: '/files/batch-move', body, effect: [NODES, id, name] };
    }),
  },
  'POST /api/v1/files/query': {
    prepare: inProject(async (client, id, name) => {
      await makeFile(client, workspace(id), 'given.csv', 'a,b\n1,2\n');
      const query = { tables: { given: 'given.csv' }, sql: 'SELECT a FROM given', save_as: `${name}.csv` };
      return { path: '/files/query', body: { ...workspace(id), ...query }, effect: [NODES, id, `${name}.csv`] };
    }),
  },
  'POST /api/v1/files/upload/start': {
    creates: true,
    later: true,
    prepare: inProject((_, id, name) => ({
      path: '/files/upload/start',
      body: { ...workspace(id), path: name, size: 1 },
      effect: [`SELECT xmin::text FROM uploads WHERE path = $1 AND state = 'open'`, name],
    })),
  },
  'POST /api/v1/files/upload/complete': {
    prepare: inProject(async (client, id, name) => ({
      path: '/files/upload/complete',
      body: { ...workspace(id), ...(await sendParts(client, workspace(id), name, Buffer.from('x'))) },
      effect: [NODES, id, name],
    })),
  },
  'POST /api/v1/webhooks': {
    creates: true,
    prepare: () => {
      const body = hook(unique());
      const effect: Prepared['effect'] = ['SELECT xmin::text FROM webhooks WHERE url = $1', body.url];
      return Promise.resolve({ path: '/webhooks', body, effect });
    },
  },
  'POST /api/v1/webhooks/{webhook_id}/test': {
    creates: true,
    later: true,
    prepare: async (client) => {
      const id = await makeWebhook(client);
      return {
        path: `/webhooks/${id}/test`,
        effect: ['SELECT xmin::text FROM webhook_deliveries WHERE webhook_id = $1', id],
      };
    },
  },
  'POST /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend': {
    later: true,
    prepare: async (client) => {
      const at = `/webhooks/${await makeWebhook(client)}`;
      const { id } = await client.post<WebhookDeliveryResponse>(`${at}/test`);
      return {
        path: `${at}/deliveries/${id}/resend`,
        effect: ['SELECT xmin::text FROM webhook_deliveries WHERE id = $1', id],
      };
    },
  },
};

/** POST operations that do not support `Idempotency-Key`, with the reason. */
export const NOT_SERVED: Record<string, string> = {
  'POST /api/v1/files/content': 'reads',
  'POST /api/v1/files/download': 'signs a URL and changes nothing',
  'POST /api/v1/files/list': 'reads',
  'POST /api/v1/files/table': 'reads',
  'POST /api/v1/files/upload/abort': 'again is the same',
  'POST /api/v1/files/upload/parts': 'signs URLs and changes nothing',
  'POST /api/v1/files/upload/status': 'reads',
};
