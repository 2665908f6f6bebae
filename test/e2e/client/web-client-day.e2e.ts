import { describe, expect, it } from '@jest/globals';
import { NotFoundError, type Schemas, TooLargeError, type WorkspaceClient } from '@project-workspace/client';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Session } from '../../support/session.js';
import { useSharedService } from '../../support/service.js';
import { succeed, typedClient } from '../../support/typed-client.js';

const INSTRUCTIONS = '# Weekly planning\nAsk for the demand first.\n';
const NEW_INSTRUCTIONS = '# Weekly planning\nAsk for the demand first, then for the shifts.\n';
const SHIFT_RULES = {
  'SKILL.md': '---\nname: shift-rules\ndescription: How shifts are planned\n---\nNo shift is longer than ten hours.\n',
  'examples/night.md': 'Night shifts end at six.\n',
};
const DEMAND = { 'SKILL.md': 'How demand is read from a file.\n' };
const OWN_SHIFT_RULES = { 'SKILL.md': 'Our shifts last eight hours.\n' };
const SMALL_CSV = 'product,demand\nÄpfel,120\nBirnen,80\n';
const BIG_CSV_BYTES = 12_000_000;

/** Person who works in a web application that uses the client package. */
interface Person extends Session {
  api: WorkspaceClient;
}

const service = useSharedService();

const person = (session: Session): Person => ({ ...session, api: typedClient(service.url, session) });

describe('a day of the web client', () => {
  it('covers deployments, projects, files, chat, skills and listings, starting with an empty company', async () => {
    const owner = person(await service.session({ role: 'company' }));
    const planner = person(await service.session({ role: 'member', company: owner.company }));

    const deployment = await setUpDeployment(owner);
    const project = await setUpProject(planner, deployment);
    const demand = await workWithFiles(planner, project.id);
    const messages = await talk(planner, project.id, demand);
    await readHistory(planner, project.id, messages);
    await shadowSkill(planner, project.id, deployment);
    await pullAgain(owner, planner, project.id, deployment);
    await listEverything(owner, planner, project.id, deployment);
  });
});

async function setUpDeployment({ api }: Person): Promise<Schemas['DeploymentResponse']> {
  const deployment = await succeed(api.POST('/api/v1/deployments', { body: { name: 'Production planning' } }));
  expect(deployment).toMatchObject({ name: 'Production planning', handle: 'production-planning' });

  const stored = await succeed(
    api.PUT('/api/v1/deployments/{name}/instructions', {
      params: { path: { name: 'production-planning' } },
      body: {
        content: INSTRUCTIONS,
      },
    }),
  );
  expect(stored).toEqual({ content: INSTRUCTIONS });

  const shifts = await succeed(
    api.PUT('/api/v1/deployments/{name}/skills/{skill}', {
      params: { path: { name: 'production-planning', skill: 'shift-rules' } },
      body: {
        files: SHIFT_RULES,
      },
    }),
  );
  expect(shifts).toEqual({
    name: 'shift-rules',
    description: 'How shifts are planned',
    files: ['SKILL.md', 'examples/night.md'],
  });
  await succeed(
    api.PUT('/api/v1/deployments/{name}/skills/{skill}', {
      params: { path: { name: 'production-planning', skill: 'demand' } },
      body: { files: DEMAND },
    }),
  );
  return deployment;
}

async function setUpProject(
  { api, client, user, name }: Person,
  { handle }: Schemas['DeploymentResponse'],
): Promise<Schemas['ProjectResponse']> {
  const project = await makeProject(client, { name: 'Week 12', from_deployment: handle });
  expect(project).toMatchObject({
    name: 'Week 12',
    description: null,
    created_by: { id: user, display_name: name },
    origin_deployment_handle: handle,
    workspace_mode: 'define',
    total_credits: 0,
    completeness: { overall: 'incomplete', feasibility_result: 'unchecked', data_available: false },
  });
  const changed = await succeed(
    api.PATCH('/api/v1/projects/{project_id}', {
      params: { path: { project_id: project.id } },
      body: {
        description: 'What we make in week 12',
      },
    }),
  );
  expect(changed.description).toBe('What we make in week 12');
  expect(
    await succeed(api.GET('/api/v1/projects/{project_id}', { params: { path: { project_id: project.id } } })),
  ).toEqual(changed);
  return changed;
}

