import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredBlob } from '../../src/files/blobs/blobs.service.js';
import type { ContainerRef } from '../../src/files/tree/container-ref.js';
import type { ContainersService } from '../../src/files/tree/containers.service.js';
import type { FileTreeReaderService } from '../../src/files/tree/file-tree-reader.service.js';
import type { FileTreeService } from '../../src/files/tree/file-tree.service.js';
import { CountDirectoryEntries1760000000250 } from '../../src/database/migrations/1760000000250-count-directory-entries.js';
import type { Tx } from '../../src/database/database.service.js';
import { DomainError } from '../../src/common/errors/errors.js';
import { useDatabase } from '../support/database.js';
import { fileServices } from '../support/file-services.js';
import { type ModelMove, ModelTree, Refusal } from './file-trees.model.js';

const company_id = 'company';
const db = useDatabase();
let containers: ContainersService;
let trees: FileTreeService;
let reader: FileTreeReaderService;
/** Blobs by the single letter that tests use as content. Tree operations never read the blob's object. */
const blobs = new Map<string, StoredBlob>();
const blobOf = (content: string): StoredBlob => blobs.get(content) ?? { blob_id: '', size: 0 };

beforeAll(async () => {
  ({ containers, trees, reader } = fileServices(db));
  await db.database.manager.query('INSERT INTO companies (id) VALUES ($1)', [company_id]);
  for (const [size, content] of ['x', 'y', 'z'].entries()) {
    const [row] = await db.database.manager.query<{ id: string }[]>(
      `INSERT INTO blobs (company_id, state, size) VALUES ($1, 'stored', $2) RETURNING id`,
      [company_id, size],
    );
    blobs.set(content, { blob_id: row?.id ?? '', size });
  }
});

/** Real tree with its expected model. */
interface Pair {
  ref: ContainerRef;
  model: ModelTree;
}

async function makePair(kind: ModelTree['kind']): Promise<Pair> {
  const container_id = await db.database.transaction((tx) => containers.create(tx, company_id, kind));
  return { ref: { company_id, container_id }, model: new ModelTree(kind) };
}

interface StoredNode {
  path: string;
  kind: 'directory' | 'file';
  implied: boolean;
  blob_id: string | null;
  file_id: string | null;
}

/** Returns all entries in a container, without using the code under test. */
async function dump({ container_id }: ContainerRef): Promise<StoredNode[]> {
  return await db.database.manager.query(
    `WITH RECURSIVE t AS (
       SELECT n.*, n.name::text AS path FROM nodes n WHERE container_id = $1 AND parent_id = 0
       UNION ALL
       SELECT n.*, t.path || '/' || n.name FROM t JOIN nodes n ON n.container_id = $1 AND n.parent_id = t.node_id
     )
     SELECT path, kind, implied, blob_id, file_id FROM t`,
    [container_id],
  );
}

/** Returns the directories in a container whose entry count is wrong. */
async function miscounted({ container_id }: ContainerRef): Promise<object[]> {
  return await db.database.manager.query(
    `SELECT d.node_id, d.name, d.entries FROM nodes d
      WHERE d.container_id = $1
        AND d.entries <> (SELECT count(*) FROM nodes n WHERE n.container_id = $1 AND n.parent_id = d.node_id)`,
    [container_id],
  );
}

async function expectSame({ ref, model }: Pair): Promise<void> {
  const stored = new Map((await dump(ref)).map(({ path, ...node }) => [path, node]));
  const wanted = new Map(
    [...model.nodes].map(([path, node]) => [
      path,
      node.kind === 'file'
        ? { kind: 'file', implied: false, blob_id: blobOf(node.content).blob_id, file_id: node.id }
        : { kind: 'directory', implied: node.implied, blob_id: null, file_id: null },
    ]),
  );
  expect(stored).toEqual(wanted);
  expect(await miscounted(ref)).toEqual([]);
}

