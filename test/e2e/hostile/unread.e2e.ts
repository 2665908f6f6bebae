import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeFile, makeProject } from '../../factories/make.js';
import { storeConversation } from '../../factories/messages.js';
import { idle } from '../../factories/turns.js';
import { Bystander, expectUnharmed, HeldRequest, residentBytes } from '../../support/hostile.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const MiB = 1024 ** 2;
const service = useService();
let session: Session;
let project: string;

beforeAll(async () => {
  session = await service.session();
  ({ id: project } = await makeProject(session.client));
});

const bearer = () => ({ authorization: `Bearer ${session.token}` });

describe('a client that does not read responses', () => {
  // This test runs first, while the peak memory of the process is still low.
  it('neither delays other callers nor makes the service use much memory by requesting large files', async () => {
    const place = { source: 'workspace', project_id: project } as const;
    await makeFile(session.client, place, 'large.txt', Buffer.alloc(10 * MiB, '\n'));
    const bystander = await Bystander.start(service);
    const held = HeldRequest.startMany(8, `${service.url}/api/v1/files/content`, {
      headers: bearer(),
      body: JSON.stringify({ ...place, path: 'large.txt' }),
    });
    for (const request of held) expect(await request.head()).toMatchObject({ status: 200 });
    const { peak } = await residentBytes(service.pid);
    for (const request of held) request.close();
    await expectUnharmed(service, bystander);
    expect(peak).toBeLessThan(700 * MiB);
  }, 60_000);

  it('does not delay other callers by requesting large message windows', async () => {
    const database = new pg.Client(service.environment.databaseUrl);
    await database.connect();
    const messages = { content: `repeat('x', 100000)` };
    const conversation_id = await storeConversation(database, session, project, 1_000, messages);
    await database.end();
    const bystander = await Bystander.start(service);
    const unread: HeldRequest[] = [];
    // The requests are sent one after another, so that only the unread data accumulates and not the database load.
    for (const path of ['', '/sync', '', '/sync', '', '/sync']) {
      const query = `conversation_id=${conversation_id}&limit=1000`;
      const url = `${service.url}/api/v1/projects/${project}/chat${path}?${query}`;
      const request = HeldRequest.start(url, { method: 'GET', headers: bearer() });
      unread.push(request);
      expect((await request.head())?.status).toBe(200);
    }
    await expectUnharmed(service, bystander);
    for (const request of unread) request.close();
  });

  it('does not delay other callers by streaming the largest messages', async () => {
    const { client } = session;
    const { id } = await makeProject(client);
    const bystander = await Bystander.start(service);
    const streams = HeldRequest.startMany(20, `${service.url}/api/v1/projects/${id}/chat/stream`, {
      method: 'GET',
      headers: bearer(),
    });
    const heads = await Promise.all(streams.map(async (stream) => await stream.head()));
    expect(heads.map((head) => head?.status)).toEqual(streams.map(() => 200));
    for (let count = 0; count < 3; count += 1) {
      const body = { content: '\u{1F600}'.repeat(100_000) };
      expect((await client.send('POST', `/projects/${id}/chat`, { body })).status).toBe(202);
    }
    await idle(client, id);
    await expectUnharmed(service, bystander);
    for (const stream of streams) stream.close();
  });
});