/** Uploads, moves, reads and deletes files. Returns the id of the small file that remains. */
async function workWithFiles({ api, client }: Person, project_id: string): Promise<string> {
  const place = { source: 'workspace', project_id } as const;

  const big = new Blob([bigCsv()], { type: 'text/csv' });
  const history = await api.upload(big, { ...place, path: 'history.csv' });
  expect(history).toMatchObject({
    path: 'history.csv',
    size: BIG_CSV_BYTES,
    content_type: 'text/csv',
    source: 'upload',
  });
  const whole = api.POST('/api/v1/files/content', { body: { ...place, path: 'history.csv' } });
  await expect(whole).rejects.toBeInstanceOf(TooLargeError);

  await makeFile(client, place, 'demand.csv', SMALL_CSV);
  await makeFile(client, place, 'draft.txt', 'Not needed.');
  await makeFile(client, place, 'old.txt', 'Not needed either.');
  expect(await succeed(api.POST('/api/v1/files/mkdir', { body: { ...place, path: 'inputs' } }))).toEqual({
    created: true,
    path: 'inputs',
  });
  const moves = [
    { source_path: 'demand.csv', dest_path: 'inputs/demand.csv' },
    { source_path: 'history.csv', dest_path: 'inputs/history.csv' },
    { source_path: 'nothing.csv', dest_path: 'inputs/nothing.csv' },
  ];
  const moved = await succeed(api.POST('/api/v1/files/batch-move', { body: { ...place, moves } }));
  expect(moved).toMatchObject({ moved: 2, errors: [{ source_path: 'nothing.csv' }] });

  const content = await succeed(api.POST('/api/v1/files/content', { body: { ...place, path: 'inputs/demand.csv' } }));
  expect(content).toEqual({ text: SMALL_CSV, base64: null, content_type: 'text/csv' });
  expect(await succeed(api.POST('/api/v1/files/delete', { body: { ...place, path: 'draft.txt' } }))).toEqual({
    deleted: 1,
  });
  const deleted = await succeed(
    api.POST('/api/v1/files/batch-delete', {
      body: {
        ...place,
        paths: ['old.txt', 'never-there.txt'],
      },
    }),
  );
  expect(deleted).toEqual({ deleted: 1 });

  const left = await succeed(api.POST('/api/v1/files/list', { body: { ...place, recursive: true } }));
  expect(left.directories).toEqual(['inputs']);
  expect(left.entries.map(({ path }) => path)).toEqual(['inputs/demand.csv', 'inputs/history.csv']);
  const id = left.entries[0]?.id;
  if (id == null) throw new Error('The listing is empty, or has an entry without an id');
  return id;
}

/** Returns a CSV file with twelve million bytes of distinct rows. */
function bigCsv(): Uint8Array<ArrayBuffer> {
  const rows: string[] = ['day,product,sold'];
  for (let length = 0, day = 0; length < BIG_CSV_BYTES; day += 1) {
    const row = `${day},product-${day % 97},${(day * 7919) % 1000}`;
    rows.push(row);
    length += row.length + 1;
  }
  return new TextEncoder().encode(rows.join('\n')).subarray(0, BIG_CSV_BYTES);
}

/** Posts a message and follows the conversation until it is answered. Returns the whole conversation. */
async function talk(
  { api, user, name }: Person,
  projectId: string,
  fileId: string,
): Promise<Schemas['ChatMessageResponse'][]> {
  const message = {
    content: 'Please plan the week from our demand.',
    client_msg_id: 'm-1',
    file_ids: [fileId],
    context: [{ id: fileId, type: 'file' }],
  };
  const before = await succeed(
    api.GET('/api/v1/projects/{project_id}/chat', { params: { path: { project_id: projectId } } }),
  );
  expect(before).toMatchObject({ messages: [], total: 0 });

  const post = { params: { path: { project_id: projectId } }, body: message };
  const posted = await succeed(api.POST('/api/v1/projects/{project_id}/chat', post));
  expect(posted.message).toMatchObject({
    project_id: projectId,
    role: 'user',
    content: message.content,
    client_msg_id: 'm-1',
    file_ids: [fileId],
    user_id: user,
    user_name: name,
    api_key_name: null,
    is_partial: false,
  });
  const again = await api.POST('/api/v1/projects/{project_id}/chat', post);
  expect([again.response.status, again.data.message.id]).toEqual([202, posted.message.id]);

  const synced = await answered(api, projectId);
  expect(synced.turn).toMatchObject({ state: 'idle', next_seq: 0 });
  expect(synced.messages[0]).toEqual(posted.message);
  const answer = synced.messages.at(-1);
  expect(answer).toMatchObject({ role: 'assistant', is_partial: false, conversation_id: synced.conversation_id });
  // The rule-based agent introduces itself and names the skills that it has mounted.
  expect(answer?.content).toContain('rule-based');
  expect(answer?.content).toContain('shift-rules');
  return synced.messages;
}

/** Returns the conversation as soon as the agent is idle. */
async function answered(api: WorkspaceClient, projectId: string): Promise<Schemas['ConversationSyncResponse']> {
  for await (const state of api.conversation(projectId).follow()) if (state.turn.state === 'idle') return state;
  throw new Error('The conversation has ended');
}

async function readHistory(
  { api }: Person,
  projectId: string,
  messages: Schemas['ChatMessageResponse'][],
): Promise<void> {
  const whole = await succeed(
    api.GET('/api/v1/projects/{project_id}/chat', { params: { path: { project_id: projectId } } }),
  );
  expect(whole).toEqual({ messages, limit: 200, offset: 0, total: messages.length });
  const newest = await succeed(
    api.GET('/api/v1/projects/{project_id}/chat', { params: { path: { project_id: projectId }, query: { limit: 1 } } }),
  );
  expect(newest.messages).toEqual(messages.slice(-1));
  const first = await succeed(
    api.GET('/api/v1/projects/{project_id}/chat', {
      params: { path: { project_id: projectId }, query: { limit: 1, offset: messages.length - 1 } },
    }),
  );
  expect(first.messages).toEqual(messages.slice(0, 1));
}