/** Copies the ids of new files to the model. */
async function adoptIds({ ref, model }: Pair, paths: readonly string[]): Promise<void> {
  const known = new Set(
    [...model.nodes.values()].flatMap((node) => (node.kind === 'file' && node.id !== null ? [node.id] : [])),
  );
  for (const path of paths) {
    const file = await reader.find(ref, path);
    const node = model.nodes.get(path);
    if (node?.kind !== 'file') throw new Error(`The model has no file ${path}`);
    expect(file?.file_id).toEqual(expect.any(String));
    expect(known).not.toContain(file?.file_id);
    node.id = file?.file_id ?? null;
  }
}

async function attempt<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await db.database.transaction(work);
  } catch (error) {
    if (error instanceof DomainError) return new Refusal(error.status as Refusal['status']);
    throw error;
  }
}

/** Uses only a few names and short paths, so that operations collide. */
const name = fc.constantFrom<string>('a', 'b', 'AGENTS.md');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
/** Names whose byte order differs from alphabetical order, and enough names to fill several pages. */
const listedPath = fc
  .array(fc.constantFrom('a', 'a-', 'B', 'é', 'z', '日'), { minLength: 1, maxLength: 3, size: '-1' })
  .map((names) => names.join('/'));
const content = fc.constantFrom('x', 'y', 'z');
const which = fc.nat({ max: 1 });

type Step = (pair: Pair, other: Pair) => Promise<void>;

const steps: fc.Arbitrary<{ text: string; at: number; run: Step }> = fc.oneof(
  fc.record({ at: which, path }).map(({ at, path }) => ({
    text: `mkdir ${path}`,
    at,
    run: async ({ ref, model }: Pair) => {
      expect(await attempt((tx) => trees.makeDirectory(tx, ref, path))).toEqual(model.makeDirectory(path));
    },
  })),
  fc.record({ at: which, path, content }).map(({ at, path, content }) => ({
    text: `put ${path} ${content}`,
    at,
    run: async ({ ref, model }: Pair) => {
      const isNew = !model.nodes.has(path);
      const file = await attempt((tx) => trees.putFile(tx, ref, path, blobOf(content)));
      const refusal = model.putFile(path, content, null);
      if (refusal !== undefined) expect(file).toEqual(refusal);
      else {
        expect(file).toMatchObject({ path, ...blobOf(content) });
        if (isNew && model.kind === 'workspace') await adoptIds({ ref, model }, [path]);
      }
    },
  })),
  fc.record({ at: which, path, recursive: fc.boolean() }).map(({ at, path, recursive }) => ({
    text: `remove ${path} ${recursive}`,
    at,
    run: async ({ ref, model }: Pair) => {
      expect(await attempt((tx) => trees.remove(tx, ref, path, { recursive }))).toEqual(model.remove(path, recursive));
    },
  })),
  fc.record({ at: which, paths: fc.array(path, { maxLength: 4 }) }).map(({ at, paths }) => ({
    text: `remove all ${paths.join(' ')}`,
    at,
    run: async ({ ref, model }: Pair) => {
      expect(await attempt((tx) => trees.removeAll(tx, ref, paths))).toBe(model.removeAll(paths));
    },
  })),
  fc
    .record({ at: which, moves: fc.array(fc.record({ source_path: path, dest_path: path }), { maxLength: 4 }) })
    .map(({ at, moves }) => ({
      text: `move ${JSON.stringify(moves)}`,
      at,
      run: async ({ ref, model }: Pair) => {
        const problems = await attempt((tx) => trees.moveAll(tx, ref, moves));
        const made = moves.map((move: ModelMove) => model.move(move));
        expect(problems).toEqual(made.map((done) => (done ? undefined : expect.any(String))));
      },
    })),
  fc
    .record({
      at: which,
      path,
      files: fc.uniqueArray(fc.record({ path: fc.constantFrom('s', 't', 'u/v', 'u/w'), content }), {
        selector: (file) => file.path,
      }),
    })
    .map(({ at, path, files }) => ({
      text: `replace ${path} by ${JSON.stringify(files)}`,
      at,
      run: async ({ ref, model }: Pair) => {
        const stored = new Map(files.map((file) => [file.path, blobOf(file.content)]));
        expect(await attempt((tx) => trees.replaceDirectory(tx, ref, path, stored))).toEqual(
          model.replaceDirectory(path, files),
        );
        if (model.kind === 'workspace') {
          const fresh = [...model.nodes].flatMap(([at, node]) =>
            node.kind === 'file' && node.id === null ? [at] : [],
          );
          await adoptIds({ ref, model }, fresh);
        }
      },
    })),
  fc
    .record({ at: which, names: fc.option(fc.array(name, { maxLength: 2 })), only: fc.boolean() })
    .map(({ at, names, only }) => ({
      text: `copy ${only ? 'only' : 'except'} ${names?.join(' ') ?? 'all'}`,
      at,
      run: async (to: Pair, from: Pair) => {
        const selection = names === null ? {} : only ? { only: names } : { except: names };
        const files = await attempt((tx) => trees.copy(tx, { from: from.ref, to: to.ref, ...selection }));
        const came = to.model.copy(from.model, (top) => names === null || names.includes(top) === only);
        expect(files).toBe(came.length);
        if (to.model.kind === 'workspace') await adoptIds(to, came);
      },
    })),
);

