import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { FileContentResponse } from '../../../src/files/files.dto.js';
import type { QueryResponse } from '../../../src/tables/query.dto.js';
import type { TableResponse } from '../../../src/tables/table.dto.js';
import { makeDeployment, makeFile, makeProject, type Place } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useService } from '../../support/service.js';

const service = useService({ settings: { METRICS: 'true' } });

interface Workspace {
  client: Client;
  place: Place & { project_id: string };
}

async function makeWorkspace(files: Record<string, string> = {}): Promise<Workspace> {
  const { client } = await service.session();
  const { id } = await makeProject(client);
  const place = { source: 'workspace', project_id: id } as const;
  for (const [path, content] of Object.entries(files)) await makeFile(client, place, path, content);
  return { client, place };
}

const DEMAND = 'product;region;day;quantity\nchair;north;14.03.2025;1,5\ntable;south;15.03.2025;2\nchair;south;;4\n';
const PRICES = 'product,price\nchair,30\ntable,50\n';

const detail = (...loc: unknown[]): object => ({ detail: [{ loc: ['body', ...loc] }] });

describe('a table', () => {
  it('is shown with its columns, rows and dialect', async () => {
    const { client, place } = await makeWorkspace({ 'data/demand.csv': DEMAND });
    expect(await client.post<TableResponse>('/files/table', { ...place, path: 'data/demand.csv' })).toEqual({
      columns: [
        { name: 'product', type: 'text', nulls: 0, distinct: 2 },
        { name: 'region', type: 'text', nulls: 0, distinct: 2 },
        { name: 'day', type: 'date', nulls: 1, distinct: 2 },
        { name: 'quantity', type: 'number', nulls: 0, distinct: 3 },
      ],
      rows: [
        ['chair', 'north', '2025-03-14', 1.5],
        ['table', 'south', '2025-03-15', 2],
        ['chair', 'south', null, 4],
      ],
      limit: 100,
      offset: 0,
      total: 3,
      skipped: 0,
      sheets: null,
      dialect: expect.objectContaining({
        delimiter: ';',
        encoding: 'utf-8',
        header_row: 1,
        decimal: ',',
        uncertain: [],
      }),
      left_out: [],
    });
  });

  it('can be filtered, grouped, ordered and paged', async () => {
    const { client, place } = await makeWorkspace({ 'demand.csv': DEMAND });
    const at = { ...place, path: 'demand.csv' };
    const page = await client.post<TableResponse>('/files/table', {
      ...at,
      columns: ['quantity', 'product'],
      where: [{ column: 'quantity', op: '>=', value: 2 }],
      order_by: [{ column: 'quantity', descending: true }],
      limit: 1,
      offset: 1,
    });
    expect(page).toMatchObject({ rows: [[2, 'table']], limit: 1, offset: 1, total: 2 });
    expect(page.columns).toMatchObject([{ name: 'quantity', distinct: 3 }, { name: 'product' }]);
    const groups = await client.post<TableResponse>('/files/table', {
      ...at,
      group_by: ['product'],
      aggregates: [{ function: 'sum', column: 'quantity', as: 'pieces' }, { function: 'count' }],
    });
    expect(groups).toMatchObject({
      rows: [
        ['chair', 5.5, 2],
        ['table', 2, 1],
      ],
      total: 2,
    });
    expect(groups.columns).toMatchObject([{ name: 'product', distinct: 2 }, { name: 'pieces', nulls: null }, {}]);
    const empty = { ...at, where: [{ column: 'day', op: 'empty' }] };
    expect(await client.post('/files/table', empty)).toMatchObject({ rows: [['chair', 'south', null, 4]] });
  });

  it('shows headers that differ from the column names', async () => {
    const { client, place } = await makeWorkspace({ 'wide.csv': 'plant,Jan,jan,\nGraz,1,2,5\nLinz,3,4,6\n' });
    const { columns } = await client.post<TableResponse>('/files/table', { ...place, path: 'wide.csv' });
    expect(columns.map(({ name, header }) => ({ name, header }))).toEqual([
      { name: 'plant' },
      { name: 'Jan' },
      { name: 'jan_2', header: 'jan' },
      { name: 'column_4', header: '' },
    ]);
  });

  it('can be read from a deployment, but not by another company', async () => {
    const { client, place } = await makeWorkspace({ 'prices.csv': PRICES });
    const { handle } = await makeDeployment(client);
    const template = { source: 'deployment', deployment_name: handle } as const;
    await makeFile(client, template, 'prices.csv', PRICES);
    expect(await client.post('/files/table', { ...template, path: 'prices.csv' })).toMatchObject({ total: 2 });
    const { client: stranger } = await service.session();
    expect(await stranger.send('POST', '/files/table', { body: { ...place, path: 'prices.csv' } })).toMatchObject({
      status: 404,
      body: { detail: 'Project not found' },
    });
  });

  it('compares long numbers exactly in a filter', async () => {
    const id = '12345678901234567890';
    const { client, place } = await makeWorkspace({
      'ids.json': `[{"id":${id},"n":1},{"id":12345678901234567891,"n":2}]`,
      'large.json': '[{"a":1e20}]',
    });
    const filtered = async (path: string, filter: string) =>
      await client.send<TableResponse>('POST', '/files/table', {
        text: `${JSON.stringify({ ...place, path }).slice(0, -1)},"where":[${filter}]}`,
      });
    expect(await filtered('ids.json', `{"column":"id","op":"=","value":"${id}"}`)).toMatchObject({
      body: { columns: [{ name: 'id', type: 'text', distinct: 2 }, { name: 'n' }], rows: [[id, 1]] },
    });
    const exact = '{"column":"a","op":"=","value":100000000000000000000}';
    expect((await filtered('large.json', exact)).body.rows).toEqual([[1e20]]);
    for (const value of ['100000000000000000001', '[1, 100000000000000000001]'])
      expect(
        await filtered('large.json', `{"column":"a","op":"${value.startsWith('[') ? 'in' : '='}","value":${value}}`),
      ).toMatchObject({
        status: 422,
        body: { detail: [{ msg: expect.stringContaining('too many digits') }] },
      });
  });

  it('is rejected with the location of the error if the file or the request is invalid', async () => {
    const { client, place } = await makeWorkspace({
      'ragged.csv': 'a,b\n1,2\n3\n',
      'AGENTS.md': '# Hello',
      'empty.csv': '',
      'prices.csv': PRICES,
    });
    const ask = async (body: object) => await client.send('POST', '/files/table', { body: { ...place, ...body } });
    const refused = (...loc: unknown[]): object => ({ status: 422, body: detail(...loc) });
    const ragged = await ask({ path: 'ragged.csv' });
    expect(ragged).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'path'], ctx: { row: 3 } }] } });
    expect(await ask({ path: 'ragged.csv', ignore_errors: true })).toMatchObject({
      status: 200,
      body: { rows: [[1, 2]], total: 1, skipped: 1 },
    });
    expect(await ask({ path: 'AGENTS.md' })).toMatchObject(refused('path'));
    expect(await ask({ path: 'empty.csv' })).toMatchObject(refused('path'));
    expect(await ask({ path: 'gone.csv' })).toMatchObject({ status: 404, body: { detail: 'File not found' } });
    const wrong = (query: object): Promise<object> => ask({ path: 'prices.csv', ...query });
    expect(await wrong({ columns: ['price', 'cost'] })).toMatchObject(refused('columns', 1));
    expect(await wrong({ where: [{ column: 'cost', op: '=', value: 1 }] })).toMatchObject(
      refused('where', 0, 'column'),
    );
    expect(await wrong({ where: [{ column: 'price', op: 'in', value: 1 }] })).toMatchObject(
      refused('where', 0, 'value'),
    );
    expect(await wrong({ where: [{ column: 'price', op: '~', value: 1 }] })).toMatchObject(refused('where', 0, 'op'));
    expect(await wrong({ aggregates: [{ function: 'sum' }] })).toMatchObject(refused('aggregates', 0, 'column'));
    expect(await wrong({ limit: 10_001 })).toMatchObject(refused('limit'));
  });
});

