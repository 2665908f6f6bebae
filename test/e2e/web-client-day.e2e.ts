import { describe, expect, it } from '@jest/globals';
import type { ChatMessageListResponse, ChatResponse } from '../../src/chat/chat.dto.js';
import type { ChatMessageResponse } from '../../src/chat/messages/message.dto.js';
import type { DeploymentListResponse, DeploymentResponse } from '../../src/deployments/deployments.dto.js';
import type { ExecutionListResponse } from '../../src/executions/executions.dto.js';
import type {
  BatchMoveResponse,
  DeleteResponse,
  FileContentResponse,
  FileEntry,
  FileListResponse,
  MkdirResponse,
} from '../../src/files/files.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../src/projects/projects.dto.js';
import type {
  AgentConfigPullResponse,
  AgentInstructionsResponse,
  ProjectSkillDetail,
  SkillDetail,
  SkillSummary,
} from '../../src/skills/skills.dto.js';
import type { UserUsageListResponse } from '../../src/usage/usage.dto.js';
import { makeFile, makeProject, sendParts } from '../factories/make.js';
import { idle } from '../factories/turns.js';
import type { Wire } from '../support/client.js';
import { useService } from '../support/service.js';
import type { Session } from '../support/session.js';

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

const service = useService();

describe('a day of the web client', () => {
  it('goes from an empty company to an answered message, a shadowed skill and the listings', async () => {
    const owner = await service.session({ role: 'company' });
    const planner = await service.session({ role: 'member', company: owner.company });

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

async function setUpDeployment({ client }: Session): Promise<Wire<DeploymentResponse>> {
  const deployment = await client.post<DeploymentResponse>('/deployments', { name: 'Production planning' });
  expect(deployment).toMatchObject({ name: 'Production planning', handle: 'production-planning' });

  const stored = await client.put<AgentInstructionsResponse>('/deployments/production-planning/instructions', {
    content: INSTRUCTIONS,
  });
  expect(stored).toEqual({ content: INSTRUCTIONS });

  const shifts = await client.put<SkillSummary>('/deployments/production-planning/skills/shift-rules', {
    files: SHIFT_RULES,
  });
  expect(shifts).toEqual({
    name: 'shift-rules',
    description: 'How shifts are planned',
    files: ['SKILL.md', 'examples/night.md'],
  });
  await client.put('/deployments/production-planning/skills/demand', { files: DEMAND });
  return deployment;
}

async function setUpProject(
  { client, user, name }: Session,
  { handle }: Wire<DeploymentResponse>,
): Promise<Wire<ProjectResponse>> {
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
  const changed = await client.patch<ProjectResponse>(`/projects/${project.id}`, {
    description: 'What we make in week 12',
  });
  expect(changed.description).toBe('What we make in week 12');
  expect(await client.get<ProjectResponse>(`/projects/${project.id}`)).toEqual(changed);
  return changed;
}

/** Uploads, moves, reads and deletes; answers the small file that stays. */
async function workWithFiles({ client }: Session, project_id: string): Promise<Wire<FileEntry>> {
  const place = { source: 'workspace', project_id } as const;

  const big = bigCsv();
  const sent = await sendParts(client, place, 'history.csv', big, 'text/csv');
  expect(sent.parts).toHaveLength(3);
  const history = await client.post<FileEntry>('/files/upload/complete', { ...place, ...sent });
  expect(history).toMatchObject({
    path: 'history.csv',
    size: BIG_CSV_BYTES,
    content_type: 'text/csv',
    source: 'upload',
  });
  const tooLarge = await client.send('POST', '/files/content', { body: { ...place, path: 'history.csv' } });
  expect(tooLarge.status).toBe(413);

  await makeFile(client, place, 'demand.csv', SMALL_CSV);
  await makeFile(client, place, 'draft.txt', 'Not needed.');
  await makeFile(client, place, 'old.txt', 'Not needed either.');
  expect(await client.post<MkdirResponse>('/files/mkdir', { ...place, path: 'inputs' })).toEqual({
    created: true,
    path: 'inputs',
  });
  const moves = [
    { source_path: 'demand.csv', dest_path: 'inputs/demand.csv' },
    { source_path: 'history.csv', dest_path: 'inputs/history.csv' },
    { source_path: 'nothing.csv', dest_path: 'inputs/nothing.csv' },
  ];
  const moved = await client.post<BatchMoveResponse>('/files/batch-move', { ...place, moves });
  expect(moved).toMatchObject({ moved: 2, errors: [{ source_path: 'nothing.csv' }] });

  const content = await client.post<FileContentResponse>('/files/content', { ...place, path: 'inputs/demand.csv' });
  expect(content).toEqual({ text: SMALL_CSV, base64: null, content_type: 'text/csv' });
  expect(await client.post<DeleteResponse>('/files/delete', { ...place, path: 'draft.txt' })).toEqual({ deleted: 1 });
  const deleted = await client.post<DeleteResponse>('/files/batch-delete', {
    ...place,
    paths: ['old.txt', 'never-there.txt'],
  });
  expect(deleted).toEqual({ deleted: 1 });

  const left = await client.post<FileListResponse>('/files/list', { ...place, recursive: true });
  expect(left.directories).toEqual(['inputs']);
  expect(left.entries.map(({ path }) => path)).toEqual(['inputs/demand.csv', 'inputs/history.csv']);
  const [demand] = left.entries;
  if (demand === undefined) throw new Error('The listing is empty');
  return demand;
}

/** Twelve million bytes of rows that differ. */
function bigCsv(): Buffer {
  const rows: string[] = ['day,product,sold'];
  for (let length = 0, day = 0; length < BIG_CSV_BYTES; day += 1) {
    const row = `${day},product-${day % 97},${(day * 7919) % 1000}`;
    rows.push(row);
    length += row.length + 1;
  }
  return Buffer.from(rows.join('\n')).subarray(0, BIG_CSV_BYTES);
}

/** Posts a message and follows it through sync until it is answered; answers the whole conversation. */
async function talk(
  { client, user, name }: Session,
  projectId: string,
  file: Wire<FileEntry>,
): Promise<Wire<ChatMessageResponse>[]> {
  const message = {
    content: 'Please plan the week from our demand.',
    client_msg_id: 'm-1',
    file_ids: [file.id],
    context: [{ id: file.id, type: 'file' }],
  };
  const before = await client.get<ChatMessageListResponse>(`/projects/${projectId}/chat`);
  expect(before).toMatchObject({ messages: [], total: 0 });

  const posted = await client.send<ChatResponse>('POST', `/projects/${projectId}/chat`, { body: message });
  expect(posted.status).toBe(202);
  expect(posted.body.message).toMatchObject({
    project_id: projectId,
    role: 'user',
    content: message.content,
    client_msg_id: 'm-1',
    file_ids: [file.id],
    user_id: user,
    user_name: name,
    api_key_name: null,
    is_partial: false,
  });
  const again = await client.send<ChatResponse>('POST', `/projects/${projectId}/chat`, { body: message });
  expect(again).toMatchObject({ status: 202, body: { message: { id: posted.body.message.id } } });

  const synced = await idle(client, projectId);
  expect(synced.turn).toMatchObject({ state: 'idle', next_seq: 0 });
  expect(synced.messages[0]).toEqual(posted.body.message);
  const answer = synced.messages.at(-1);
  expect(answer).toMatchObject({ role: 'assistant', is_partial: false, conversation_id: synced.conversation_id });
  // The rule-based agent says what it is and names what it has mounted.
  expect(answer?.content).toContain('rule-based');
  expect(answer?.content).toContain('shift-rules');
  return synced.messages;
}

async function readHistory(
  { client }: Session,
  projectId: string,
  messages: Wire<ChatMessageResponse>[],
): Promise<void> {
  const path = `/projects/${projectId}/chat`;
  const whole = await client.get<ChatMessageListResponse>(path);
  expect(whole).toEqual({ messages, limit: 200, offset: 0, total: messages.length });
  const newest = await client.get<ChatMessageListResponse>(path, { limit: 1 });
  expect(newest.messages).toEqual(messages.slice(-1));
  const first = await client.get<ChatMessageListResponse>(path, { limit: 1, offset: messages.length - 1 });
  expect(first.messages).toEqual(messages.slice(0, 1));
}

async function shadowSkill(
  { client }: Session,
  projectId: string,
  { handle }: Wire<DeploymentResponse>,
): Promise<void> {
  const path = `/projects/${projectId}/skills/shift-rules`;
  expect(await client.get<ProjectSkillDetail>(path)).toMatchObject({ scope: 'deployment', files: SHIFT_RULES });
  await client.put<SkillSummary>(path, { files: OWN_SHIFT_RULES });
  expect(await client.get<ProjectSkillDetail>(path)).toEqual({
    name: 'shift-rules',
    description: 'Our shifts last eight hours.',
    files: OWN_SHIFT_RULES,
    scope: 'project',
    shadows: true,
  });
  const untouched = await client.get<SkillDetail>(`/deployments/${handle}/skills/shift-rules`);
  expect(untouched.files).toEqual(SHIFT_RULES);
}

async function pullAgain(
  owner: Session,
  planner: Session,
  projectId: string,
  { handle }: Wire<DeploymentResponse>,
): Promise<void> {
  await owner.client.put(`/deployments/${handle}/instructions`, { content: NEW_INSTRUCTIONS });
  await owner.client.delete(`/deployments/${handle}/skills/demand`);
  const unchanged = await planner.client.get<ProjectSkillDetail>(`/projects/${projectId}/skills/demand`);
  expect(unchanged.scope).toBe('deployment');

  const pulled = await planner.client.post<AgentConfigPullResponse>(`/projects/${projectId}/agent-config/pull`, {
    from_deployment: handle,
  });
  // AGENTS.md and the two files of the skill that is left.
  expect(pulled).toEqual({ from_deployment: handle, objects: 3 });
  const retired = await planner.client.send('GET', `/projects/${projectId}/skills/demand`);
  expect(retired.status).toBe(404);
  const own = await planner.client.get<ProjectSkillDetail>(`/projects/${projectId}/skills/shift-rules`);
  expect(own.scope).toBe('project');
}

async function listEverything(
  owner: Session,
  planner: Session,
  projectId: string,
  deployment: Wire<DeploymentResponse>,
): Promise<void> {
  const { client } = planner;
  const project = await client.get<ProjectResponse>(`/projects/${projectId}`);
  const projects = await client.get<ProjectSummaryListResponse>('/projects');
  expect(projects).toMatchObject({
    limit: 50,
    offset: 0,
    total: 1,
    projects: [{ id: projectId, name: 'Week 12', status: 'idle' }],
  });
  expect(projects.projects[0]?.total_credits).toBe(project.total_credits);
  const deployments = await client.get<DeploymentListResponse>('/deployments', { limit: 10 });
  expect(deployments).toMatchObject({
    limit: 10,
    offset: 0,
    total: 1,
    deployments: [{ id: deployment.id, handle: deployment.handle }],
  });
  const executions = await client.get<ExecutionListResponse>(`/projects/${projectId}/solve/executions`);
  expect(executions).toEqual({ executions: [], limit: 50, offset: 0, total: 0 });

  const everyone = await owner.client.get<UserUsageListResponse>('/usage/users');
  const spent = {
    user_id: planner.user,
    display_name: planner.name,
    email: `${planner.user}@example.com`,
    totals: { credits: 0.01 },
  };
  expect(everyone.users[0]).toEqual(spent);
  expect(project.total_credits).toBe(0.01);
  // A member sees nobody else's row.
  expect(await client.get<UserUsageListResponse>('/usage/users')).toEqual({
    users: [spent],
    limit: 50,
    offset: 0,
    total: 1,
  });
}
