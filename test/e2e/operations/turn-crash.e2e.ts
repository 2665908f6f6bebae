import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { removeEnvironment, Service } from '../../support/service.js';

type Sync = Wire<ConversationSyncResponse>;

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});

afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
});

const post = (client: Client, project: string, content: string) =>
  client.post<ChatResponse>(`/projects/${project}/chat`, { content });

const when = (client: Client, project: string, until: string, done: (sync: Sync) => boolean): Promise<Sync> =>
  eventually(() => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`), done, {
    until,
    deadlineMs: 30_000,
  });

/** Locks a table against all readers and writers, so that work that needs the table blocks. */
async function hold(table: string): Promise<pg.Client> {
  const holder = new pg.Client(service.environment.databaseUrl);
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return holder;
}

describe('turns whose process is killed', () => {
  it('are retried if they have no visible output, and end otherwise, so that no conversation is stuck', async () => {
    const { client, user, company } = await service.session();
    const [spoken, silent] = [(await makeProject(client)).id, (await makeProject(client)).id];

    // This turn blocks in the transaction that would end the turn. The other turn blocks before its first word.
    const ledger = await hold('usage_ledger');
    await post(client, spoken, 'Hello');
    const partial = await when(client, spoken, 'the agent has spoken', ({ turn }) => turn.next_seq > 2);
    const nodes = await hold('nodes');
    await post(client, silent, 'Hello');
    await when(client, silent, 'the turn runs', ({ turn }) => turn.state === 'streaming');
    await post(client, silent, 'Anybody there?');

    await service.kill();
    // Otherwise, the server would complete the statements that the process has already sent, including the commit, when
    // the lock is released.
    await ledger.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'project-workspace-service'`,
    );
    await Promise.all([ledger.end(), nodes.end()]);
    service = await Service.start({ environment: service.environment });
    const { client: again } = await service.session({ user, company });

    const isIdle = ({ turn }: Sync): boolean => turn.state === 'idle';
    const [ended, answered] = await Promise.all([
      when(again, spoken, 'the seen turn has ended', isIdle),
      when(again, silent, 'the unseen turn was answered', isIdle),
    ]);
    expect(ended.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system']);
    expect(ended.messages[1]).toMatchObject({ id: partial.turn.message_id, is_partial: false });
    expect(ended.messages[1]?.tool_calls).not.toContainEqual(expect.objectContaining({ status: 'running' }));
    expect(answered.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
    expect((await again.get<ProjectResponse>(`/projects/${silent}`)).total_credits).toBe(0.01);

    await post(again, spoken, 'Go on');
    const { messages } = await when(again, spoken, 'the next message is answered', isIdle);
    expect(messages.map(({ role, sequence }) => [role, sequence])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['system', 3],
      ['user', 4],
      ['assistant', 5],
    ]);
    expect((await again.get<ProjectResponse>(`/projects/${spoken}`)).total_credits).toBe(0.01);
  }, 90_000);
});