describe('a query', () => {
  it('joins the tables that it names', async () => {
    const { client, place } = await makeWorkspace({ 'in/demand.csv': DEMAND, 'in/prices.csv': PRICES });
    const answer = await client.post<QueryResponse>('/files/query', {
      ...place,
      tables: { demand: 'in/demand.csv', prices: { path: 'in/prices.csv' } },
      sql: 'SELECT product, sum(quantity * price) AS revenue FROM demand JOIN prices USING (product) GROUP BY ALL ORDER BY 1',
    });
    expect(answer).toEqual({
      columns: [
        { name: 'product', type: 'text' },
        { name: 'revenue', type: 'number' },
      ],
      rows: [
        ['chair', 165],
        ['table', 100],
      ],
      limit: 100,
      truncated: false,
      saved: null,
      tables: ['demand', 'prices'].map((name) => ({
        name,
        skipped: 0,
        dialect: expect.objectContaining({ encoding: 'utf-8', uncertain: [] }),
        left_out: [],
      })),
    });
    const first = { ...place, tables: { d: 'in/demand.csv' }, sql: 'FROM d', limit: 1 };
    expect(await client.post('/files/query', first)).toMatchObject({ rows: [{}], truncated: true });
  });

  it('saves its complete result as a file that can be read as a table', async () => {
    const { client, place } = await makeWorkspace({ 'demand.csv': DEMAND });
    const query = { ...place, tables: { d: 'demand.csv' }, sql: 'SELECT product, quantity FROM d', limit: 1 };
    const { rows, saved } = await client.post<QueryResponse>('/files/query', { ...query, save_as: 'out/all.csv' });
    expect(rows).toHaveLength(1);
    expect(saved).toMatchObject({ path: 'out/all.csv', content_type: 'text/csv', source: 'upload' });
    const { text } = await client.post<FileContentResponse>('/files/content', { ...place, path: 'out/all.csv' });
    expect(text).toBe('product,quantity\nchair,1.5\ntable,2.0\nchair,4.0\n');
    await client.post('/files/query', { ...query, save_as: 'out/all.parquet' });
    expect(await client.post('/files/table', { ...place, path: 'out/all.parquet' })).toMatchObject({ total: 3 });
  });

  it('saves a result from deployment tables in the given project if the caller may write there', async () => {
    const { client, place } = await makeWorkspace();
    const { handle } = await makeDeployment(client);
    const template = { source: 'deployment', deployment_name: handle } as const;
    await makeFile(client, template, 'prices.csv', PRICES);
    const query = { ...template, tables: { p: 'prices.csv' }, sql: 'FROM p', save_as: 'p.csv' };
    expect(await client.send('POST', '/files/query', { body: query })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body', 'project_id'] }] },
    });
    const { project_id } = place;
    expect(await client.post('/files/query', { ...query, project_id })).toMatchObject({ saved: { path: 'p.csv' } });
    const other = await makeWorkspace();
    const stolen = { ...query, project_id: other.place.project_id };
    expect(await client.send('POST', '/files/query', { body: stolen })).toMatchObject({ status: 404 });
  });

  it('reports errors with their location and changes nothing', async () => {
    const { client, place } = await makeWorkspace({ 'prices.csv': PRICES, 'ragged.csv': 'a,b\n1\n' });
    const ask = async (body: object) =>
      await client.send('POST', '/files/query', {
        body: { ...place, tables: { p: 'prices.csv' }, save_as: 'out.csv', ...body },
      });
    const refused = (...loc: unknown[]): object => ({ status: 422, body: detail(...loc) });
    for (const sql of [
      'SELECT cost FROM p',
      'DROP TABLE p',
      'FROM p; FROM p',
      `SELECT * FROM read_csv('${service.environment.dataDir}/jwt-secret')`,
      `COPY p TO '${service.environment.dataDir}/copy.csv'`,
    ]) {
      const answer = await ask({ sql });
      expect(answer).toMatchObject(refused('sql'));
      expect(JSON.stringify((answer.body as { detail: { msg: string }[] }).detail[0]?.msg)).not.toContain('/');
    }
    expect(await ask({ tables: { p: 'ragged.csv' }, sql: 'FROM p' })).toMatchObject(refused('tables', 'p'));
    expect(await ask({ tables: { p: '../x.csv' }, sql: 'FROM p' })).toMatchObject(refused('tables', 'p'));
    expect(await ask({ tables: { p: 'gone.csv' }, sql: 'FROM p' })).toMatchObject({
      status: 404,
      body: { detail: 'File gone.csv not found' },
    });
    expect(await ask({ tables: { p: { path: 'prices.csv', sheet: 'x' } }, sql: 'FROM p' })).toMatchObject(
      refused('tables', 'p', 'sheet'),
    );
    for (const [name, other] of [
      ['', 'b'],
      ['a', 'A'],
      ['a\u0001', 'b'],
    ] as const) {
      const tables = { [name]: 'prices.csv', [other]: 'prices.csv' };
      const wrong = name === 'a' ? other : name;
      expect(await ask({ tables, sql: 'SELECT 1' })).toMatchObject(refused('tables', wrong));
    }
    expect(await ask({ sql: 'FROM p', save_as: 'out.txt' })).toMatchObject(refused('save_as'));
    const { entries } = await client.post<{ entries: { path: string }[] }>('/files/list', place);
    expect(entries.map(({ path }) => path)).toEqual(['prices.csv', 'ragged.csv']);
  });
});