describe('file trees', () => {
  it('match a simple in-memory tree after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 30, size: 'max' }), async (sequence) => {
        const pairs = [await makePair('workspace'), await makePair('deployment')] as const;
        for (const { at, run } of sequence) {
          const [pair, other] = at === 0 ? pairs : ([pairs[1], pairs[0]] as const);
          await run(pair, other);
          await expectSame(pair);
        }
        const snapshot = await makePair('snapshot');
        const copied = await attempt((tx) => trees.copy(tx, { from: pairs[0].ref, to: snapshot.ref }));
        expect(copied).toBe(snapshot.model.copy(pairs[0].model, () => true).length);
        await expectSame(snapshot);
        await expectSame(pairs[0]);
      }),
      { numRuns: 100 },
    );
  }, 120_000);

  it('are listed page by page in a stable order, and their files are found by path and id', async () => {
    const file = fc.record({ path: listedPath, content });
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { maxLength: 20, size: 'max' }),
        fc.array(listedPath, { maxLength: 5 }),
        fc.record({
          path: fc.oneof(fc.constant(''), listedPath),
          recursive: fc.boolean(),
          limit: fc.integer({ min: 1, max: 6 }),
          offset: fc.nat({ max: 8 }),
        }),
        async (files, directories, page) => {
          const { ref, model } = await makePair('workspace');
          for (const { path, content } of files) {
            await attempt((tx) => trees.putFile(tx, ref, path, blobOf(content)));
            model.putFile(path, content, null);
          }
          for (const path of directories) {
            await attempt((tx) => trees.makeDirectory(tx, ref, path));
            model.makeDirectory(path);
          }
          const all = model.list(page.path, page.recursive);
          if (all === undefined) {
            await expect(reader.list(ref, page.path, page)).rejects.toThrow('Directory not found');
            return;
          }
          const wanted = all.slice(page.offset, page.offset + page.limit);
          const listed = await reader.list(ref, page.path, page);
          expect(listed.total).toBe(all.length);
          expect(listed.directories).toEqual(wanted.filter(({ kind }) => kind === 'directory').map(({ path }) => path));
          expect(listed.files.map(({ path }) => path)).toEqual(
            wanted.filter(({ kind }) => kind === 'file').map(({ path }) => path),
          );

          const below = await reader.filesBelow(ref, page.path);
          expect(below.map(({ path }) => path)).toEqual(
            (model.list(page.path, true) ?? []).filter(({ kind }) => kind === 'file').map(({ path }) => path),
          );
          const references = below.flatMap(({ path, file_id }) => [path, `/${path}`, file_id ?? '']);
          const found = await reader.findAll(ref, [...references, 'not-there', randomUUID()]);
          expect([...found.keys()].sort()).toEqual([...new Set(references)].sort());
          for (const { path, file_id, ...rest } of below) {
            expect(found.get(path)).toEqual({ path, file_id, ...rest });
            expect(found.get(file_id ?? '')).toEqual({ path, file_id, ...rest });
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it('remain consistent after many concurrent changes to the same paths', async () => {
    const { ref } = await makePair('workspace');
    const changes: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => trees.putFile(tx, ref, 'a/b/c', blobOf('x')),
      (tx) => trees.putFile(tx, ref, 'a/b', blobOf('y')),
      (tx) => trees.makeDirectory(tx, ref, 'a/b/c'),
      (tx) => trees.moveAll(tx, ref, [{ source_path: 'a/b', dest_path: 'd/b' }]),
      (tx) => trees.moveAll(tx, ref, [{ source_path: 'd', dest_path: 'a' }]),
      (tx) => trees.removeAll(tx, ref, ['a']),
      (tx) => trees.replaceDirectory(tx, ref, 'a/b', new Map([['c', blobOf('z')]])),
    ];
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        attempt(changes[index % changes.length] as (tx: Tx) => Promise<unknown>),
      ),
    );
    const nodes = await dump(ref);
    const [count] = await db.database.manager.query<{ count: number }[]>(
      'SELECT count(*) FROM nodes WHERE container_id = $1',
      [ref.container_id],
    );
    // Every node except the root can be reached from the root by a unique path, and no implied directory is empty.
    expect(nodes).toHaveLength((count?.count ?? 0) - 1);
    expect(new Set(nodes.map(({ path }) => path)).size).toBe(nodes.length);
    for (const { path, kind, implied } of nodes) {
      if (kind === 'directory' && implied)
        expect(nodes.some((inside) => inside.path.startsWith(`${path}/`))).toBe(true);
    }
    expect(await miscounted(ref)).toEqual([]);
  }, 60_000);

  it('have correct entry counts even if they were created before counts existed', async () => {
    const { ref } = await makePair('workspace');
    const put = (paths: string[]): Promise<unknown> =>
      attempt(async (tx) => {
        for (const path of paths) await trees.putFile(tx, ref, path, blobOf('x'));
      });
    const runner = db.source.createQueryRunner();
    const migration = new CountDirectoryEntries1760000000250();
    await put(['a', 'b/c', 'b/d/e']);
    try {
      await migration.down(runner);
      // Writes in the same way as a process of the previous version.
      await runner.query(
        `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, blob_id, size)
         SELECT $1, 1000 + d.node_id, d.node_id, file, 'file', $2, 0
           FROM (VALUES ('d', 'f'), ('', 'g')) made (directory, file) JOIN nodes d ON d.container_id = $1 AND d.name = directory`,
        [ref.container_id, blobOf('x').blob_id],
      );
      await runner.query(
        `UPDATE nodes SET parent_id = (SELECT node_id FROM nodes WHERE container_id = $1 AND name = 'b')
          WHERE container_id = $1 AND name = 'a'`,
        [ref.container_id],
      );
      await migration.up(runner);
    } finally {
      await runner.release();
    }
    expect(await miscounted(ref)).toEqual([]);
    await put(['b/d/h']);
    const page = { recursive: false, limit: 1, offset: 0 };
    const totals = ['', 'b', 'b/d'].map(async (path) => (await reader.list(ref, path, page)).total);
    expect(await Promise.all(totals)).toEqual([2, 3, 3]);
  });

  it('cannot be read or changed by other companies', async () => {
    const { ref } = await makePair('workspace');
    await attempt((tx) => trees.putFile(tx, ref, 'a', blobOf('x')));
    const foreign = { ...ref, company_id: 'another' };
    expect(await reader.find(foreign, 'a')).toBeUndefined();
    expect(await reader.filesBelow(foreign, '')).toEqual([]);
    expect((await reader.findAll(foreign, ['a', (await reader.find(ref, 'a'))?.file_id ?? ''])).size).toBe(0);
    await expect(reader.list(foreign, '', { recursive: true, limit: 1, offset: 0 })).rejects.toThrow(
      'Directory not found',
    );
    await expect(db.database.transaction((tx) => trees.putFile(tx, foreign, 'b', blobOf('x')))).rejects.toThrow(
      'has no container',
    );
  });

  it('cannot be read or changed after their container is deleted', async () => {
    const { ref } = await makePair('workspace');
    await attempt((tx) => trees.putFile(tx, ref, 'a', blobOf('x')));
    await db.database.transaction((tx) => containers.delete(tx, company_id, ref.container_id));
    expect(await reader.find(ref, 'a')).toBeUndefined();
    await expect(db.database.transaction((tx) => trees.putFile(tx, ref, 'b', blobOf('x')))).rejects.toThrow(
      'Project not found',
    );
  });
});
