import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { TableResponse } from '../../../src/tables/table.dto.js';
import { makeFile, makeProject, type Place } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';
import { workbookFile } from '../../support/workbook-file.js';

const service = useSharedService();

let client: Client;
let place: Place & { project_id: string };
beforeEach(async () => {
  ({ client } = await service.session());
  place = { source: 'workspace', project_id: (await makeProject(client)).id };
});

const upload = async (path: string, content: string | Uint8Array): Promise<void> =>
  void (await makeFile(client, place, path, content));
const table = (path: string, body: object = {}) =>
  client.post<TableResponse>('/files/table', { ...place, path, ...body });
const refusal = async (route: string, body: object): Promise<unknown> => {
  const answer = await client.send('POST', route, { body: { ...place, ...body } });
  expect(answer.status).toBe(422);
  return (answer.body as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc.join('.'));
};

const PLAN = 'Plan 2025\n\nitem;price;due\noak;1.250;03/04/2025\npine;2.500;05/06/2025\nTotal;3.750;\n';
/** Table whose total row is above the other rows, so the service reads the total row as data. */
const KEPT_TOTAL = 'region,qty\nTotal,30\nN,10\nS,20\n';

describe('POST /files/table', () => {
  it('reports the dialect of a file, its guesses and the omitted rows', async () => {
    await upload('plan.csv', PLAN);
    expect(await table('plan.csv')).toMatchObject({
      rows: [
        ['oak', 1250, '2025-04-03'],
        ['pine', 2500, '2025-06-05'],
      ],
      dialect: {
        delimiter: ';',
        header_row: 3,
        first_row: 4,
        last_row: 5,
        other_last_row: null,
        decimal: ',',
        thousands: '.',
        date_order: 'day_first',
        uncertain: ['decimal', 'date_order'],
      },
      left_out: [
        { place: 'above', kind: 'title', first: 1, last: 1, text: 'Plan 2025' },
        { place: 'below', kind: 'total', first: 6, last: 6, text: 'Total 3.750' },
      ],
    });
  });

  it('reads a file in the requested dialect even after it was read without a dialect', async () => {
    await upload('plan.csv', PLAN);
    await table('plan.csv');
    const dialect = { decimal: '.', date_order: 'month_first', last_row: 6 };
    expect(await table('plan.csv', { dialect })).toMatchObject({
      rows: [
        ['oak', 1.25, '2025-03-04'],
        ['pine', 2.5, '2025-05-06'],
        ['Total', 3.75, null],
      ],
      dialect: { ...dialect, uncertain: [] },
    });
    expect((await table('plan.csv', { dialect: { decimal: null } })).rows[0]).toEqual(['oak', 1250, '2025-04-03']);
  });

  it('reports the dialect of a workbook, but none for JSON', async () => {
    const rows = [['Plan'], undefined, ['p', 'n', null, 'q', 'm'], ['a', 1, null, 'u', 5], ['b', 2, null, 'v', 6]];
    await upload('plan.xlsx', workbookFile({ Plan: rows }));
    await upload('plan.json', '[{"a":1}]');
    expect(await table('plan.xlsx')).toMatchObject({
      rows: [
        ['a', 1],
        ['b', 2],
      ],
      dialect: { delimiter: null, quote: null, encoding: null, header_row: 3, first_row: 4, last_row: 5 },
      left_out: [
        { place: 'above', kind: 'title' },
        { place: 'beside', kind: 'table', first: 4, last: 5 },
      ],
    });
    expect(await table('plan.json')).toMatchObject({ dialect: null, left_out: [] });
  });

  it.each<[object, string]>([
    [{ delimiter: ';;' }, 'delimiter'],
    [{ delimiter: 'a' }, 'delimiter'],
    [{ quote: '`' }, 'quote'],
    [{ encoding: 'klingon' }, 'encoding'],
    [{ decimal: ';' }, 'decimal'],
    [{ thousands: '_' }, 'thousands'],
    [{ date_order: 'year_first' }, 'date_order'],
    [{ header_row: 0 }, 'header_row'],
    [{ first_row: 'x' }, 'first_row'],
    [{ decimal: ',', thousands: ',' }, 'thousands'],
    [{ header: false, header_row: 1 }, 'header_row'],
    [{ header_row: 3, first_row: 3 }, 'first_row'],
    [{ first_row: 5, last_row: 4 }, 'last_row'],
    [{ decimals: ',' }, 'decimals'],
    [{ header_row: 99 }, 'header_row'],
    [{ header_row: 2 }, 'header_row'],
    [{ last_row: 99 }, 'last_row'],
  ])('rejects the dialect %j with the location of the invalid field', async (dialect, field) => {
    await upload('plan.csv', PLAN);
    expect(await refusal('/files/table', { path: 'plan.csv', dialect })).toEqual([`body.dialect.${field}`]);
  });
});