/** Returns the ids of the data engine processes that belong to the service of this file. */
async function enginePids(): Promise<number[]> {
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(join('/proc', name, file), 'utf8').catch(() => '')),
    );
    const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent === service.pid && command?.includes('engine-process')) found.push(Number(name));
  }
  return found;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

it('answers all queries even if a data engine process is killed while it is working', async () => {
  const { client, place } = await makeWorkspace({ 'prices.csv': PRICES });
  const query = {
    ...place,
    tables: { p: 'prices.csv' },
    sql: 'SELECT count(*) FROM range(30000000) a, p WHERE a.range % 7 = price % 7',
  };
  const right = await client.post<QueryResponse>('/files/query', query);
  const asked = Promise.all(
    Array.from({ length: 4 }, async () => await client.post<QueryResponse>('/files/query', query)),
  );
  await eventually(
    () => metric('pws_data_engine_waiting'),
    (waiting) => waiting > 0,
    { until: 'queries wait' },
  );
  for (const pid of await enginePids()) process.kill(pid, 'SIGKILL');
  for (const { rows } of await asked) expect(rows).toEqual(right.rows);
  expect(await metric('pws_data_engine_restarts_total')).toBeGreaterThan(0);
});

describe('the guide', () => {
  it('answers questions about a table, and suggests questions for an attached table', async () => {
    const { client, place } = await makeWorkspace({ 'in/demand.csv': DEMAND });
    const { project_id } = place;
    const say = async (content: string, file_ids: string[] = []): Promise<string> => {
      await client.post(`/projects/${project_id}/chat`, { content, file_ids });
      return (await idle(client, project_id)).messages.at(-1)?.content ?? '';
    };
    expect(await say('Here it is', ['in/demand.csv'])).toContain(
      '`in/demand.csv` is a table with 3 rows; you can ask `show in/demand.csv`, `how many rows has in/demand.csv`, ' +
        '`sum of quantity by product in in/demand.csv`.',
    );
    expect(await say('show demand.csv')).toContain(
      '| `product` | `region` | `day` | `quantity` |\n| --- | --- | --- | ---: |\n| `chair` | `north` | `2025-03-14` | 1.5 |',
    );
    expect(await say('how many rows has demand.csv?')).toContain('`in/demand.csv` has 3 rows.');
    expect(await say('sum of Quantity by product in demand.csv')).toContain(
      'Sum of `quantity` by `product` in `in/demand.csv`:\n\n' +
        '| `product` | `sum of quantity` |\n| --- | ---: |\n| `chair` | 5.5 |\n| `table` | 2 |',
    );
    expect(await say('average quantity in demand.csv')).toContain('Average of `quantity` in `in/demand.csv`: 2.5.');
    expect(await say('sum of cost in demand.csv')).toContain('has no column `cost`: its columns are `product`, ');
    expect(await say('show gone.csv')).toContain('the workspace has no file `gone.csv`');
  });
});
