import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Config } from '../../src/config/config.js';
import { BlobsRepository } from '../../src/files/blobs/blobs.repository.js';
import { type BlobsService, keyOf } from '../../src/files/blobs/blobs.service.js';
import { DoomedObjectsRepository } from '../../src/files/blobs/doomed-objects.repository.js';
import type { ApiKeysService } from '../../src/auth/api-keys/api-keys.service.js';
import type { ContainerResolverService } from '../../src/files/container-resolver.service.js';
import { CollectorService } from '../../src/files/maintenance/collector.service.js';
import { ContainerEmptierService } from '../../src/files/maintenance/container-emptier.service.js';
import { ReconcilerService } from '../../src/files/maintenance/reconciler.service.js';
import { SweeperService } from '../../src/files/maintenance/sweeper.service.js';
import type { ContainerRef } from '../../src/files/tree/container-ref.js';
import { ContainersRepository } from '../../src/files/tree/containers.repository.js';
import type { ContainersService } from '../../src/files/tree/containers.service.js';
import { FileTreeRepository } from '../../src/files/tree/file-tree.repository.js';
import type { FileTreeReaderService } from '../../src/files/tree/file-tree-reader.service.js';
import type { FileTreeService } from '../../src/files/tree/file-tree.service.js';
import { UploadObjectsService } from '../../src/files/uploads/upload-objects.service.js';
import { UploadsRepository } from '../../src/files/uploads/uploads.repository.js';
import { UploadsService } from '../../src/files/uploads/uploads.service.js';
import type { PeriodicWorkService } from '../../src/database/queues/periodic-work.service.js';
import { DiskStore } from '../../src/storage/disk.store.js';
import { UploadMissing } from '../../src/storage/object-store.js';
import { SecretsRepository } from '../../src/common/secrets/secrets.repository.js';
import { SecretsService } from '../../src/common/secrets/secrets.service.js';
import { SignedUrlsService } from '../../src/storage/signed-urls.service.js';
import { useDatabase } from '../support/database.js';
import { fileServices } from '../support/file-services.js';

const company_id = 'company';
const db = useDatabase({ poolSize: 20 });
const config = new Config();
let containers: ContainersService;
let trees: FileTreeService;
let store: DiskStore;
let blobs: BlobsService;
let reader: FileTreeReaderService;
let collector: CollectorService;
let sweeper: SweeperService;
let uploads: UploadsRepository;
let reconciler: ReconcilerService;

beforeAll(async () => {
  config.DATA_DIR = await mkdtemp(join(tmpdir(), 'file-collector-'));
  store = new DiskStore(config, new SignedUrlsService(new SecretsService(new SecretsRepository(db.source))));
  await store.onModuleInit();
  ({ containers, trees, reader, blobs } = fileServices(db, store, config));
  const { database, source } = db;
  const periodic = undefined as unknown as PeriodicWorkService;
  const tree = new FileTreeRepository(source);
  const rows = new BlobsRepository(source);
  uploads = new UploadsRepository(source);
  const emptier = new ContainerEmptierService(new ContainersRepository(source), tree, uploads, config);
  collector = new CollectorService(
    periodic,
    emptier,
    database,
    rows,
    new DoomedObjectsRepository(source),
    store,
    config,
  );
  const resolver = undefined as unknown as ContainerResolverService;
  const apiKeys = undefined as unknown as ApiKeysService;
  const objects = new UploadObjectsService(store, config);
  const service = new UploadsService(database, uploads, objects, blobs, resolver, config, apiKeys, periodic);
  sweeper = new SweeperService(periodic, uploads, service);
  reconciler = new ReconcilerService(database, rows, tree, store);
  await db.database.manager.query('INSERT INTO companies (id) VALUES ($1)', [company_id]);
});
afterAll(async () => await rm(config.DATA_DIR, { recursive: true, force: true }));
beforeEach(() => {
  config.FILES_GRACE_SECONDS = 24 * 60 * 60;
});

async function makeContainer(kind: 'workspace' | 'snapshot' = 'workspace'): Promise<ContainerRef> {
  return { company_id, container_id: await db.database.transaction((tx) => containers.create(tx, company_id, kind)) };
}

async function putFile(ref: ContainerRef, path: string, text: string): Promise<string> {
  const blob = await blobs.store(company_id, text);
  await db.database.transaction((tx) => trees.putFile(tx, ref, path, blob));
  return blob.blob_id;
}

const remove = async (ref: ContainerRef, path: string): Promise<unknown> =>
  await db.database.transaction((tx) => trees.removeAll(tx, ref, [path]));

/** Returns whether a blob has a row and an object. */
async function stateOf(blob_id: string): Promise<{ row: boolean; object: boolean }> {
  const rows: unknown[] = await db.database.manager.query('SELECT FROM blobs WHERE id = $1', [blob_id]);
  return { row: rows.length === 1, object: (await store.size(keyOf(blob_id))) !== undefined };
}
const THERE = { row: true, object: true };
const GONE = { row: false, object: false };

