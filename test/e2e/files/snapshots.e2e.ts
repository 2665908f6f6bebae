import { describe, expect, it } from '@jest/globals';
import type { FileContentResponse, FileListResponse } from '../../../src/files/files.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { SnapshotListResponse, SnapshotResponse } from '../../../src/projects/snapshots.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';

const service = useSharedService();

async function open(): Promise<{ client: Client; id: string; at: string }> {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  return { client, id, at: `/projects/${id}/snapshots` };
}

describe('a snapshot', () => {
  it('preserves the workspace and the cards, and the newest snapshot is current', async () => {
    const { client, id, at } = await open();
    const place = { source: 'workspace', project_id: id } as const;
    await makeFile(client, place, 'a/b.txt', 'then');
    await client.post(`/projects/${id}/cards`, { card_type: 'variable', label: 'x' });
    const first = await client.post<SnapshotResponse>(at);
    expect(first).toMatchObject({ project_id: id, is_current: true, card_count: 1 });
    await makeFile(client, place, 'a/b.txt', 'now');
    await client.post('/files/mkdir', { ...place, path: 'empty' });
    const second = await client.post<SnapshotResponse>(at);
    expect((await client.get<ProjectResponse>(`/projects/${id}`)).current_snapshot_id).toBe(second.id);
    expect(await client.get<SnapshotListResponse>(at)).toEqual({
      snapshots: [second, { ...first, is_current: false }],
      limit: 50,
      offset: 0,
      total: 2,
    });
    expect(await client.get<SnapshotListResponse>(at, { limit: 1, offset: 1 })).toMatchObject({
      snapshots: [{ id: first.id }],
      total: 2,
    });
    await client.post('/files/delete', { ...place, path: 'a', recursive: true });
    for (const [snapshot_id, text] of [
      [first.id, 'then'],
      [second.id, 'now'],
    ]) {
      const file = { source: 'snapshot', snapshot_id, path: 'a/b.txt' };
      expect(await client.post<FileContentResponse>('/files/content', file)).toMatchObject({ text });
    }
    const { directories } = await client.post<FileListResponse>('/files/list', {
      source: 'snapshot',
      snapshot_id: second.id,
    });
    expect(directories).toEqual(['a', 'empty']);
  });

  it('can be deleted with its files, unless it is current', async () => {
    const { client, id, at } = await open();
    await makeFile(client, { source: 'workspace', project_id: id }, 'a.txt', 'a');
    const [first, second] = [await client.post<SnapshotResponse>(at), await client.post<SnapshotResponse>(at)];
    expect(await client.send('DELETE', `${at}/${second.id}`)).toMatchObject({
      status: 409,
      body: { detail: 'The current snapshot cannot be deleted; take another snapshot first' },
    });
    expect((await client.send('DELETE', `${at}/${first.id}`)).status).toBe(204);
    expect(await client.get<SnapshotListResponse>(at)).toMatchObject({ snapshots: [{ id: second.id }], total: 1 });
    for (const answer of [
      await client.send('DELETE', `${at}/${first.id}`),
      await client.send('DELETE', `${at}/none`),
      await client.send('POST', '/files/list', { body: { source: 'snapshot', snapshot_id: first.id } }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Snapshot not found' } });
  });

  it('is rejected if the project already has a hundred snapshots', async () => {
    const { client, id, at } = await open();
    const { id: first } = await client.post<SnapshotResponse>(at);
    for (let count = 1; count < 100; count += 1) await client.post(at);
    const full = { status: 409, body: { detail: 'A project can have at most 100 snapshots; delete one first' } };
    expect(await client.send('POST', at)).toMatchObject(full);
    expect(await client.send('PATCH', `/projects/${id}`, { body: { workspace_mode: 'run' } })).toMatchObject(full);
    expect((await client.send('DELETE', `${at}/${first}`)).status).toBe(204);
    expect((await client.send('POST', at)).status).toBe(201);
  }, 60_000);

  it('is not found in another project or company', async () => {
    const { client, at } = await open();
    const snapshot = await client.post<SnapshotResponse>(at);
    await client.post(at);
    const [other, stranger] = [await open(), await open()];
    const elsewhere = await makeProject(client);
    expect(await client.send('DELETE', `/projects/${elsewhere.id}/snapshots/${snapshot.id}`)).toMatchObject({
      status: 404,
      body: { detail: 'Snapshot not found' },
    });
    for (const [method, path] of [
      ['GET', at],
      ['POST', at],
      ['DELETE', `${at}/${snapshot.id}`],
    ] as const) {
      expect(await stranger.client.send(method, path)).toMatchObject({
        status: 404,
        body: { detail: 'Project not found' },
      });
    }
    expect(await other.client.get(other.at)).toMatchObject({ total: 0 });
  });
});
