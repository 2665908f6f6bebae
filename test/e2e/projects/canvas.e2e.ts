import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { readData } from '../../../packages/canvas/data-content.js';
import { type FileStates, fileKey } from '../../../packages/canvas/data-file.js';
import { derive, judge } from '../../../packages/canvas/derivation.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { rowsOf } from '../../support/rows.js';
import { useSharedService } from '../../support/service.js';

type Card = Wire<CardResponse>;

const service = useSharedService();
let client: Client;

beforeAll(async () => {
  client = (await service.session()).client;
});

const add = (project: string, body: object) => client.post<CardResponse>(`/projects/${project}/cards`, body);
const patch = (card: Pick<Card, 'id' | 'project_id'>, body: object) =>
  client.send<CardResponse>('PATCH', `/projects/${card.project_id}/cards/${card.id}`, { body });
const cardsOf = async (project: string): Promise<Card[]> =>
  (await client.get<CardListResponse>(`/projects/${project}/cards`)).cards;
const OBJECTIVE = { card_type: 'objective', label: 'Profit', data: { sense: 'maximize', expression: '3x' } };

describe('cards', () => {
  it('accept incomplete data, report gaps, and require the current version for a change', async () => {
    const { id } = await makeProject(client);
    const made = await add(id, { card_type: 'objective', label: 'Profit', data: { sense: 'maximize', weight: null } });
    expect(made).toMatchObject({ project_id: id, version: 1, status: 'needs_input', data: { sense: 'maximize' } });
    expect(made.gaps.map(({ field, severity }) => [field, severity])).toEqual([
      ['expression', 'blocking'],
      ['confirmed', 'info'],
    ]);
    const { body: changed } = await patch(made, { version: 1, data: { expression: '3x', note: 'kept' } });
    expect(changed).toMatchObject({
      version: 2,
      status: 'complete',
      data: { sense: 'maximize', expression: '3x', note: 'kept' },
    });
    expect(changed.gaps.map(({ field }) => field)).toEqual(['confirmed', 'expression']);
    expect(changed.updated_at > made.updated_at).toBe(true);
    const stale = await patch(made, { version: 1, label: 'Gain' });
    expect([stale.status, stale.body]).toEqual([
      409,
      { detail: 'The card has changed: its version is 2, not 1', code: 'version_conflict' },
    ]);
    expect((await patch(made, { version: 2, label: 'Profit' })).body).toEqual(changed);
    const cleared = await patch(made, { version: 2, data: { note: null }, instance_data: { x: 1 } });
    expect(cleared.body).toMatchObject({
      version: 3,
      instance_data: { x: 1 },
      data: { sense: 'maximize', expression: '3x' },
    });
    expect(await cardsOf(id)).toEqual([cleared.body]);
  });

  it('are kept separate for each project, even if two projects have the same revision', async () => {
    const other = (await service.session()).client;
    const [mine, theirs, empty] = [await makeProject(client), await makeProject(other), await makeProject(other)];
    const { label } = await add(mine.id, { card_type: 'kpi', label: 'Mine' });
    await other.post(`/projects/${theirs.id}/cards`, { card_type: 'kpi', label: 'Theirs' });
    // Simulates projects that were created before revisions existed.
    await rowsOf(
      service.environment,
      'UPDATE projects SET cards_revision = (SELECT cards_revision FROM projects WHERE id = $1) WHERE id = ANY ($2)',
      [mine.id, [theirs.id, empty.id]],
    );
    const labels = async (who: Client, { id }: { id: string }): Promise<string[]> =>
      (await who.get<CardListResponse>(`/projects/${id}/cards`)).cards.map((card) => card.label);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await labels(client, mine)).toEqual([label]);
      expect(await labels(other, theirs)).toEqual(['Theirs']);
      expect(await labels(other, empty)).toEqual([]);
    }
    expect((await other.send('GET', `/projects/${mine.id}/cards`)).status).toBe(404);
  });

  it('are validated again when other cards change, without receiving a new version', async () => {
    const { id } = await makeProject(client);
    const objective = await add(id, OBJECTIVE);
    const variable = await add(id, { card_type: 'variable', label: 'Chairs', data: { name: 'x', domain: 'integer' } });
    const fields = async () => (await cardsOf(id))[0]?.gaps.map(({ field }) => field);
    expect([objective.gaps.map(({ field }) => field), await fields()]).toEqual([
      ['confirmed', 'expression'],
      ['confirmed'],
    ]);
    await client.delete(`/projects/${id}/cards/${variable.id}`);
    expect([await fields(), (await cardsOf(id))[0]?.version]).toEqual([['confirmed', 'expression'], 1]);
  });

  it('are rejected if they are invalid, too large, unknown or from another company', async () => {
    const { id } = await makeProject(client);
    const status = async (body: object) => (await client.send('POST', `/projects/${id}/cards`, { body })).status;
    expect(await status({ card_type: 'dream', label: 'x' })).toBe(422);
    expect(await status({ card_type: 'kpi', label: '' })).toBe(422);
    expect(await status({ card_type: 'kpi', label: 'x'.repeat(201) })).toBe(422);
    expect(await status({ card_type: 'kpi', label: 'x', data: { text: 'x'.repeat(33_000) } })).toBe(422);
    const card = await add(id, { card_type: 'kpi', label: 'x', data: { a: 'x'.repeat(20_000) } });
    expect((await patch(card, { version: 1, data: { b: 'x'.repeat(20_000) } })).status).toBe(422);
    expect((await patch(card, { label: 'no version' })).status).toBe(422);
    const other = await makeProject(client);
    expect((await patch({ id: card.id, project_id: other.id }, { version: 1, label: 'y' })).status).toBe(404);
    expect((await patch({ id: 'none', project_id: id }, { version: 1, label: 'y' })).status).toBe(404);
    const stranger = (await service.session()).client;
    expect((await stranger.send('DELETE', `/projects/${id}/cards/${card.id}`)).status).toBe(404);
    expect((await stranger.send('POST', `/projects/${id}/cards`, { body: OBJECTIVE })).status).toBe(404);
    expect(await cardsOf(id)).toEqual([card]);
  });

  it('are changed one after another, so that only one of several parallel edits of the same version succeeds', async () => {
    const { id } = await makeProject(client);
    const card = await add(id, OBJECTIVE);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => patch(card, { version: 1, label: `Profit ${index}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(id, { card_type: 'kpi', label: `KPI ${index}` })));
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects');
    expect(projects.find((project) => project.id === id)?.card_count).toBe(9);
  });

  it('reset the feasibility result if a change affects the model', async () => {
    const { id } = await makeProject(client);
    const database = new pg.Client(service.environment.databaseUrl);
    await database.connect();
    const solved = () => database.query(`UPDATE projects SET feasibility_result = 'pass' WHERE id = $1`, [id]);
    const result = async () => (await client.get<ProjectResponse>(`/projects/${id}`)).completeness.feasibility_result;
    try {
      const card = await add(id, OBJECTIVE);
      await solved();
      await add(id, { card_type: 'kpi', label: 'On time' });
      await patch(card, { version: 1, label: 'Gain' });
      expect(await result()).toBe('pass');
      await patch(card, { version: 2, data: { expression: '4x' } });
      expect(await result()).toBe('unchecked');
    } finally {
      await database.end();
    }
  });
});

describe('derived project data', () => {
  const data = fc.record(
    {
      name: fc.constantFrom('x', 'y', '1'),
      domain: fc.constantFrom('integer', 'odd'),
      sense: fc.constantFrom('minimize', 'up'),
      expression: fc.constantFrom('x + y <= 4', '2x', 'all of it', 7),
      classification: fc.constantFrom('hard', 'soft'),
      penalty: fc.constantFrom(2, -1),
      weight: fc.constantFrom(1, null),
      confirmed: fc.boolean(),
      description: fc.constantFrom('Text', ' '),
      file_path: fc.constant('demand.csv'),
      values: fc.constantFrom({ y: 1 }, {}, null),
      quantity: fc.integer(),
    },
    { requiredKeys: [] },
  );
  const types = ['objective', 'variable', 'constraint', 'kpi', 'data', 'production_requirement'] as const;
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('add' as const), card_type: fc.constantFrom(...types), data }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), at: fc.nat(20), data }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(20) }) },
  );

  /** Returns file states in which all files of the cards are missing. */
  const noneOf = (cards: Parameters<typeof derive>[0]): FileStates =>
    new Map(
      cards.flatMap((card) => {
        const { file } = readData(card);
        return file === undefined ? [] : [[fileKey(file), 'missing'] as const];
      }),
    );

  it('equals the result of the pure functions after every change', async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { id } = await makeProject(client);
        let cards: Card[] = [];
        for (const change of steps) {
          const before = cards;
          const target = 'at' in change ? before[change.at % Math.max(1, before.length)] : undefined;
          if (change.kind === 'add') await add(id, { ...change, label: change.card_type });
          else if (target === undefined) continue;
          else if (change.kind === 'edit') await patch(target, { version: target.version, data: change.data });
          else await client.delete(`/projects/${id}/cards/${target.id}`);
          changes += 1;
          cards = await cardsOf(id);
          // The service also passes the cards in canvas order. The cast restores the types of their contents.
          const contents = cards as unknown as Parameters<typeof derive>[0];
          const files = noneOf(contents);
          expect(cards.map(({ gaps, status }) => ({ gaps, status }))).toEqual(judge(contents, files));
          const { card_count, ...derived } = derive(contents, files);
          const project = await client.get<ProjectResponse>(`/projects/${id}`);
          const { overall, feasibility_result, ...flags } = project.completeness;
          expect({ ...project, ...flags }).toMatchObject(derived);
          expect([overall, feasibility_result, cards.length]).toEqual(['incomplete', 'unchecked', card_count]);
        }
      }),
      { numRuns: 12 },
    );
    expect(changes).toBeGreaterThan(20);
  }, 30_000);
});