/** Moves the times of all marks and deletions back by two days. */
async function age(): Promise<void> {
  const { manager } = db.database;
  await manager.query(`UPDATE blobs SET unreferenced_since = unreferenced_since - interval '2 days'`);
  await manager.query(`UPDATE containers SET deleted_at = deleted_at - interval '2 days'`);
}

describe('the collector', () => {
  it('marks unreferenced blobs and deletes them in the first pass after the grace period', async () => {
    const ref = await makeContainer();
    const [kept, replaced] = [await putFile(ref, 'kept', 'kept'), await putFile(ref, 'a', 'old')];
    const removed = await putFile(ref, 'b/c', 'removed');
    const unfinished = await blobs.begin(db.database.manager, company_id);
    await store.put(keyOf(unfinished), Buffer.from('never finished'));
    await putFile(ref, 'a', 'new');
    await remove(ref, 'b');
    const doomed = [replaced, removed, unfinished];
    for (let pass = 0; pass < 2; pass += 1) {
      await collector.collect();
      for (const blob of doomed) expect(await stateOf(blob)).toEqual(THERE);
    }
    await age();
    await collector.collect();
    for (const blob of doomed) expect(await stateOf(blob)).toEqual(GONE);
    expect(await stateOf(kept)).toEqual(THERE);
    expect(await reader.readText(ref, 'a')).toBe('new');
  });

  it('unmarks a blob that is referenced again', async () => {
    const ref = await makeContainer();
    const blob = await blobs.store(company_id, 'back');
    await collector.collect();
    await db.database.transaction((tx) => trees.putFile(tx, ref, 'back', blob));
    await age();
    await collector.collect();
    await remove(ref, 'back');
    await collector.collect();
    expect(await stateOf(blob.blob_id)).toEqual(THERE);
    await age();
    await collector.collect();
    expect(await stateOf(blob.blob_id)).toEqual(GONE);
  });

  it('keeps blobs that an unknown table references but deletes unreferenced blobs in the same pass', async () => {
    const stored = await blobs.storeAll(company_id, ['1', '2', '3', '4', '5']);
    const ids = stored.map(({ blob_id }) => blob_id);
    const { manager } = db.database;
    await manager.query('CREATE TABLE pins (blob_id uuid REFERENCES blobs (id))');
    await manager.query('INSERT INTO pins VALUES ($1)', [ids[2]]);
    await collector.collect();
    await age();
    await collector.collect();
    const states = await Promise.all(ids.map(stateOf));
    expect(states).toEqual([GONE, GONE, THERE, GONE, GONE]);
    await manager.query('DROP TABLE pins');
  });

  it('deletes objects whose rows were removed before the process was interrupted', async () => {
    const { blob_id } = await blobs.store(company_id, 'x');
    await db.database.manager.query(
      'WITH gone AS (DELETE FROM blobs WHERE id = $1 RETURNING id) INSERT INTO doomed_objects (blob_id) SELECT id FROM gone',
      [blob_id],
    );
    await collector.collect();
    expect(await stateOf(blob_id)).toEqual(GONE);
    expect(await db.database.manager.query('SELECT FROM doomed_objects')).toEqual([]);
  });

  it('removes deleted containers, and blobs that only a deleted container referenced', async () => {
    const [ref, copy] = [await makeContainer(), await makeContainer('snapshot')];
    const [shared, own] = [await putFile(ref, 'shared', 's'), await putFile(copy, 'own', 'o')];
    await db.database.transaction((tx) => trees.copy(tx, { from: ref, to: copy }));
    await db.database.transaction((tx) => containers.delete(tx, company_id, copy.container_id));
    await collector.collect();
    expect(await stateOf(own)).toEqual(THERE);
    await age();
    await collector.collect();
    await age();
    await collector.collect();
    expect(await stateOf(own)).toEqual(GONE);
    expect(await stateOf(shared)).toEqual(THERE);
    const left: unknown[] = await db.database.manager.query('SELECT FROM containers WHERE id = $1', [
      copy.container_id,
    ]);
    expect(left).toEqual([]);
  });

  it('never deletes a blob that a concurrent copy references, even if the original file is deleted', async () => {
    config.FILES_GRACE_SECONDS = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          beforeCopy: fc.nat(4),
          beforeCommit: fc.nat(8),
          beforeDelete: fc.nat(8),
          files: fc.integer({ min: 1, max: 5 }),
        }),
        async ({ beforeCopy, beforeCommit, beforeDelete, files }) => {
          const [source, target] = [await makeContainer(), await makeContainer('snapshot')];
          for (let file = 0; file < files; file += 1) await putFile(source, `d/${file}`, `text ${file}`);
          const over = { yes: false };
          const copying = db.database.transaction(async (tx) => {
            await pause(beforeCopy);
            const copied = await trees.copy(tx, { from: source, to: target });
            await pause(beforeCommit);
            return copied;
          });
          const deleting = pause(beforeDelete).then(async () => await remove(source, 'd'));
          const collecting = (async () => {
            while (!over.yes) await collector.collect();
          })();
          const [copied] = await Promise.allSettled([copying, deleting]);
          over.yes = true;
          await collecting;
          await collector.collect();
          const here = await reader.filesBelow(target, '');
          // A copy after the deletion either finds no files, or the foreign key rejects the copy and nothing changes.
          expect(here).toHaveLength(copied.status === 'fulfilled' ? copied.value : 0);
          for (const { path } of here) expect(await reader.readText(target, path)).toBe(`text ${path.slice(2)}`);
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe('the sweeper', () => {
  const open = async (ref: ContainerRef) => {
    const upload = { ...ref, path: 'a', content_type: null, size: null, part_size: 1, user_id: null, api_key_id: null };
    const { id, blob_id } = await db.database.transaction(async (tx) => {
      const begun = { blob_id: await blobs.begin(tx, company_id), token_hash: randomBytes(32) };
      return { ...begun, ...(await tx.withRepository(uploads).open({ ...upload, ...begun })) };
    });
    return { id, blob_id, uploadId: await store.startUpload(keyOf(blob_id)) };
  };
  const isOver = async ({ id, blob_id, uploadId }: Awaited<ReturnType<typeof open>>): Promise<boolean> => {
    const [row]: { state: string }[] = await db.database.manager.query('SELECT state FROM uploads WHERE id = $1', [id]);
    const parts = await store.listParts(keyOf(blob_id), uploadId).catch((error: unknown) => error);
    expect(row?.state).toBe(parts instanceof UploadMissing ? 'aborted' : 'open');
    return row?.state === 'aborted';
  };

  it('aborts expired uploads, even if the store’s upload id was never recorded', async () => {
    const ref = await makeContainer();
    const [noted, unnoted, alive] = [await open(ref), await open(ref), await open(ref)];
    await uploads.update(noted.id, { store_upload_id: noted.uploadId });
    await uploads.update(alive.id, { store_upload_id: alive.uploadId });
    await sweeper.sweep();
    for (const upload of [noted, unnoted, alive]) expect(await isOver(upload)).toBe(false);
    await db.database.manager.query(`UPDATE uploads SET expires_at = now() - interval '1 second' WHERE id = ANY ($1)`, [
      [noted.id, unnoted.id],
    ]);
    await sweeper.sweep();
    for (const upload of [noted, unnoted]) expect(await isOver(upload)).toBe(true);
    expect(await isOver(alive)).toBe(false);
    expect(await stateOf(noted.blob_id)).toEqual(GONE);
  });

  it('keeps an upload that is being completed until its lease expires', async () => {
    const upload = await open(await makeContainer());
    await db.database.manager.query(`UPDATE uploads SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      upload.id,
    ]);
    await uploads.claim(upload.id);
    await sweeper.sweep();
    expect(await store.listParts(keyOf(upload.blob_id), upload.uploadId)).toEqual([]);
    await db.database.manager.query(`UPDATE uploads SET lease_until = now() - interval '1 second' WHERE id = $1`, [
      upload.id,
    ]);
    await sweeper.sweep();
    expect(await isOver(upload)).toBe(true);
  });

  it('aborts uploads to a deleted container and removes the records of uploads that expired long ago', async () => {
    const ref = await makeContainer();
    const upload = await open(ref);
    await db.database.transaction((tx) => containers.delete(tx, company_id, ref.container_id));
    await sweeper.sweep();
    expect(await isOver(upload)).toBe(true);
    await db.database.manager.query(`UPDATE uploads SET expires_at = now() - interval '8 days' WHERE id = $1`, [
      upload.id,
    ]);
    await sweeper.sweep();
    expect(await db.database.manager.query('SELECT FROM uploads WHERE id = $1', [upload.id])).toEqual([]);
  });
});

describe('the reconciler', () => {
  it('finds objects without a row, rows without an object and files without content, and repairs all but the files', async () => {
    const ref = await makeContainer();
    const [fine, lost] = [await putFile(ref, 'fine', 'f'), await putFile(ref, 'a/b/lost', 'l')];
    const hollow = (await blobs.store(company_id, 'h')).blob_id;
    const orphan = `blobs/${randomUUID()}`;
    await store.put(orphan, Buffer.from('o'));
    await store.delete([keyOf(lost), keyOf(hollow)]);
    const found = await reconciler.compare();
    expect(found).toEqual({
      orphans: [orphan],
      hollow: [hollow],
      damaged: [{ container_id: ref.container_id, path: 'a/b/lost', blob_id: lost, size: 1, storedSize: null }],
    });
    await reconciler.mend(found);
    expect(await reconciler.compare()).toEqual({ orphans: [], hollow: [], damaged: found.damaged });
    expect(await stateOf(fine)).toEqual(THERE);
    expect((await reader.find(ref, 'a/b/lost'))?.blob_id).toBe(lost);
  });
});