describe('POST /files/query', () => {
  it('reads each table in its own dialect', async () => {
    await upload('plan.csv', PLAN);
    const month_first = { path: 'plan.csv', dialect: { date_order: 'month_first' } };
    const tables = { plan: 'plan.csv', other: month_first };
    const sql = 'SELECT plan.due, other.due FROM plan JOIN other USING (item) ORDER BY item';
    expect(await client.post('/files/query', { ...place, tables, sql })).toMatchObject({
      rows: [
        ['2025-04-03', '2025-03-04'],
        ['2025-06-05', '2025-05-06'],
      ],
    });
    const wrong = { plan: { path: 'plan.csv', dialect: { header_row: 99 } } };
    const at = 'body.tables.plan.dialect.header_row';
    expect(await refusal('/files/query', { tables: wrong, sql: 'FROM plan' })).toEqual([at]);
  });

  it('reports how each table was read, including guesses and omitted rows', async () => {
    await upload('plan.csv', PLAN);
    await upload('keep.csv', KEPT_TOTAL);
    await upload('ragged.json', '[{"item":"oak"},7]');
    const tables = { plan: 'plan.csv', kept: 'keep.csv', more: 'ragged.json' };
    const query = { ...place, tables, sql: 'SELECT sum(qty) FROM kept', ignore_errors: true };
    expect(await client.post('/files/query', query)).toMatchObject({
      rows: [[60]],
      tables: [
        {
          name: 'plan',
          skipped: 0,
          dialect: { decimal: ',', uncertain: ['decimal', 'date_order'] },
          left_out: [
            { place: 'above', kind: 'title', first: 1 },
            { place: 'below', kind: 'total', first: 6 },
          ],
        },
        { name: 'kept', skipped: 0, dialect: { uncertain: ['subtotals'] }, left_out: [] },
        { name: 'more', skipped: 1, dialect: null, left_out: [] },
      ],
    });
  });
});

