import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/config/config.js';
import type { BlobsService } from '../../src/files/blobs/blobs.service.js';
import type { ContainerRef } from '../../src/files/tree/container-ref.js';
import type { ContainersService } from '../../src/files/tree/containers.service.js';
import type { FileTreeReaderService } from '../../src/files/tree/file-tree-reader.service.js';
import type { FileTreeService } from '../../src/files/tree/file-tree.service.js';
import { TooLarge } from '../../src/common/errors/errors.js';
import { DiskStore } from '../../src/storage/disk.store.js';
import { SecretsRepository } from '../../src/common/secrets/secrets.repository.js';
import { SecretsService } from '../../src/common/secrets/secrets.service.js';
import { SignedUrlsService } from '../../src/storage/signed-urls.service.js';
import { useDatabase } from '../support/database.js';
import { fileServices } from '../support/file-services.js';

const db = useDatabase();
const config = new Config();
let containers: ContainersService;
let trees: FileTreeService;
let blobs: BlobsService;
let store: DiskStore;
let reader: FileTreeReaderService;

beforeAll(async () => {
  config.DATA_DIR = await mkdtemp(join(tmpdir(), 'file-contents-'));
  store = new DiskStore(config, new SignedUrlsService(new SecretsService(new SecretsRepository(db.source))));
  await store.onModuleInit();
  ({ containers, trees, reader, blobs } = fileServices(db, store, config));
  await db.database.manager.query(`INSERT INTO companies (id) VALUES ('one'), ('two'), ('three')`);
});
afterAll(async () => await rm(config.DATA_DIR, { recursive: true, force: true }));

async function makeContainer(kind: 'deployment' | 'agent_config' = 'deployment'): Promise<ContainerRef> {
  return { company_id: 'one', container_id: await db.database.transaction((tx) => containers.create(tx, 'one', kind)) };
}

/** Writes a skill in the same way as the modules that depend on the files module. */
async function putSkill(ref: ContainerRef, skill: string, files: Record<string, string | Buffer>): Promise<void> {
  const stored = await blobs.storeAll(ref.company_id, Object.values(files));
  const byPath = new Map(Object.keys(files).map((path, index) => [path, stored[index] ?? { blob_id: '', size: 0 }]));
  await db.database.transaction((tx) => trees.replaceDirectory(tx, ref, `skills/${skill}`, byPath));
}

const textsOf = async (ref: ContainerRef, path: string): Promise<Record<string, string>> =>
  Object.fromEntries(await reader.readTexts(await reader.filesBelow(ref, path)));

describe('files in a tree', () => {
  it('can all be read, and are replaced together when their directory is replaced', async () => {
    const ref = await makeContainer();
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`deep/${index % 7}/${index}.md`, `text ${index}`]),
    );
    await putSkill(ref, 'a', { 'SKILL.md': '\ufeff# Ä', ...many });
    await putSkill(ref, 'ab', { 'SKILL.md': 'other' });
    expect(await textsOf(ref, 'skills/a')).toEqual({
      'skills/a/SKILL.md': '\ufeff# Ä',
      ...Object.fromEntries(Object.entries(many).map(([path, text]) => [`skills/a/${path}`, text])),
    });
    await putSkill(ref, 'a', { 'SKILL.md': 'new' });
    expect(await textsOf(ref, 'skills')).toEqual({ 'skills/a/SKILL.md': 'new', 'skills/ab/SKILL.md': 'other' });
    expect(await reader.readText(ref, 'skills/a/SKILL.md')).toBe('new');
    expect(await reader.readText(ref, 'skills/a')).toBeUndefined();
    expect(await textsOf(ref, 'not-there')).toEqual({});
  });

  it('contain replacement characters where their text is not valid UTF-8', async () => {
    const ref = await makeContainer();
    await putSkill(ref, 'a', { 'SKILL.md': Buffer.from([0x61, 0x80]) });
    expect(await textsOf(ref, 'skills')).toEqual({ 'skills/a/SKILL.md': 'a\ufffd' });
  });

  it('are not read if they are too large', async () => {
    const ref = await makeContainer();
    await putSkill(ref, 'a', { 'SKILL.md': Buffer.alloc(17 * 1024 ** 2, 'x') });
    await expect(textsOf(ref, 'skills')).rejects.toThrow(TooLarge);
  });
});

describe('the digest of a configuration', () => {
  it('is the same for configurations with equal files, and changes when any path or content changes', async () => {
    const [ref, copy, other] = [await makeContainer(), await makeContainer('agent_config'), await makeContainer()];
    const digest = async (of: ContainerRef): Promise<string> => await reader.digest(of, ['AGENTS.md', 'skills']);
    const empty = await digest(ref);
    await putSkill(ref, 'a', { 'SKILL.md': 'a', 'b/c': 'c' });
    const first = await digest(ref);
    expect(first).not.toBe(empty);
    await db.database.transaction((tx) => trees.copy(tx, { from: ref, to: copy, only: ['skills'] }));
    await putSkill(other, 'a', { 'b/c': 'c', 'SKILL.md': 'a' });
    expect(await digest(copy)).toBe(first);
    expect(await digest(other)).toBe(first);
    await putSkill(other, 'a', { 'b/c': 'C', 'SKILL.md': 'a' });
    expect(await digest(other)).not.toBe(first);
    await db.database.transaction((tx) =>
      trees.moveAll(tx, copy, [{ source_path: 'skills/a/b', dest_path: 'skills/a/d' }]),
    );
    expect(await digest(copy)).not.toBe(first);
  });
});

describe('blobs', () => {
  it('can be referenced only after they are stored, and cannot be deleted while they are referenced', async () => {
    const ref = await makeContainer();
    const { manager } = db.database;
    const blob_id = await blobs.begin(manager, 'one');
    const put = db.database.transaction((tx) => trees.putFile(tx, ref, 'a', { blob_id, size: 1 }));
    await expect(put).rejects.toThrow('nodes_blob_fkey');
    await store.put(`blobs/${blob_id}`, Readable.from([Buffer.from('a')]));
    await blobs.finish(manager, 'one', { blob_id, size: 1 });
    await db.database.transaction((tx) => trees.putFile(tx, ref, 'a', { blob_id, size: 1 }));
    expect(await reader.readText(ref, 'a')).toBe('a');
    await expect(manager.query('DELETE FROM blobs WHERE id = $1', [blob_id])).rejects.toThrow('nodes_blob_fkey');
  });

  it('count towards the storage limit of their company, even if they are stored concurrently', async () => {
    const settings = Object.assign(new Config(), { FILES_COMPANY_MAX_BYTES: 10 });
    const { blobs: limited } = fileServices(db, store, settings);
    await limited.store('two', 'sixsix');
    const objects = async (): Promise<number> =>
      (await readdir(join(config.DATA_DIR, 'objects/blobs'), { recursive: true })).length;
    const before = await objects();
    await expect(limited.store('two', 'fives')).rejects.toThrow(TooLarge);
    expect(await objects()).toBe(before);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, async () => await limited.store('two', 'four')),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await limited.store('three', 'of another company'.slice(0, 10));
    await expect(limited.store('two', 'x')).rejects.toThrow(TooLarge);
  });
});