async function shadowSkill(
  { api }: Person,
  projectId: string,
  { handle }: Schemas['DeploymentResponse'],
): Promise<void> {
  expect(
    await succeed(
      api.GET('/api/v1/projects/{project_id}/skills/{skill}', {
        params: { path: { project_id: projectId, skill: 'shift-rules' } },
      }),
    ),
  ).toMatchObject({ scope: 'deployment', files: SHIFT_RULES });
  await succeed(
    api.PUT('/api/v1/projects/{project_id}/skills/{skill}', {
      params: { path: { project_id: projectId, skill: 'shift-rules' } },
      body: { files: OWN_SHIFT_RULES },
    }),
  );
  expect(
    await succeed(
      api.GET('/api/v1/projects/{project_id}/skills/{skill}', {
        params: { path: { project_id: projectId, skill: 'shift-rules' } },
      }),
    ),
  ).toEqual({
    name: 'shift-rules',
    description: 'Our shifts last eight hours.',
    files: OWN_SHIFT_RULES,
    scope: 'project',
    shadows: true,
  });
  const untouched = await succeed(
    api.GET('/api/v1/deployments/{name}/skills/{skill}', { params: { path: { name: handle, skill: 'shift-rules' } } }),
  );
  expect(untouched.files).toEqual(SHIFT_RULES);
}

async function pullAgain(
  owner: Person,
  planner: Person,
  projectId: string,
  { handle }: Schemas['DeploymentResponse'],
): Promise<void> {
  await succeed(
    owner.api.PUT('/api/v1/deployments/{name}/instructions', {
      params: { path: { name: handle } },
      body: { content: NEW_INSTRUCTIONS },
    }),
  );
  await succeed(
    owner.api.DELETE('/api/v1/deployments/{name}/skills/{skill}', {
      params: { path: { name: handle, skill: 'demand' } },
    }),
  );
  const unchanged = await succeed(
    planner.api.GET('/api/v1/projects/{project_id}/skills/{skill}', {
      params: { path: { project_id: projectId, skill: 'demand' } },
    }),
  );
  expect(unchanged.scope).toBe('deployment');

  const pulled = await succeed(
    planner.api.POST('/api/v1/projects/{project_id}/agent-config/pull', {
      params: { path: { project_id: projectId } },
      body: {
        from_deployment: handle,
      },
    }),
  );
  // The deployment contains AGENTS.md and the two files of the remaining skill.
  expect(pulled).toEqual({ from_deployment: handle, objects: 3 });
  const retired = planner.api.GET('/api/v1/projects/{project_id}/skills/{skill}', {
    params: { path: { project_id: projectId, skill: 'demand' } },
  });
  await expect(retired).rejects.toBeInstanceOf(NotFoundError);
  const own = await succeed(
    planner.api.GET('/api/v1/projects/{project_id}/skills/{skill}', {
      params: { path: { project_id: projectId, skill: 'shift-rules' } },
    }),
  );
  expect(own.scope).toBe('project');
}

async function listEverything(
  owner: Person,
  planner: Person,
  projectId: string,
  deployment: Schemas['DeploymentResponse'],
): Promise<void> {
  const { api } = planner;
  const project = await succeed(
    api.GET('/api/v1/projects/{project_id}', { params: { path: { project_id: projectId } } }),
  );
  const projects = await succeed(api.GET('/api/v1/projects'));
  expect(projects).toMatchObject({
    limit: 50,
    offset: 0,
    total: 1,
    projects: [{ id: projectId, name: 'Week 12', status: 'idle' }],
  });
  expect(projects.projects[0]?.total_credits).toBe(project.total_credits);
  const deployments = await succeed(api.GET('/api/v1/deployments', { params: { query: { limit: 10 } } }));
  expect(deployments).toMatchObject({
    limit: 10,
    offset: 0,
    total: 1,
    deployments: [{ id: deployment.id, handle: deployment.handle }],
  });
  const executions = await succeed(
    api.GET('/api/v1/projects/{project_id}/solve/executions', { params: { path: { project_id: projectId } } }),
  );
  expect(executions).toEqual({ executions: [], limit: 50, offset: 0, total: 0 });

  const everyone = await succeed(owner.api.GET('/api/v1/usage/users'));
  const spent = {
    user_id: planner.user,
    display_name: planner.name,
    email: `${planner.user}@example.com`,
    totals: { credits: 0.01 },
  };
  expect(everyone.users[0]).toEqual(spent);
  expect(project.total_credits).toBe(0.01);
  // A member sees only their own usage.
  expect(await succeed(api.GET('/api/v1/usage/users'))).toEqual({
    users: [spent],
    limit: 50,
    offset: 0,
    total: 1,
  });
}