describe('a data card', () => {
  const gapsOf = async (label: string): Promise<string[]> => {
    const { cards } = await client.get<CardListResponse>(`/projects/${place.project_id}/cards`);
    const gaps = cards.find((card) => card.label === label)?.gaps ?? [];
    return gaps.map(({ severity, field, message }) => `${severity} ${field}: ${message}`);
  };
  const add = (card_type: string, label: string, data: object): Promise<Wire<CardResponse>> =>
    client.post<CardResponse>(`/projects/${place.project_id}/cards`, { card_type, label, data });

  async function solve(): Promise<Record<string, unknown>> {
    const path = `/projects/${place.project_id}/solve/executions`;
    const { id } = await client.post<ExecutionResponse>(path, {});
    return await eventually(
      () => client.get<Record<string, unknown>>(`${path}/${id}`),
      ({ status }) => status === 'succeeded' || status === 'failed',
      { until: 'the execution is over' },
    );
  }

  it('leaves total rows out of the plan, reports them, and uses the decimal separator of its dialect', async () => {
    await upload('items.csv', 'item;limit\noak;1.250\npine;2.500\nTotal;3.750\n');
    const set = { set: 'items', file_path: 'items.csv', key: ['item'], description: 'What we make' };
    const { id, version } = await add('data', 'Items', set);
    await add('variable', 'make', { name: 'make', index: 'i in items', domain: 'continuous', upper: 'limit[i]' });
    await add('objective', 'Most', { sense: 'maximize', expression: 'sum i in items: make[i]' });
    await eventually(
      () => gapsOf('Items'),
      (gaps) => gaps.length === 2 && gaps.every((gap) => gap.startsWith('info dialect: items.csv: ')),
      { until: 'the card says what was left out and guessed' },
    );
    expect(await gapsOf('Items')).toEqual([
      'info dialect: items.csv: left out: row 4 (total: Total 3.750)',
      'info dialect: items.csv: some numbers can be read with a decimal point or a decimal comma; a decimal comma is assumed',
    ]);
    expect(await solve()).toMatchObject({ result: { objective_value: 3_750 } });
    await client.patch(`/projects/${place.project_id}/cards/${id}`, {
      version,
      data: { ...set, dialect: { decimal: '.' } },
    });
    await eventually(
      () => gapsOf('Items'),
      (gaps) => gaps.length === 1,
      { until: 'nothing is guessed' },
    );
    expect(await solve()).toMatchObject({ result: { objective_value: 3.75 } });
  });

  it('has a gap for an invalid dialect and for a dialect that does not match the file', async () => {
    await upload('items.csv', 'item;limit\noak;1\n');
    const set = { file_path: 'items.csv', key: ['item'], description: 'What we make' };
    await add('data', 'Typo', { ...set, set: 'first', dialect: { decimals: ',' } });
    await add('data', 'Behind', { ...set, set: 'second', dialect: { header_row: 9 } });
    await eventually(
      () => gapsOf('Behind'),
      (gaps) => gaps.some((gap) => gap.includes('The file has no row 9')),
      { until: 'the file was read' },
    );
    expect((await gapsOf('Typo')).join()).toContain('blocking dialect: dialect must be an object that describes how');
  });
});

describe('the guide', () => {
  it('reports omitted rows and guesses', async () => {
    await upload('plan.csv', PLAN);
    const { project_id } = place;
    const say = async (content: string, file_ids: string[] = []): Promise<string> => {
      await client.post(`/projects/${project_id}/chat`, { content, file_ids });
      return (await idle(client, project_id)).messages.at(-1)?.content ?? '';
    };
    const leftOut = 'left out: row 1 (title: Plan 2025), row 6 (total: Total 3.750)';
    const guesses =
      'Some numbers can be read with a decimal point or a decimal comma; a decimal comma is assumed. ' +
      'Some dates fit several orders of day, month and year; the day is assumed to come first.';
    const introduced = await say('Here it is', ['plan.csv']);
    expect(introduced).toContain(`\`plan.csv\` is a table with 2 rows, ${leftOut}; you can ask`);
    expect(introduced).toContain(guesses);
    expect(await say('show plan.csv')).toContain(`${leftOut.replace('l', 'L')}. ${guesses}`);
    expect(await say('how many rows has plan.csv?')).toContain(`\`plan.csv\` has 2 rows, ${leftOut}. ${guesses}`);
    expect(await say('total price in plan.csv')).toContain(
      `\`plan.csv\`: 3750. ${leftOut.replace('l', 'L')}. ${guesses}`,
    );
    expect(await say('average price by item in plan.csv')).toContain(`\n\n${leftOut.replace('l', 'L')}. ${guesses}`);
    await upload('keep.csv', KEPT_TOTAL);
    const kept = 'Some rows are labelled as totals or may be the sums of other rows; they are read as data.';
    expect(await say('total qty in keep.csv')).toContain(`\`keep.csv\`: 60. ${kept}`);
    await upload('two.csv', 'product,qty\noak,10\npine,20\n\nplant,capacity\nMetz,5\nLyon,6\n');
    const answer = await say('sum of qty in two.csv');
    expect(answer).toContain('`qty` in `two.csv` has the type text, so it has no sum.');
    expect(answer).toContain('The table may end at row 3, above an empty row');
  });
});
