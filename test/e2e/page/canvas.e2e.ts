import { expect, it } from '@jest/globals';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { SnapshotListResponse } from '../../../src/projects/snapshots.dto.js';
import { makeFile } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

type Card = Wire<CardResponse>;

const shared = useSharedService();

/** Model of a workshop with a set in a card, a set in a file, and most kinds of gaps. */
const MODEL: [card_type: string, label: string, data: object][] = [
  [
    'objective',
    'Profit',
    { sense: 'maximize', expression: 'sum p in products, t in weeks: (price[p] - Unit_cost[p]) * make[p, t]' },
  ],
  [
    'variable',
    'Production',
    { name: 'make', index: 'p in products, t in weeks', domain: 'integer', upper: 400, unit: 'pieces' },
  ],
  ['variable', 'Overtime', { name: 'overtime', upper: 12.5 }],
  ['variable', 'Night shift', { name: 'night', domain: 'binary', description: 'Whether the night shift runs at all' }],
  [
    'constraint',
    'Hours',
    {
      expression: 'sum p in products: hours[p] * make[p, t] <= capacity[t] + overtime',
      index: 't in weeks',
      classification: 'hard',
    },
  ],
  [
    'constraint',
    'Board stock',
    { expression: 'sum p in products: make[p, t] <= boards', index: 't in weeks', classification: 'soft' },
  ],
  ['production_requirement', 'Standing order', { product: 'overtime', quantity: 2, unit: 'h' }],
  [
    'data',
    'Weeks',
    {
      set: 'weeks',
      members: '1 to 4',
      values: { capacity: { 1: 1600, 2: 1480.5, 3: 1600, 4: 1200 } },
      description: 'Hours of all teams',
    },
  ],
  ['data', 'Products', { set: 'products', file_path: 'data/products.csv', key: ['product'] }],
  ['data', 'Margin', { computed: { margin: 'price[p] - Unit_cost[p]' }, index: 'p in products' }],
  ['data', 'Prices', { values: { boards: 12000, freight: -3.25 } }],
  ['kpi', 'Delivery on time', { description: 'Share of the orders that leave in their week', unit: '%', target: 95 }],
];
const PRODUCTS = 'product,price,Unit cost,hours\noak chair,90,40,2\ntable,210,115,5\nstool,45,20,1\n';
inBrowser('the canvas', () => {
  const tab = usePage(() => [shared]);
  let session: Session;
  let client: Client;
  let id: string;
  let modelled: { session: Session; id: string } | undefined;

  const card = (label: string) => tab.page.getByRole('article', { name: label, exact: true });
  const form = (name: string) => tab.page.getByRole('form', { name, exact: true });
  const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
  const add = (card_type: string, label: string, data: object = {}): Promise<Card> =>
    client.post<CardResponse>(`/projects/${id}/cards`, { card_type, label, data });
  const cards = async (): Promise<Card[]> => (await client.get<CardListResponse>(`/projects/${id}/cards`)).cards;
  const named = async (label: string): Promise<Card | undefined> => (await cards()).find((one) => one.label === label);
  const change = (one: Card, body: object): Promise<Card> =>
    client.patch<CardResponse>(`/projects/${id}/cards/${one.id}`, { version: one.version, ...body });
  /** Prevents the page from receiving changes made by other people. */
  const deafen = () => tab.page.route(`**/projects/${id}/events*`, (route) => route.abort());

  /** Creates a new project for a new user. */
  async function begin(): Promise<void> {
    session = await shared.session({ name: 'Grace Example' });
    client = session.client;
    ({ id } = await client.post<ProjectResponse>('/projects', { name: 'Weekly plan' }));
  }
  /** Opens the project's canvas with a pasted token. */
  async function open(token = session.token): Promise<void> {
    await tab.page.goto(`${shared.url}/#/projects/${id}/canvas`);
    await tab.paste(token);
    await tab.page.getByRole('group', { name: 'Cards' }).waitFor();
  }
  /** Opens a project with the whole {@link MODEL}. All tests that do not change the project share it. */
  async function withModel(): Promise<void> {
    if (modelled !== undefined) {
      ({ session, id } = modelled);
      client = session.client;
      return;
    }
    await begin();
    await makeFile(client, { source: 'workspace', project_id: id }, 'data/products.csv', PRODUCTS);
    for (const [card_type, label, data] of MODEL) await add(card_type, label, data);
    await eventually(
      () => named('Products'),
      (one) => one?.status === 'complete',
      { until: 'the file of the products was read' },
    );
    modelled = { session, id };
  }

  it.each(LOOKS)(
    'is readable and usable in the %s color scheme at a width of %i pixels',
    async (colorScheme, width) => {
      await withModel();
      await tab.appear(colorScheme, width);
      await open();
      const name = `${colorScheme}-${width}`;
      await card('Profit').getByText('make[p, t]').waitFor();
      expect(await tab.faults()).toEqual([]);
      expect(await tab.overflow()).toBe(0);
      await tab.show(`canvas-${name}`);
      await tab.page.getByRole('navigation', { name: 'Kinds of cards' }).getByRole('button', { name: 'Data' }).click();
      await card('Weeks').getByText('1,480.5').waitFor();
      await tab.show(`canvas-data-${name}`);
      await button('Edit Weeks').click();
      await form('Edit Weeks').waitFor();
      expect(await tab.faults()).toEqual([]);
      expect(await tab.overflow()).toBe(0);
      await tab.show(`canvas-form-${name}`);
      await tab.page.keyboard.press('Escape');
      await card('Margin').getByText('margin = price[p] - Unit_cost[p]').waitFor();
      await button('Edit Margin').click();
      await form('Edit Margin').getByLabel('Names and their formulas').scrollIntoViewIfNeeded();
      expect(await tab.faults()).toEqual([]);
      expect(await tab.overflow()).toBe(0);
      await tab.show(`canvas-computed-${name}`);
    },
  );

  it('shows instructions when it is empty, and lets people add a first card with only the keyboard', async () => {
    await begin();
    await open();
    await tab.page.getByText('The canvas is empty').waitFor();
    await tab.show('canvas-empty');
    await button('Add an objective').focus();
    await tab.page.keyboard.press('Enter');
    await form('New objective').getByLabel('Label').and(tab.page.locator(':focus')).waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByText('Give the card a label').waitFor();
    await tab.page.keyboard.type('Profit');
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.press('m');
    await tab.page.keyboard.press('Tab');
    await tab.page.keyboard.type('30 chairs + 50 tables');
    expect(await tab.faults()).toEqual([]);
    await tab.show('canvas-new');
    await tab.page.keyboard.press('Enter');
    await card('Profit').and(tab.page.locator(':focus')).waitFor();
    await card('Profit').getByText('30 chairs + 50 tables').waitFor();
    await tab.page.getByText('2 of 8 met').waitFor();
    expect(await cards()).toMatchObject([
      { card_type: 'objective', label: 'Profit', data: { sense: 'maximize', expression: '30 chairs + 50 tables' } },
    ]);
  });

  it('accepts cards of every kind, with the relevant fields for each kind', async () => {
    await begin();
    await makeFile(client, { source: 'workspace', project_id: id }, 'data/products.csv', PRODUCTS);
    await open();
    const begun = async (noun: string, label: string) => {
      await button(`Add ${noun}`).click();
      const made = form(`New ${noun}`);
      await made.getByLabel('Label').fill(label);
      return made;
    };
    const added = async (noun: string, label: string) => {
      await button(`Add ${noun}`).and(tab.page.locator('[type=submit]')).click();
      await card(label).waitFor();
      return (await named(label))?.data;
    };
    let made = await begun('variable', 'Chairs');
    await made.getByLabel('Name in formulas').fill('chairs');
    await made.getByLabel('Values').selectOption('Yes or no');
    expect(await made.getByLabel('At most').count()).toBe(0);
    await made.getByLabel('Values').selectOption('Whole numbers');
    await made.getByLabel('At most').fill('40');
    expect(await added('variable', 'Chairs')).toEqual({ name: 'chairs', domain: 'integer', upper: 40 });
    await card('Chairs').getByText('0 ≤ chairs ≤ 40').waitFor();

    made = await begun('constraint', 'Hours');
    await made.getByLabel('Constraint', { exact: true }).fill('2 chairs <= 40');
    expect(await made.getByLabel('Penalty per unit').count()).toBe(0);
    await made.getByLabel('Hard or soft').selectOption('soft');
    await made.getByLabel('Penalty per unit').fill('12.5');
    expect(await added('constraint', 'Hours')).toEqual({
      expression: '2 chairs <= 40',
      classification: 'soft',
      penalty: 12.5,
    });

    made = await begun('requirement', 'None');
    await made.getByText('None', { exact: true }).click();
    expect(await added('requirement', 'None')).toEqual({ quantity: 0 });

    made = await begun('data', 'Products');
    await made.getByText('File', { exact: true }).click();
    await made.getByLabel('Workspace file').click();
    await tab.page.getByRole('option', { name: 'data/products.csv' }).click();
    await made.getByLabel('Set name').fill('products');
    await made.getByLabel('Key columns').click();
    await tab.page.getByRole('option', { name: 'product', exact: true }).click();
    await tab.page.keyboard.press('Tab');
    expect(await added('data', 'Products')).toEqual({
      set: 'products',
      file_path: 'data/products.csv',
      key: ['product'],
    });

    made = await begun('data', 'Distance');
    await made.getByText('File', { exact: true }).click();
    await made.getByLabel('Workspace file').fill('km.csv');
    await made.getByLabel('Value for missing figures').fill('much');
    await made.getByRole('button', { name: 'Add data' }).click();
    await made.getByText('Enter a number, such as 2.5').waitFor();
    await made.getByLabel('Value for missing figures').fill('');
    await made.getByLabel('Set name').fill('distance');
    await made.getByLabel('Key columns').fill('plant');
    await tab.page.keyboard.press('Enter');
    await made.getByLabel('Set that the other columns form').fill('customers');
    expect(await added('data', 'Distance')).toEqual({
      set: 'distance',
      file_path: 'km.csv',
      key: ['plant'],
      columns_as: 'customers',
    });
    await card('Distance').getByText('Columns form').waitFor();

    made = await begun('data', 'Margin');
    await made.getByText('Computed', { exact: true }).click();
    expect(await made.getByLabel('For each').count()).toBe(0);
    await made.getByLabel('Names and their formulas').fill('margin');
    await made.getByLabel('For each').fill('p in products');
    await made.getByRole('button', { name: 'Add data' }).click();
    await made.getByText('Enter a line such as margin = price[p] - cost[p] for each name').waitFor();
    await made.getByLabel('Names and their formulas').fill('margin = price[p] - Unit_cost[p]');
    expect(await added('data', 'Margin')).toEqual({
      computed: { margin: 'price[p] - Unit_cost[p]' },
      index: 'p in products',
    });
    await card('Margin').getByText('margin = price[p] - Unit_cost[p]').waitFor();

    made = await begun('data', 'Weeks');
    await made.getByText('Set', { exact: true }).click();
    await made.getByLabel('Set name').fill('weeks');
    await made.getByLabel('Range of members').fill('1 and 3');
    await made.getByRole('button', { name: 'Add data' }).click();
    await made.getByText('Enter two whole numbers, such as 1 to 52').waitFor();
    await made.getByLabel('Range of members').fill('1 to 3');
    await made.getByRole('button', { name: 'Add column' }).click();
    await made.getByLabel('Name of column 1').fill('demand');
    for (const week of [1, 2, 3]) await made.getByLabel(`demand, row ${week}`).fill(String(10 * week));
    expect(await added('data', 'Weeks')).toEqual({
      set: 'weeks',
      members: '1 to 3',
      values: { demand: { 1: 10, 2: 20, 3: 30 } },
    });

    made = await begun('KPI', 'On time');
    await made.getByLabel('What it measures').fill('Orders that leave in their week');
    expect(await added('KPI', 'On time')).toEqual({ description: 'Orders that leave in their week' });
  });

  it('accepts cells pasted from a spreadsheet, even in large numbers', async () => {
    await begin();
    const copied = async (text: string) => {
      await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await tab.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    };
    await open();
    await button('Add data').click();
    const made = form('New data');
    await made.getByLabel('Label').fill('Shifts');
    await made.getByText('Set', { exact: true }).click();
    await made.getByLabel('Set name').fill('shifts');
    await copied('early\t10\tnorth\r\nlate\t12.5\tsouth\r\n');
    await made.getByLabel('Member, row 1').press('Control+V');
    await made.getByLabel('Name of column 1').fill('cost');
    await made.getByLabel('Name of column 2').fill('region');
    await made.getByLabel('Member, row 3').fill('night');
    await made.getByLabel('cost, row 3').fill('15');
    await made.getByLabel('region, row 3').fill('north');
    await tab.show('canvas-grid');
    await made.getByRole('button', { name: 'Add data' }).click();
    await card('Shifts').getByText('12.5').waitFor();
    expect((await named('Shifts'))?.data).toEqual({
      set: 'shifts',
      members: ['early', 'late', 'night'],
      values: { cost: { early: 10, late: 12.5, night: 15 }, region: { early: 'north', late: 'south', night: 'north' } },
    });
    await button('Edit Shifts').click();
    await form('Edit Shifts').getByLabel('cost, row 2').fill('13');
    await form('Edit Shifts').getByLabel('Member, row 3').fill('late');
    await button('Save').click();
    await tab.page.getByText('late appears twice').waitFor();
    await form('Edit Shifts').getByLabel('Member, row 3').fill('night');
    await button('Save').click();
    await card('Shifts').getByText('13', { exact: true }).waitFor();
    expect((await named('Shifts'))?.data).toMatchObject({ values: { cost: { early: 10, late: 13, night: 15 } } });

    await button('Add data').click();
    await made.getByLabel('Label').fill('Prices');
    await copied(Array.from({ length: 300 }, (_, at) => `price_${at}\t${at / 4}`).join('\n'));
    await made.getByLabel('Name, row 1').press('Control+V');
    await made.getByRole('button', { name: 'Add data' }).click();
    await card('Prices').getByRole('button', { name: 'Show all 300' }).click();
    await card('Prices').getByRole('rowgroup', { name: 'All values of Prices' }).press('End');
    await card('Prices').getByRole('row', { name: 'price_299 74.75' }).waitFor();
    expect(await card('Prices').getByRole('row').count()).toBeLessThan(60);
    expect((await named('Prices'))?.data).toMatchObject({ values: { price_0: 0, price_299: 74.75 } });
    expect(await tab.faults()).toEqual([]);
  });

  it('accepts numbers as people write them and asks what unclear numbers mean', async () => {
    await begin();
    await open();
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Add data').click();
    const made = form('New data');
    await made.getByLabel('Label').fill('Limits');
    await tab.page.evaluate(`navigator.clipboard.writeText('hours\\t1.200\\nwages\\t3')`);
    await made.getByLabel('Name, row 1').press('Control+V');
    const choice = made.getByRole('radiogroup', { name: '1.200 means' });
    await choice.waitFor();
    await made.getByRole('button', { name: 'Add data' }).click();
    await tab.page.getByText('Choose what 1.200 means').waitFor();
    await tab.show('canvas-unclear-number');
    expect(await tab.faults()).toEqual([]);
    await choice.getByLabel('1200', { exact: true }).check();
    await made.getByLabel('Name, row 3').fill('rate');
    await made.getByLabel('Value, row 3').fill('many');
    await made.getByRole('button', { name: 'Add data' }).click();
    await tab.page.getByText('Enter a number for rate, such as 2.5').waitFor();
    await made.locator('[aria-label="Value, row 3"][aria-invalid]').waitFor();
    expect(await made.locator('[role=group] [aria-invalid]').count()).toBe(1);
    await made.getByLabel('Value, row 3').fill('0,12');
    expect(await choice.getByLabel('1200', { exact: true }).isChecked()).toBe(true);
    await made.getByLabel('Value, row 3').press('Control+Enter');
    await card('Limits').getByText('0.12').waitFor();
    expect((await named('Limits'))?.data).toMatchObject({ values: { hours: 1200, wages: 3, rate: 0.12 } });
    expect(await tab.faults()).toEqual([]);
  });

  it('shows gaps on their cards and links them to the fields', async () => {
    await begin();
    await add('variable', 'Chairs', { domain: 'integer' });
    await open();
    await card('Chairs').getByText('Needs input').waitFor();
    await card('Chairs').getByRole('button', { name: 'What is its name in formulas?' }).click();
    await form('Edit Chairs').getByLabel('Name in formulas').and(tab.page.locator(':focus')).waitFor();
    await form('Edit Chairs').getByLabel('Name in formulas').fill('chairs');
    await button('Save').click();
    await card('Chairs').getByText('Whole numbers').waitFor();
    expect(await card('Chairs').getByText('Needs input').count()).toBe(0);
    expect(await named('Chairs')).toMatchObject({
      version: 2,
      status: 'complete',
      data: { name: 'chairs', domain: 'integer' },
    });
  });

  it('shows an error next to the field that caused it', async () => {
    await begin();
    await add('kpi', 'On time');
    await open();
    await tab.page.route(`**/projects/${id}/cards/*`, async (route) => {
      if (route.request().method() !== 'PATCH') return await route.continue();
      const detail = [{ loc: ['body', 'data', 'expression'], msg: 'This one is refused', type: 'value_error' }];
      await route.fulfill({ status: 422, json: { detail } });
    });
    await button('Edit On time').click();
    await form('Edit On time').getByLabel('Formula').fill('2x');
    await button('Save').click();
    await tab.page.locator('[data-field=expression]').getByText('This one is refused').waitFor();
    expect(await tab.page.getByText('Could not save the card').count()).toBe(0);
    await tab.page.unroute(`**/projects/${id}/cards/*`);
    // The form shows an error that belongs to no field below all fields.
    await form('Edit On time').getByLabel('What it measures').fill('x'.repeat(33_000));
    await button('Save').click();
    await tab.page.getByText('the JSON text must have at most 32768 bytes').waitFor();
  });

  it('shows changes made by others immediately, even in an open form', async () => {
    await begin();
    const chairs = await add('variable', 'Chairs', { name: 'chairs', domain: 'integer' });
    await open();
    await add('constraint', 'Labour', { expression: '2 chairs <= 40' });
    await card('Labour').getByText('2 chairs <= 40').waitFor();
    await button('Edit Chairs').click();
    await form('Edit Chairs').getByLabel('At most').fill('40');
    await change(chairs, { data: { unit: 'pieces', upper: 30 } });
    await tab.page.getByText('Someone else changed this card').waitFor();
    // Fields that only the other person has changed show the new value. Fields that both have changed show both values.
    expect(await form('Edit Chairs').getByLabel('Unit').inputValue()).toBe('pieces');
    expect(await form('Edit Chairs').getByLabel('At most', { exact: true }).inputValue()).toBe('40');
    await tab.page.getByRole('group', { name: 'Other version of At most' }).getByText('30').waitFor();
    expect(await tab.faults()).toEqual([]);
    await tab.show('canvas-both');
    await button('Save').click();
    await tab.page.getByText('Choose which version to keep').waitFor();
    expect((await named('Chairs'))?.data).toMatchObject({ upper: 30 });
    await button('Keep mine').click();
    await button('Save').click();
    await card('Chairs').getByText('0 ≤ chairs ≤ 40').waitFor();
    expect(await named('Chairs')).toMatchObject({ version: 3, data: { unit: 'pieces', upper: 40 } });
  });

  it('does not overwrite other people’s changes before showing them', async () => {
    await begin();
    const chairs = await add('variable', 'Chairs', { name: 'chairs', domain: 'integer' });
    await deafen();
    await open();
    await button('Edit Chairs').click();
    await form('Edit Chairs').getByLabel('At most').fill('40');
    await change(chairs, { label: 'Oak chairs', data: { upper: 30 } });
    await button('Save').click();
    await tab.page.getByText('Someone else changed this card').waitFor();
    expect(await named('Oak chairs')).toMatchObject({ version: 2, data: { upper: 30 } });
    await button('Use theirs').click();
    expect(await form('Edit Oak chairs').getByLabel('At most').inputValue()).toBe('30');
    await button('Save').click();
    await card('Oak chairs').getByText('0 ≤ chairs ≤ 30').waitFor();
    expect(await named('Oak chairs')).toMatchObject({ version: 2 });
  });

  it('saves a card even if its gaps have changed because another card was added in the meantime', async () => {
    await begin();
    const profit = await add('objective', 'Profit', { sense: 'maximize', expression: '3 chairs' });
    await deafen();
    await open();
    const before = await client.send('GET', `/projects/${id}/cards/${profit.id}`);
    let looks = 0;
    // A new card changes the gaps of this card after the page has read the card and before the page writes it.
    await tab.page.route(`**/projects/${id}/cards/${profit.id}`, async (route) => {
      if (route.request().method() !== 'GET') return await route.continue();
      const response = await route.fetch();
      looks += 1;
      if (looks === 1) await add('variable', 'Chairs', { name: 'chairs', domain: 'integer' });
      await route.fulfill({ response });
    });
    await button('Edit Profit').click();
    await form('Edit Profit').getByLabel('Formula').fill('4 chairs');
    await button('Save').click();
    await card('Profit').getByText('4 chairs').waitFor();
    expect(looks).toBe(2);
    const after = await client.send<CardResponse>('GET', `/projects/${id}/cards/${profit.id}`);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.body).toMatchObject({ version: 2, data: { expression: '4 chairs' } });
  });

  it('removes a card after confirmation, unless someone else has changed the card', async () => {
    await begin();
    await add('kpi', 'On time');
    const late = await add('kpi', 'Late');
    await deafen();
    await open();
    await button('Remove On time').click();
    await button('Keep it').and(tab.page.locator(':focus')).click();
    await button('Remove On time').click();
    await button('Remove it').click();
    await card('On time').waitFor({ state: 'detached' });
    expect(await named('On time')).toBeUndefined();
    await button('Remove Late').click();
    await change(late, { label: 'Too late' });
    await button('Remove it').click();
    await tab.page.getByText('Someone else changed this card').waitFor();
    expect(await named('Too late')).toBeDefined();
    expect(await tab.faults()).toEqual([]);
    await tab.show('canvas-removal');
    await button('Remove it anyway').click();
    await card('Too late').waitFor({ state: 'detached' });
    expect(await cards()).toEqual([]);
  });

  it('keeps the draft if someone else removes the card', async () => {
    await begin();
    const hours = await add('constraint', 'Hours', { expression: 'x <= 4', note: 'of another program' });
    await open();
    await button('Edit Hours').click();
    await form('Edit Hours').getByLabel('Constraint', { exact: true }).fill('x <= 5');
    await client.delete(`/projects/${id}/cards/${hours.id}`);
    await tab.page.getByText('Someone else removed this card').waitFor();
    await button('Add as new card').click();
    await card('Hours').getByText('x <= 5').waitFor();
    expect(await cards()).toMatchObject([
      { label: 'Hours', data: { expression: 'x <= 5', note: 'of another program' } },
    ]);
  });

  it('shows hostile text unchanged', async () => {
    await begin();
    const texts = [
      '<img src=x onerror="globalThis.hacked=1">',
      '"><script>globalThis.hacked=1</script>',
      'javascript:globalThis.hacked=1',
      'w'.repeat(200),
      '\u202Egnp.exe',
    ];
    for (const text of texts) {
      await add('constraint', text, { expression: text, index: text, description: text, penalty: { text } });
      await add('data', text, {
        set: text,
        members: [text],
        values: { [text]: text },
        file_path: text,
        columns: { a: text },
      });
    }
    await add('variable', 'Strange', { name: ['x'], domain: 7, lower: {}, upper: 'x'.repeat(5000), free: 'no' });
    await open();
    for (const kind of ['Constraints', 'Data', 'Variables']) {
      await tab.page.getByRole('navigation', { name: 'Kinds of cards' }).getByRole('button', { name: kind }).click();
      await tab.page.getByRole('heading', { name: kind }).and(tab.page.locator(':focus')).waitFor();
      expect(await tab.overflow()).toBe(0);
    }
    await button('Edit Strange').click();
    await form('Edit Strange').waitFor();
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await tab.page.locator('main img, main script').count()).toBe(0);
    await tab.page.setViewportSize({ width: 420, height: 800 });
    await tab.page.getByRole('complementary').waitFor({ state: 'detached' });
    expect(await tab.overflow()).toBe(0);
    await tab.show('canvas-hostile');
  });

  it('hides all editing controls from viewers', async () => {
    await withModel();
    const reader = await shared.session({ company: session.company, role: 'member' });
    await reader.client.get('/me');
    await client.patch(`/projects/${id}`, { visibility: 'private' });
    await client.put(`/projects/${id}/members/${reader.user}`, { role: 'viewer' });
    await open(reader.token);
    await card('Overtime').getByText('It has no domain, so it is continuous and fractions are allowed').waitFor();
    for (const name of [/^Add/, /^Edit/, /^Remove/, /^Take/, /It has no domain/])
      expect([name, await tab.page.getByRole('button', { name }).count()]).toEqual([name, 0]);
  });

  it('handles 500 cards without rendering all of them', async () => {
    await begin();
    const template = await add('variable', 'Template', { name: 'x', domain: 'integer', upper: 40 });
    const made = Array.from({ length: 500 }, (_, at) => ({
      ...template,
      id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      card_type: at < 250 ? 'variable' : 'constraint',
      label: `Card number ${at}`,
      data: at < 250 ? { ...template.data, name: `x${at}` } : { expression: `x${at - 250} <= ${at}` },
      status: at % 100 === 99 ? 'needs_input' : 'complete',
    }));
    await tab.page.route(`**/projects/${id}/cards`, (route) => route.fulfill({ json: { cards: made } }));
    await open();
    await card('Card number 0').waitFor();
    expect(await tab.page.getByRole('article').count()).toBeLessThan(40);
    await tab.page.getByRole('group', { name: 'Cards' }).focus();
    await tab.page.keyboard.press('End');
    await card('Card number 499').waitFor();
    expect(await tab.page.getByRole('article').count()).toBeLessThan(40);
    await tab.page.getByRole('searchbox', { name: 'Find a card' }).fill('X42 ');
    await card('Card number 292').waitFor();
    await card('Card number 499').waitFor({ state: 'detached' });
    await tab.page.getByRole('searchbox', { name: 'Find a card' }).fill('nothing is called so');
    await button('Show all cards').click();
    await tab.page.getByLabel('Needs input (5)').check();
    await eventually(
      () => tab.page.getByRole('article').count(),
      (count) => count === 5,
      { until: 'only cards that need input are shown' },
    );
    // The page keeps a draft while its card is not rendered.
    await button('Edit Card number 99').click();
    await form('Edit Card number 99').getByLabel('At most').fill('41');
    await tab.page.getByLabel('Needs input (5)').uncheck();
    await tab.page.getByRole('navigation', { name: 'Kinds of cards' }).getByRole('button', { name: 'KPIs' }).click();
    await tab.page.getByRole('heading', { name: 'KPIs' }).and(tab.page.locator(':focus')).waitFor();
    expect(await form('Edit Card number 99').getByLabel('At most').inputValue()).toBe('41');
  });

  it('registers a click while the cards are moving', async () => {
    await withModel();
    await open();
    const edit = button('Edit Production');
    await edit.scrollIntoViewIfNeeded();
    const { x, y } = (await edit.boundingBox()) ?? { x: 0, y: 0 };
    await tab.page.mouse.move(x + 4, y + 4);
    await tab.page.mouse.down();
    await tab.page.evaluate(`new Promise((resolve) => {
      const list = document.querySelector('[aria-label=Cards]');
      list.addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(resolve)), { once: true });
      list.scrollBy(0, list.scrollTop > 0 ? -1 : 1);
    })`);
    await tab.page.mouse.up();
    await form('Edit Production').waitFor();
  });

  it('lets people take snapshots and remove any except the current snapshot', async () => {
    await begin();
    await add('kpi', 'On time');
    await open();
    const snapshots = tab.page.getByRole('region', { name: 'Snapshots' });
    await snapshots.getByText('No snapshots yet').waitFor();
    const taken = async (count: number) => {
      await snapshots.getByRole('button', { name: 'Take a snapshot' }).click();
      await snapshots
        .getByRole('listitem')
        .nth(count - 1)
        .waitFor();
    };
    await taken(1);
    // After this pause, the next click does not count as part of a double click.
    await tab.page.waitForTimeout(500);
    await taken(2);
    await snapshots.getByRole('button', { name: 'Remove' }).click();
    await snapshots.getByRole('button', { name: 'Remove permanently?' }).click();
    await snapshots.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    const { snapshots: left } = await client.get<SnapshotListResponse>(`/projects/${id}/snapshots`);
    expect(left).toMatchObject([{ is_current: true, card_count: 1 }]);
  });
});
