import { expect, it } from '@jest/globals';
import type { ExecutionListResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { FileEntry } from '../../../src/files/files.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { MAX_ROWS } from '../../../packages/canvas/column-values.js';
import { TABLE_ENDINGS } from '../../../packages/data-engine/table-format.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';

const service = useSharedService();

const NO_TABLE = `products.bin: The file is not a table: ${TABLE_ENDINGS}`;
const PRODUCTS = 'product,price,Unit cost,region\noak chair,10,4,north\ntable,30,12.5,south\nstool,5,1,north\n';

/** Project in a new company, with the actions that the tests need. */
class Planning {
  private constructor(
    readonly client: Client,
    readonly id: string,
  ) {}

  static async start(): Promise<Planning> {
    const { client } = await service.session();
    return new Planning(client, (await makeProject(client)).id);
  }

  async put(path: string, content: string): Promise<Wire<FileEntry>> {
    return await makeFile(this.client, { source: 'workspace', project_id: this.id }, path, content);
  }

  async add(card_type: string, label: string, data: object): Promise<Wire<CardResponse>> {
    return await this.client.post<CardResponse>(`/projects/${this.id}/cards`, { card_type, label, data });
  }

  /** Waits until the gaps of a card match. The gaps appear later, because files are read outside of requests. */
  async gaps(label: string, expected: string[]): Promise<void> {
    const look = async (): Promise<string[]> => {
      const { cards } = await this.client.get<CardListResponse>(`/projects/${this.id}/cards`);
      const card = cards.find((one) => one.label === label);
      return (card?.gaps ?? []).flatMap(({ severity, message }) => (severity === 'info' ? [] : [message]));
    };
    await eventually(look, (gaps) => JSON.stringify(gaps) === JSON.stringify(expected), {
      until: `the gaps of ${label} are ${JSON.stringify(expected)}`,
    });
  }

  async completeness(): Promise<ProjectResponse['completeness']> {
    return (await this.client.get<ProjectResponse>(`/projects/${this.id}`)).completeness;
  }

  async feasibility(expected: string): Promise<void> {
    const look = async (): Promise<string> => (await this.completeness()).feasibility_result;
    await eventually(look, (found) => found === expected, { until: `the feasibility is ${expected}` });
  }

  /** Adds a model for the products, with a total amount of at most 100. */
  async model(): Promise<void> {
    await this.add('data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] });
    await this.add('variable', 'make', { name: 'make', index: 'p in products', domain: 'integer', upper: 'price[p]' });
    await this.add('objective', 'Profit', {
      sense: 'maximize',
      expression: 'sum p in products: (price[p] - Unit_cost[p]) * make[p]',
    });
    await this.add('constraint', 'All', {
      expression: 'sum p in products: make[p] <= 100',
      classification: 'hard',
    });
  }

  /** Starts a solve and returns its id. */
  async solve(): Promise<string> {
    const { id } = await this.client.post<ExecutionResponse>(`/projects/${this.id}/solve/executions`, {});
    return id;
  }

  async over(execution: string): Promise<Wire<ExecutionResponse> & { error: unknown; result: unknown }> {
    return await eventually(
      () => this.client.get(`/projects/${this.id}/solve/executions/${execution}`),
      ({ status }) => !['queued', 'running'].includes(status),
      { until: 'the execution is over' },
    );
  }
}

it('updates the gaps of a set if its file changes', async () => {
  const planning = await Planning.start();
  const { client, id } = planning;
  await planning.add('data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] });
  await planning.gaps('Products', ['The workspace has no file products.csv']);
  expect((await planning.completeness()).data_available).toBe(false);
  await planning.put('products.csv', PRODUCTS);
  await planning.gaps('Products', []);
  expect((await planning.completeness()).data_available).toBe(true);

  await planning.put('products.csv', `${PRODUCTS} table ,31,13,south\n`);
  await planning.gaps('Products', ['products.csv, rows 3 and 5: the member table appears twice']);
  await planning.put('products.csv', 'product,price\na,1\n,2\n');
  await planning.gaps('Products', ['products.csv, row 3: product is empty']);
  await planning.put('products.csv', 'id,price\na,1\n');
  await planning.gaps('Products', ['products.csv has no column product. Its columns are id, price']);
  await planning.put('products.csv', 'product,price\na,1\nb,2,3\n');
  await planning.gaps('Products', ['products.csv: Row 3 has 3 cells, but the first row has 2']);
  await planning.put('products.csv', PRODUCTS);
  await planning.gaps('Products', []);
  await planning.add('constraint', 'Price', {
    expression: 'sum p in products: price[p] * x <= 3',
    classification: 'hard',
  });
  await planning.add('variable', 'x', { name: 'x', domain: 'integer' });
  await planning.gaps('Price', []);
  await planning.put('products.csv', PRODUCTS.replace('table,30', 'table,n/a'));
  await planning.gaps('Price', [
    'products.csv, row 3, column price: "n/a" is not a number (at character 20: price[p] * x <= 3)',
  ]);
  await planning.put('products.csv', PRODUCTS);

  await client.post('/files/batch-move', {
    source: 'workspace',
    project_id: id,
    moves: [{ source_path: 'products.csv', dest_path: 'old/products.csv' }],
  });
  await planning.gaps('Products', ['The workspace has no file products.csv']);
  await client.post('/files/batch-move', {
    source: 'workspace',
    project_id: id,
    moves: [{ source_path: 'old', dest_path: 'new' }],
  });
  await planning.add('data', 'New', { set: 'others', file_path: 'new/products.csv', column: 'region' });
  await planning.gaps('New', []);
  await client.post('/files/batch-delete', { source: 'workspace', project_id: id, paths: ['new'] });
  await planning.gaps('New', ['The workspace has no file new/products.csv']);
});

it('finds files by path, in any Unicode normalization form, but not by id', async () => {
  const planning = await Planning.start();
  const { id: file_id } = await planning.put('größe/products.csv', PRODUCTS);
  let sets = 0;
  const of = (path: string) => ({ set: `set${(sets += 1)}`, file_path: path, key: ['product'] });
  for (const path of ['/größe/products.csv', 'größe/products.csv'.normalize('NFD')]) {
    await planning.add('data', path, of(path));
    await planning.gaps(path, []);
  }
  await planning.add('data', 'Id', of(file_id ?? ''));
  await planning.gaps('Id', [`The workspace has no file ${file_id}`]);
  await planning.add('data', 'None', of('../products.csv'));
  await planning.gaps('None', ['The workspace has no file ../products.csv']);
});

it('determines the format of a file from its extension', async () => {
  const planning = await Planning.start();
  const { client, id } = planning;
  await planning.put('products.bin', PRODUCTS);
  await planning.add('data', 'Products', { set: 'products', file_path: 'products.bin', key: ['product'] });
  await planning.gaps('Products', [NO_TABLE]);
  const card = (await client.get<CardListResponse>(`/projects/${id}/cards`)).cards[0];
  await client.post('/files/batch-move', {
    source: 'workspace',
    project_id: id,
    moves: [{ source_path: 'products.bin', dest_path: 'products.csv' }],
  });
  await client.patch(`/projects/${id}/cards/${card?.id}`, {
    version: card?.version,
    data: { file_path: 'products.csv' },
  });
  await planning.gaps('Products', []);
});

it('reads files whose columns have the same names as virtual columns of the data engine', async () => {
  const planning = await Planning.start();
  await planning.put('odd.csv', 'file_row_number,FILENAME,place\n1,a,2\n2,b,3\n');
  await planning.add('data', 'Odd', { set: 'odd', file_path: 'odd.csv', key: ['file_row_number', 'place'] });
  await planning.gaps('Odd', []);
});

it('limits a canvas to 50 sets from files', async () => {
  const planning = await Planning.start();
  await planning.put('products.csv', PRODUCTS);
  for (let at = 0; at <= 50; at += 1)
    await planning.add('data', `Set ${at}`, { set: `s${at}`, file_path: 'products.csv', key: ['product'] });
  await planning.gaps('Set 49', []);
  await planning.gaps('Set 50', ['A canvas can have at most 50 sets from files']);
});

it('solves with data from files and resets feasibility if the files change', async () => {
  const planning = await Planning.start();
  await planning.put('products.csv', PRODUCTS);
  await planning.model();
  await planning.gaps('make', []);
  const first = await planning.over(await planning.solve());
  expect(first).toMatchObject({
    status: 'succeeded',
    result: { status: 'optimal', objective_value: 10 * 6 + 30 * 17.5 + 5 * 4, variables: { make: 45 } },
  });
  await planning.feasibility('pass');
  await planning.put('products.csv', PRODUCTS.replace('10,4', '11,4'));
  await planning.feasibility('unchecked');
  const second = await planning.over(await planning.solve());
  expect(second.result).toMatchObject({ objective_value: 11 * 7 + 30 * 17.5 + 5 * 4 });
  await planning.feasibility('pass');
  // A change to an unrelated file does not reset feasibility.
  await planning.put('notes.csv', 'a\n1\n');
  await planning.put('products.csv', PRODUCTS.replace('10,4', '11,4'));
  await planning.feasibility('unchecked');
});

it('uses the files as they were when the solve started', async () => {
  const planning = await Planning.start();
  const { client, id } = planning;
  await planning.put('products.csv', PRODUCTS);
  await planning.model();
  const execution = await planning.solve();
  await client.post('/files/batch-delete', { source: 'workspace', project_id: id, paths: ['products.csv'] });
  expect(await planning.over(execution)).toMatchObject({ status: 'succeeded', result: { objective_value: 605 } });
  await planning.gaps('Products', ['The workspace has no file products.csv']);
  // The result belongs to deleted files, so feasibility stays unchecked.
  await planning.feasibility('unchecked');
  expect(await planning.over(await planning.solve())).toMatchObject({
    status: 'failed',
    error: {
      code: 'incomplete_model',
      message: 'The data card "Products": the workspace has no file products.csv',
    },
  });
});

it('solves with a set of distinct values even if its column has empty cells', async () => {
  const planning = await Planning.start();
  await planning.put('products.csv', PRODUCTS.replace('south', ''));
  await planning.model();
  await planning.add('data', 'Regions', { set: 'regions', file_path: 'products.csv', column: 'region' });
  await planning.gaps('Regions', ['products.csv, row 3: region is empty, so it belongs to no member']);
  expect(await planning.over(await planning.solve())).toMatchObject({ status: 'succeeded' });
});

it.each([
  [
    'a duplicate member',
    'product,price,Unit cost\na,1,2\nb,2,2\n a,3,3\n',
    'products.csv, row 4: the member a is already in row 2',
  ],
  ['a member without a name', 'product,price,Unit cost\na,1,2\n,2,2\n', 'products.csv, row 3: product is empty'],
  ['a missing column', 'name,price,Unit cost\na,1,2\n', 'products.csv has no column product'],
  ['a missing value', 'product,price,Unit cost\na,1,2\nb,,2\n', 'price has no value for "b"'],
  [
    'text instead of a number',
    'product,price,Unit cost\na,1,2\nb,n/a,2\n',
    'price contains texts, so you cannot calculate with it: compare it in a condition, as in `where price[...] = "..."`',
  ],
  ['no rows of data', 'product,price,Unit cost\n', 'the members of products are missing'],
])('fails a solve and reports the problem in the file: %s', async (_, content, problem) => {
  const planning = await Planning.start();
  await planning.put('products.csv', content);
  await planning.model();
  const { status, error } = await planning.over(await planning.solve());
  expect([status, (error as { message: string }).message]).toEqual(['failed', expect.stringContaining(problem)]);
});

it('asks in the chat which column is the key and uses the reply', async () => {
  const planning = await Planning.start();
  const { client, id } = planning;
  await planning.put('data/products.csv', PRODUCTS);
  const say = async (body: object) => {
    await client.post(`/projects/${id}/chat`, body);
    return (await idle(client, id)).messages.at(-1);
  };
  await say({ content: 'products from products.csv' });
  await say({ content: 'maximize profit: sum p in products: price[p] * make[p]\nmake[p] binary for p in products' });
  const asked = await say({ content: 'Limit: sum p in products: make[p] <= 2, hard\nkpi: none' });
  const [question] = (asked?.tool_calls?.at(-1)?.input as { questions: { question: string; options: object[] }[] })
    .questions;
  expect(question).toMatchObject({
    question:
      '`products`: Which column of data/products.csv identifies the members of products? Its columns are product, price, Unit cost, region.',
    options: ['product', 'region', 'price', 'Unit cost', 'Remove products'].map((label) => ({ label })),
  });
  await say({ content: '', answer: { selections: { '0': ['product'] } } });
  const answered = await say({ content: 'requirement: none\nsolve' });
  expect(answered?.content).toContain('Solved: the objective is 40');
});

it('warns about keys without a matching row before a solve, and accepts dates in the file’s format', async () => {
  const plan = await Planning.start();
  await plan.put('plants.csv', 'plant,capacity\nseattle,350\nsan diego,600\n');
  await plan.put('lanes.csv', 'from,to,cost\nseattle,chicago,1\nSan Diego,chicago,2\n');
  await plan.put('orders.csv', 'order;due;amount\no1;02.02.2025;30\no2;01.03.2025;20\n');
  await plan.put('days.csv', 'day;most\n02.02.2025;25\n01.03.2025;25\n');
  await plan.add('data', 'Plants', { set: 'plants', file_path: 'plants.csv', key: ['plant'] });
  await plan.add('data', 'Lanes', { set: 'lanes', file_path: 'lanes.csv', key: ['from', 'to'] });
  await plan.add('data', 'Orders', { set: 'orders', file_path: 'orders.csv', key: ['order'] });
  await plan.add('data', 'Days', { set: 'days', file_path: 'days.csv', key: ['day'] });
  await plan.add('data', 'Written days', { set: 'dates', members: ['02.02.2025'] });
  await plan.add('variable', 'ship', { name: 'ship', index: '(i, j) in lanes', upper: 1000 });
  await plan.add('variable', 'make', { name: 'make', index: 'o in orders', upper: 'amount[o]' });
  await plan.add('objective', 'Most', {
    sense: 'maximize',
    expression: 'sum (i, j) in lanes: ship[i, j] + sum o in orders: make[o]',
  });
  await plan.add('constraint', 'Supply', {
    expression: 'sum (i, j) in lanes: ship[i, j] <= capacity[i]',
    index: 'i in plants',
    classification: 'hard',
  });
  await plan.gaps('Supply', [
    '"San Diego" (near "san diego") of lanes matches no member of plants, so it is left out',
    '"san diego" (near "San Diego") of plants matches nothing in lanes, so its sum is empty',
  ]);
  await plan.add('constraint', 'None', {
    expression: 'make[o] <= 1',
    index: 'o in orders where due[o] = "03.02.2025"',
    classification: 'hard',
  });
  await plan.gaps('None', [
    'No due is "2025-02-03", so nothing meets this condition: the values are "2025-02-02", "2025-03-01"',
  ]);
  await plan.add('constraint', 'Early', {
    expression: 'make[o] <= most["02.02.2025"] - 15',
    index: 'o in orders where due[o] = "02.02.2025"',
    classification: 'hard',
  });
  await plan.add('constraint', 'Written', {
    expression: 'sum o in orders where due[o] = d: make[o] <= most[d] - 16',
    index: 'd in dates',
    classification: 'hard',
  });
  for (const label of ['Early', 'Written']) await plan.gaps(label, []);
  await plan.put('lanes.csv', 'from,to,cost\nseattle,chicago,1\nsan diego,chicago,2\n');
  await plan.gaps('Supply', []);
  const { result } = await plan.over(await plan.solve());
  expect(result).toMatchObject({ status: 'optimal', objective_value: 350 + 600 + 9 + 20 });
});

const KM = 'plant,Berlin,Paris\nnorth,3,\nsouth,5,7\n';

it('reads a wide table and keeps its gaps up to date', async () => {
  const planning = await Planning.start();
  const wide = { set: 'distance', file_path: 'km.csv', key: ['plant'], columns_as: 'customers' };
  await planning.add('data', 'Distance', wide);
  await planning.gaps('Distance', ['The workspace has no file km.csv']);
  await planning.put('km.csv', KM);
  await planning.gaps('Distance', []);
  expect((await planning.completeness()).data_available).toBe(true);
  await planning.add('variable', 'ship', { name: 'ship', index: '(p, c) in distance', upper: 'distance[p, c]' });
  await planning.gaps('ship', []);
  const gaps: [string, string[]][] = [
    ['plant,Berlin,Paris,Berlin\nnorth,3,,2\n', ['km.csv, columns 2 and 4: the member Berlin appears twice']],
    [`${KM}north,1,2\n`, ['km.csv, rows 2 and 4: the member north appears twice']],
    ['plant,Berlin,Paris\nnorth,3,\n,5,7\n', ['km.csv, row 3: plant is empty']],
    ['plant\nnorth\nsouth\n', ['km.csv has only key columns, so customers has no members']],
    ['plant,Berlin,Paris\nnorth,,\n', ['km.csv has no filled cells, so distance has no members']],
    ['site,Berlin\nnorth,3\n', ['km.csv has no column plant. Its columns are site, Berlin']],
    ['plant,Berlin,Paris\nnorth,3,1\nsouth,5,7,8\n', ['km.csv: Row 3 has 4 cells, but the first row has 3']],
    [
      `plant,${Array.from({ length: 20_000 }, (_, at) => `c${at}`).join()}\n`,
      ['km.csv: The file has more than 2000 columns'],
    ],
    [KM, []],
  ];
  for (const [content, expected] of gaps) {
    await planning.put('km.csv', content);
    await planning.gaps('Distance', expected);
  }
  await planning.put('km.csv', KM.replace('7', 'n/a'));
  await planning.gaps('ship', ['km.csv, row 3, column Paris: "n/a" is not a number (at character 1: distance[p, c])']);
  expect((await planning.completeness()).data_available).toBe(false);
  await planning.add('data', 'Customers', { set: 'customers', members: ['Berlin', 'Pariss'] });
  await planning.gaps('Distance', [
    '"Paris" (near "Pariss") in the header of km.csv matches no member of customers',
    '"Pariss" (near "Paris") of customers has no column in km.csv',
  ]);
});

it('asks for the key of a wide table and lists the columns of its file', async () => {
  const planning = await Planning.start();
  await planning.put('km.csv', KM);
  await planning.add('data', 'Distance', { set: 'distance', file_path: 'km.csv', columns_as: 'customers' });
  await planning.gaps('Distance', [
    'Which column of km.csv identifies the members of distance? Its columns are plant, Berlin, Paris',
  ]);
});

it('finds the first text among the cells of a wide table that is too large to cache its values', async () => {
  const planning = await Planning.start();
  const rows = Array.from({ length: MAX_ROWS + 1 }, (_, at) => `p${at},,1,1,2`);
  rows[7] = 'p7,,1,n/a,2';
  rows[5] = 'p5,,1,1,none';
  await planning.put('km.csv', ['plant,,Berlin,Paris,Rome', ...rows, ''].join('\n'));
  const wide = { set: 'distance', file_path: 'km.csv', key: ['plant'], columns_as: 'customers' };
  await planning.add('data', 'Distance', wide);
  await planning.add('variable', 'ship', { name: 'ship', index: '(p, c) in distance', upper: 'distance[p, c]' });
  await planning.gaps('ship', ['km.csv, row 7, column Rome: "none" is not a number (at character 1: distance[p, c])']);
});

it('takes the first row of a wide table as its header, even if it has only numbers', async () => {
  const planning = await Planning.start();
  await planning.put('stores.csv', 'plant,101,105,230\nnorth,1,2,3\nsouth,4,5,6\n');
  await planning.put('corner.csv', ',101,105,230\nnorth,1,2,3\nsouth,4,5,6\n');
  await planning.add('data', 'Cost', { set: 'cost', file_path: 'stores.csv', key: ['plant'], columns_as: 'stores' });
  await planning.add('data', 'Other', {
    set: 'other',
    file_path: 'corner.csv',
    key: ['column_1'],
    columns_as: 'stores',
  });
  await planning.add('data', 'Plants', { set: 'plants', file_path: 'stores.csv', column: 'plant' });
  await planning.add('variable', 'make', { name: 'make', index: 's in stores, p in plants', upper: 'cost[p, s]' });
  await planning.add('objective', 'Most', {
    sense: 'maximize',
    expression: 'sum p in plants, s in stores: (cost[p, s] + other[p, s]) * make[s, p]',
  });
  for (const label of ['Cost', 'Other', 'Plants', 'make', 'Most']) await planning.gaps(label, []);
  expect(await planning.over(await planning.solve())).toMatchObject({
    status: 'succeeded',
    result: { objective_value: 2 * (1 + 4 + 9 + 16 + 25 + 36), variables: { make: 21 } },
  });
});

it('solves scenarios that change a wide table', async () => {
  const planning = await Planning.start();
  const { client, id } = planning;
  await planning.put('km.csv', KM);
  await planning.put('other.csv', KM.replace('7', '70'));
  await planning.add('data', 'Distance', {
    set: 'distance',
    file_path: 'km.csv',
    key: ['plant'],
    columns_as: 'customers',
  });
  await planning.add('variable', 'ship', { name: 'ship', index: '(p, c) in distance', upper: 'distance[p, c]' });
  await planning.add('objective', 'Most', { sense: 'maximize', expression: 'sum (p, c) in distance: ship[p, c]' });
  await planning.gaps('Most', []);
  const changes: [object, number][] = [
    [{ kind: 'column', target: 'distance', where: 'customers = "Berlin"', times: 2 }, 16 + 7],
    [{ kind: 'cell', target: 'distance', key: ['south', 'Paris'], to: 9 }, 8 + 9],
    [{ kind: 'file', target: 'distance', to: 'other.csv' }, 8 + 70],
  ];
  const scenario_ids: string[] = [];
  for (const [at, [change]] of changes.entries()) {
    const body = { name: `Scenario ${at}`, changes: [change] };
    scenario_ids.push((await client.post<{ id: string }>(`/projects/${id}/scenarios`, body)).id);
  }
  const body = { scenario_ids, include_base: true };
  const { executions } = await client.post<ExecutionListResponse>(`/projects/${id}/scenarios/solve`, body);
  const values: unknown[] = [];
  for (const { id: execution } of executions) values.push((await planning.over(execution)).result);
  expect(values).toMatchObject(
    [15, ...changes.map(([, value]) => value)].map((objective_value) => ({ objective_value })),
  );
});

it.each([
  ['a duplicate row', `${KM}north,,9\n`, 'km.csv, row 4: the member north is already in row 2'],
  [
    'a duplicate column',
    'plant,Berlin,Berlin\nnorth,3,4\n',
    'km.csv, columns 2 and 3: the member Berlin appears twice',
  ],
  ['text instead of a number', KM.replace('7', 'n/a'), 'km.csv, row 3, column Paris: "n/a" is not a number'],
  ['no columns', 'plant\nnorth\n', 'the members of distance are missing'],
])('fails a solve and reports the problem in a wide table: %s', async (_, content, problem) => {
  const planning = await Planning.start();
  await planning.put('km.csv', content);
  await planning.add('data', 'Distance', {
    set: 'distance',
    file_path: 'km.csv',
    key: ['plant'],
    columns_as: 'customers',
  });
  await planning.add('variable', 'ship', { name: 'ship', index: '(p, c) in distance', upper: 'distance[p, c]' });
  await planning.add('objective', 'Most', { sense: 'maximize', expression: 'sum (p, c) in distance: ship[p, c]' });
  const { status, error } = await planning.over(await planning.solve());
  expect([status, (error as { message: string }).message]).toEqual(['failed', expect.stringContaining(problem)]);
});
