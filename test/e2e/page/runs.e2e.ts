import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type {
  ExecutionDetailResponse,
  ExecutionListResponse,
  ExecutionResponse,
} from '../../../src/executions/executions.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { Change } from '../../../packages/canvas/scenarios/change.js';
import type {
  ScenarioListResponse,
  ScenarioResponse,
  ScenarioSolveResponse,
} from '../../../src/scenarios/scenarios.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { hardModel } from '../../support/models.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const shared = useSharedService();

const PRODUCTS = ['product,price,region', 'oak chair,30,north', 'table,50,south', 'stool,10,north', ''].join('\n');
/** Best profit with 60 hours: 40 tables and 20 chairs. */
const PROFIT = 2_600;
const HOSTILE = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>';

/** Project with its creator and the path of its runs. */
interface Room {
  session: Session;
  client: Client;
  id: string;
}

async function makeRoom(): Promise<Room> {
  const session = await shared.session({ name: 'Grace Example' });
  const { id } = await makeProject(session.client, { name: 'A week of furniture' });
  return { session, client: session.client, id };
}

const addCard = ({ client, id }: Room, card_type: string, label: string, data: object) =>
  client.post<CardResponse>(`/projects/${id}/cards`, { card_type, label, data });

/** Creates a project whose model has 60 hours of labour and three products, with at most 40 pieces of each. */
async function makeShop(): Promise<Room> {
  const room = await makeRoom();
  await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'products.csv', PRODUCTS);
  await addCard(room, 'data', 'Products', { set: 'products', file_path: 'products.csv', key: ['product'] });
  await addCard(room, 'variable', 'make', { name: 'make', index: 'p in products', domain: 'continuous', upper: 40 });
  await addCard(room, 'objective', 'Profit', {
    sense: 'maximize',
    expression: 'sum p in products: price[p] * make[p]',
  });
  await addCard(room, 'constraint', 'Labour', {
    expression: 'sum p in products: make[p] <= hours',
    classification: 'hard',
  });
  await addCard(room, 'kpi', 'Pieces', { expression: 'sum p in products: make[p]', unit: 'pieces', target: 50 });
  await addCard(room, 'data', 'Hours', { values: { hours: 60 } });
  await eventually(
    () => room.client.get<{ cards: CardResponse[] }>(`/projects/${room.id}/cards`),
    ({ cards }) => cards.every(({ status, card_type }) => status === 'complete' || card_type === 'kpi'),
    { until: 'the file has been read', deadlineMs: 20_000 },
  );
  return room;
}

const executions = ({ id }: Room): string => `/projects/${id}/solve/executions`;
const detail = (room: Room, run: string) => room.client.get<ExecutionDetailResponse>(`${executions(room)}/${run}`);
const over = (room: Room, run: string): Promise<Wire<ExecutionDetailResponse>> =>
  eventually(
    () => detail(room, run),
    ({ status }) => ['succeeded', 'failed', 'canceled'].includes(status),
    { until: 'the run is over', deadlineMs: 60_000 },
  );
const start = (room: Room, body: object = {}) => room.client.post<ExecutionResponse>(executions(room), body);
const makeScenario = ({ client, id }: Room, name: string, ...changes: Change[]) =>
  client.post<ScenarioResponse>(`/projects/${id}/scenarios`, { name, changes });
const hours = (to: number): Change => ({ kind: 'value', target: 'hours', to });

let shownOne: Promise<Room> | undefined;
/** Returns a project with runs and scenarios. All tests that do not change the project share it. */
const shownRoom = (): Promise<Room> => (shownOne ??= makeShownRoom());
async function makeShownRoom(): Promise<Room> {
  const room = await makeShop();
  const scenarios = [
    await makeScenario(
      room,
      'Two shifts',
      { kind: 'value', target: 'hours', times: 1.5 },
      { kind: 'column', target: 'price', where: 'region = "north"', times: 1.1 },
    ),
    await makeScenario(room, 'No limit on labour', { kind: 'off', target: 'Labour' }),
    await makeScenario(room, 'Stools sell well', { kind: 'cell', target: 'price', key: ['stool'], to: 80 }),
    await makeScenario(room, 'No hours at all', hours(-1)),
  ];
  const { executions: runs } = await room.client.post<ScenarioSolveResponse>(`/projects/${room.id}/scenarios/solve`, {
    scenario_ids: scenarios.map(({ id }) => id),
    include_base: true,
  });
  for (const { id } of runs) await over(room, id);
  await over(room, (await start(room, { name: 'With a break' })).id);
  return room;
}

inBrowser('the page for runs and scenarios', () => {
  const tab = usePage(() => [shared]);
  const show = (name: string) => tab.show(name);
  const faults = () => tab.faults();
  const overflow = () => tab.overflow();
  const button = (name: string | RegExp) => tab.page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string | RegExp) => tab.page.getByRole('link', { name });
  const field = (name: string) => tab.page.getByLabel(name, { exact: true });
  const text = (what: string | RegExp) => tab.page.getByText(what).first();
  const at = ({ id }: Room, place = ''): string => `${shared.url}/#/projects/${id}/runs${place}`;

  async function open(room: Room, place = '', { token = room.session.token } = {}): Promise<void> {
    await tab.page.goto(at(room, place));
    await tab.paste(token);
    await tab.page.getByRole('navigation', { name: 'Runs and scenarios' }).waitFor();
  }
  /** Returns the text of a table, row by row. */
  const rowsOf = async (label: string): Promise<string[]> =>
    (await tab.page.getByRole('table', { name: label }).getByRole('row').allInnerTexts()).map((row) =>
      row.replaceAll(/\s+/g, ' ').trim(),
    );
  /** Waits until a table starts with these rows below its header. */
  const seeRows = async (label: string, rows: readonly string[]): Promise<void> => {
    await eventually(
      () => rowsOf(label),
      (found) => JSON.stringify(found.slice(1, rows.length + 1)) === JSON.stringify(rows),
      { until: `${label} has ${rows.join(', ')}` },
    );
  };
  const saved = async (press: () => Promise<void>): Promise<{ name: string; content: string }> => {
    const [download] = await Promise.all([tab.page.waitForEvent('download'), press()]);
    expect(download.url()).toMatch(/^blob:/);
    return { name: download.suggestedFilename(), content: await readFile(await download.path(), 'utf8') };
  };

  it.each([
    ['a variable', 'variable', { name: 'x', lower: 5, upper: 4 }],
    ['a constraint', 'constraint', { expression: 'make["stool"] <= 4' }],
    ['a data card', 'data', { set: 'others', file_path: 'gone.csv', key: ['a'] }],
    ['an objective', 'objective', { expression: 'hours' }],
  ])('does not let people start a run while %s has a blocking gap', async (_, kind, data) => {
    const room = await makeShop();
    const { id } = await addCard(room, kind, 'Half done', data);
    await open(room);
    await button('Solve').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByText('The canvas cannot be solved yet').waitFor();
    await dialog.getByText('Half done').first().waitFor();
    const solve = dialog.getByRole('button', { name: 'Solve', exact: true });
    expect(await solve.isDisabled()).toBe(true);
    await room.client.delete(`/projects/${room.id}/cards/${id}`);
    await dialog.getByText('The canvas cannot be solved yet').waitFor({ state: 'detached' });
    expect(await solve.isDisabled()).toBe(false);
  });

  it('marks runs of an earlier model in the list, on their own pages and in comparisons', async () => {
    const room = await makeShop();
    const scenario = await makeScenario(room, 'Longer', hours(70));
    const { executions: runs } = await room.client.post<ScenarioSolveResponse>(`/projects/${room.id}/scenarios/solve`, {
      scenario_ids: [scenario.id],
      include_base: true,
    });
    for (const { id } of runs) await over(room, id);
    const { cards } = await room.client.get<{ cards: CardResponse[] }>(`/projects/${room.id}/cards`);
    const card = (label: string): Wire<CardResponse> => cards.find((one) => one.label === label)!;
    const stale = tab.page.getByText(/^The model has changed since/);
    await open(room);
    await tab.page.getByRole('listitem').nth(1).waitFor();
    expect(await stale.count()).toBe(0);

    await room.client.delete(`/projects/${room.id}/cards/${card('Pieces').id}`);
    await tab.page.getByText('The model has changed since: Pieces (removed)').nth(1).waitFor();
    await room.client.patch(`/projects/${room.id}/cards/${card('Hours').id}`, {
      version: card('Hours').version,
      data: { values: { hours: 61 } },
    });
    await tab.page.getByText('The model has changed since: Hours').nth(1).waitFor();
    await show('runs-stale');
    const canvas = runs.find(({ scenario_id }) => scenario_id === null)!;
    await tab.page.goto(at(room, `/${canvas.id}`));
    await tab.page.getByRole('heading', { name: 'Values' }).waitFor();
    await stale.waitFor();
    await show('run-stale');
    await room.client.patch(`/projects/${room.id}/scenarios/${scenario.id}`, { changes: [hours(75)] });
    await tab.page.goto(at(room, '/comparison'));
    await tab.page.getByText('scenario Longer').waitFor();
    await show('comparison-stale');
    await start(room).then(({ id }) => over(room, id));
    await tab.page.goto(at(room));
    await eventually(
      () => stale.count(),
      (count) => count === 2,
      { until: 'the new run alone is up to date' },
    );
    await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'products.csv', PRODUCTS);
    await tab.page.getByText('The model has changed since: products.csv').waitFor();
  }, 90_000);

  it('keeps the plan of a run that is stopped early', async () => {
    const room = await makeRoom();
    await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'hard.lp', hardModel());
    const { id } = await start(room, { input_file_ids: ['hard.lp'], time_limit_seconds: 60 });
    await open(room, `/${id}`);
    const stop = tab.page.getByRole('button', { name: 'Stop and keep this plan' });
    await stop.waitFor({ timeout: 30_000 });
    await tab.appear('light', 420);
    expect(await tab.overflow()).toBe(0);
    await show('runs-searching-420');
    await tab.appear('light', 1280);
    await show('runs-searching');
    await stop.dblclick();
    await tab.page.getByText('The best values found until the search was stopped').waitFor();
    await tab.page.getByRole('heading', { name: 'Values' }).waitFor();
    expect(await detail(room, id)).toMatchObject({ status: 'succeeded', outcome: 'time_limit' });
  }, 60_000);

  it('shows what is missing from the model and links to the canvas', async () => {
    const room = await makeRoom();
    await open(room);
    await text('No runs yet').waitFor();
    await text('There is no variable. What does the plan decide?').waitFor();
    await show('runs-empty');
    await button('Solve').click();
    const solve = tab.page.getByRole('dialog').getByRole('button', { name: 'Solve', exact: true });
    expect(await solve.isDisabled()).toBe(true);
    // Another person creates the first cards.
    await addCard(room, 'variable', 'x', { name: 'x', domain: 'continuous', upper: 4 });
    await addCard(room, 'objective', 'Most', { sense: 'maximize', expression: 'x + y' });
    await tab.page
      .getByRole('dialog')
      .getByText('A formula contains a name that is neither a variable nor a value.')
      .waitFor();
    await show('runs-missing');
    expect(await solve.isDisabled()).toBe(true);
    // API clients can start the run even though the page disables it.
    const run = await start(room);
    await tab.page.goto(at(room, `/${run.id}`));
    await text('The run failed').waitFor();
    const { error } = await over(room, run.id);
    await text(error?.message ?? 'an error').waitFor();
    await show('run-failed');
    await link('Open the canvas').click();
    expect(tab.page.url()).toBe(`${shared.url}/#/projects/${room.id}/canvas`);
  });

  it('starts a run with options, and shows the complete result', async () => {
    const room = await makeShop();
    await open(room);
    await button('Solve').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('With sixty hours');
    await dialog.getByLabel('Time limit').fill('30');
    await dialog.getByLabel('Gap').fill('1.5');
    await dialog.getByLabel('Update the checklist with the result').uncheck();
    await show('solve');
    await dialog.getByRole('button', { name: 'Solve', exact: true }).click();
    await text('Optimal: there is no better plan.').waitFor();
    const run = tab.page.url().split('/').at(-1) ?? '';
    expect(await detail(room, run)).toMatchObject({
      name: 'With sixty hours',
      time_limit_seconds: 30,
      mip_gap: 0.015,
      affects_checklist: false,
      result: { status: 'optimal', objective_value: PROFIT },
    });
    const { completeness } = await room.client.get<{ completeness: { feasibility_result: string } }>(
      `/projects/${room.id}`,
    );
    expect(completeness.feasibility_result).toBe('unchecked');

    await tab.page.getByLabel('Result', { exact: true }).getByText('2,600').first().waitFor();
    expect((await tab.page.getByRole('group', { name: 'KPIs' }).innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'Pieces 60 pieces 50 +10',
    );
    await tab.page.getByRole('table', { name: 'Members of make' }).getByText('oak chair').waitFor();
    expect(await rowsOf('Members of make')).toEqual(['product Value ↓ Reduced cost', 'table 40 20', 'oak chair 20 0']);
    await field('Hide zeros').uncheck();
    await tab.page.getByRole('table', { name: 'Members of make' }).getByText('stool').waitFor();
    await tab.page.getByRole('columnheader', { name: 'product' }).getByRole('button').click();
    await seeRows('Members of make', ['oak chair 20 0', 'stool 0 -20', 'table 40 20']);
    await seeRows('Constraints', ['Labour 60 0 30']);

    const csv = { name: 'make.csv', content: 'product,value,reduced_cost\noak chair,20,0\ntable,40,20\nstool,0,-20\n' };
    expect(await saved(() => button('make.csv').click())).toEqual(csv);
    // A result that is too large for a response must be downloaded.
    const tooLarge = { detail: 'The file is too large', code: 'content_too_large' };
    await tab.page.route('**/files/content', (route) => route.fulfill({ status: 413, json: tooLarge }));
    expect(await saved(() => button('make.csv').click())).toEqual(csv);
    await tab.page.getByText('Model of this run').click();
    await text('sum p in products: make[p] <= hours').waitFor();
    await tab.page.getByText('Log', { exact: true }).click();
    await text('Reading the model').waitFor();
    expect(await faults()).toEqual([]);
    await show('run-all');

    // The repeated run does not include the later changes.
    await button('Solve again').click();
    await tab.page.waitForURL((url) => !url.hash.endsWith(run));
    await text('Optimal: there is no better plan.').waitFor();
    expect((await room.client.get<ExecutionListResponse>(executions(room))).total).toBe(2);
    await link('All runs').click();
    await tab.page.getByRole('listitem').nth(1).waitFor();
    expect(await tab.page.getByRole('listitem').first().innerText()).toMatch(
      /^With sixty hours\s+just now · by you · canvas\s+Optimal\s+Objective\s+2,600/,
    );
  });

  it('shows the progress of a run and lets people cancel the run', async () => {
    const room = await makeRoom();
    await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'hard.lp', hardModel());
    await open(room);
    await text('No runs yet').waitFor();
    await button('Solve').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Model' }).click();
    await tab.page.getByRole('option', { name: 'hard.lp' }).click();
    await dialog.getByRole('button', { name: 'Solve', exact: true }).click();
    await text('The solver is searching').waitFor();
    const so = tab.page.getByLabel('Progress', { exact: true });
    await so.waitFor();
    const first = await so.innerText();
    await eventually(
      () => so.innerText(),
      (now) => now !== first,
      { until: 'it goes on' },
    );
    expect(await faults()).toEqual([]);
    await show('run-going');
    await tab.page.getByText('Log', { exact: true }).click();
    await text('Variables: 60 (50 integer)').waitFor();
    const run = tab.page.url().split('/').at(-1) ?? '';
    await link('All runs').click();
    await tab.page.getByRole('listitem').getByText('Solving').waitFor();
    await tab.page.getByRole('listitem').getByRole('link').click();
    await button('Cancel').click();
    await text('The run was canceled without a plan.').waitFor();
    expect((await detail(room, run)).status).toBe('canceled');
  });

  it('explains why a run has no plan and suggests what to do', async () => {
    const room = await makeShop();
    await open(room);
    await addCard(room, 'constraint', 'Orders', { expression: 'make["table"] >= 70', classification: 'hard' });
    const { id } = await start(room);
    await tab.page.getByRole('listitem').getByText('Infeasible').waitFor();
    await tab.page.getByRole('listitem').getByRole('link').click();
    await text('Infeasible: no plan meets all constraints').waitFor();
    const { result } = await detail(room, id);
    expect(result?.conflict.length).toBeGreaterThan(1);
    for (const name of result?.conflict ?? []) await tab.page.getByRole('listitem').getByText(name).waitFor();
    await show('run-infeasible');
    const lp = 'Maximize\n profit: 2 x + y\nSubject To\n c: x - y <= 3\nEnd\n';
    await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'endless.lp', lp);
    await makeFile(room.client, { source: 'workspace', project_id: room.id }, 'hard.lp', hardModel());
    const { id: short } = await start(room, { input_file_ids: ['hard.lp'], time_limit_seconds: 1 });
    const { id: endless } = await start(room, { input_file_ids: ['endless.lp'] });
    await tab.page.goto(at(room, `/${short}`));
    await text(/^Feasible: the plan meets all constraints, and no plan is better by more than .*%/).waitFor();
    const { result: plan } = await detail(room, short);
    expect(plan?.status).toBe('time_limit');
    await tab.page
      .getByRole('table', { name: 'Values' })
      .getByRole('cell', { name: /^x\d+$/ })
      .first()
      .waitFor();
    await show('run-feasible');
    await tab.page.goto(at(room, `/${endless}`));
    await text('Unbounded: the objective has no limit').waitFor();
    await text(/x can grow/).waitFor();
    await tab.page.goto(at(room, '/01900000-0000-7000-8000-0000000000ff'));
    await text('This project has no such run.').waitFor();
  });

  it('lets people search and filter the runs, and loads them in pages', async () => {
    const room = await shownRoom();
    await open(room);
    await text('6 runs').waitFor();
    await field('Search runs by name').fill('BREAK');
    await text('1 run').waitFor();
    await tab.page.getByRole('listitem').getByText('With a break').waitFor();
    await field('Search runs by name').fill('');
    await text('6 runs').waitFor();
    await tab.page.getByRole('combobox', { name: 'Scenario' }).click();
    await tab.page.getByRole('option', { name: 'Two shifts' }).click();
    await text('1 run').waitFor();
    await tab.page.getByRole('listitem').getByText('Two shifts').waitFor();
    await tab.page.getByRole('combobox', { name: 'Status' }).click();
    await tab.page.getByRole('option', { name: 'Failed' }).click();
    await text('No matching runs').waitFor();

    const count = 130;
    await tab.page.route(`**${executions(room)}?*`, async (route) => {
      const { searchParams } = new URL(route.request().url());
      const offset = Number(searchParams.get('offset'));
      const made = (place: number) => ({
        id: `00000000-0000-7000-8000-${String(place).padStart(12, '0')}`,
        project_id: room.id,
        status: 'succeeded',
        triggered_by: 'user:ada',
        created_at: new Date(0).toISOString(),
        input_file_ids: null,
        is_test: false,
        name: `Plan ${place}`,
        scenario_id: null,
        started_at: new Date(0).toISOString(),
        ended_at: new Date(2_000).toISOString(),
        outcome: 'optimal',
        objective_value: 12.5,
        gap: 0,
        credits: 0.02,
      });
      const rows = Array.from({ length: Math.min(100, count - offset) }, (_, place) => made(offset + place));
      const listed = searchParams.get('status') === null ? rows : [];
      await route.fulfill({ json: { executions: listed, limit: 100, offset, total: listed.length && count } });
    });
    const details: string[] = [];
    tab.page.on('request', (request) => {
      if (request.url().includes(`${executions(room)}/`)) details.push(request.url());
    });
    await tab.page.reload();
    await text(`100 of ${count} runs`).waitFor();
    await button('Show more').click();
    await text(`${count} runs`).waitFor();
    expect(await tab.page.getByRole('listitem').count()).toBeLessThan(60);
    await tab.page.getByRole('listitem').filter({ hasText: 'Plan 0' }).getByText('12.5').waitFor();
    await tab.page.getByRole('listitem').filter({ hasText: 'Plan 0' }).getByText('Optimal').waitFor();
    // The list response contains everything that a row shows for an ended run, so the page requests no details.
    expect(details).toEqual([]);
  });

  it('shows the members of a large plan in pages', async () => {
    const room = await makeRoom();
    await addCard(room, 'data', 'Weeks', { set: 'weeks', members: '1 to 3000' });
    await addCard(room, 'variable', 'make', { name: 'make', index: 'w in weeks', domain: 'continuous', upper: 'w' });
    await addCard(room, 'objective', 'Most', { sense: 'maximize', expression: 'sum w in weeks: make[w]' });
    const { id } = await start(room);
    expect((await over(room, id)).result?.status).toBe('optimal');
    await open(room, `/${id}`);
    await text(/^3,000 members$/).waitFor();
    const rows = tab.page.getByRole('table', { name: 'Members of make' }).getByRole('row');
    await show('run-large');
    expect(await rows.count()).toBeLessThan(60);
    await seeRows('Members of make', ['3000 3,000 1', '2999 2,999 1']);
    await tab.page.getByRole('rowgroup', { name: 'Rows of Members of make' }).focus();
    await eventually(
      async () => {
        await tab.page.keyboard.press('End');
        return (await rowsOf('Members of make')).at(-1);
      },
      (last) => last?.startsWith('1 1') === true,
      { until: 'the smallest is in sight' },
    );
    await field('Search Members of make').fill('299');
    await text('13 of 3,000 members').waitFor();
    await seeRows('Members of make', ['2999 2,999 1']);
  });

  it('shows hostile names and text unchanged', async () => {
    const room = await makeShop();
    const scenario = await makeScenario(room, HOSTILE.slice(0, 100), hours(7));
    await room.client.patch(`/projects/${room.id}/scenarios/${scenario.id}`, { description: HOSTILE });
    await addCard(room, 'constraint', HOSTILE, { expression: 'make["table"] >= 70', classification: 'hard' });
    const { id } = await start(room, { name: HOSTILE });
    await over(room, id);
    await open(room);
    await tab.page.getByRole('listitem').getByText(HOSTILE).waitFor();
    await tab.page.goto(at(room, `/${id}`));
    await text('Infeasible: no plan meets all constraints').waitFor();
    await tab.page.getByText('Model of this run').click();
    await text('sum p in products: make[p] <= hours').waitFor();
    await tab.page.goto(at(room, '/scenarios'));
    await text(HOSTILE.slice(0, 100)).waitFor();
    await tab.page.goto(at(room, `/scenarios/${scenario.id}`));
    await field('Description').waitFor();
    await field('Kind').selectOption('off');
    await tab.page.getByRole('combobox', { name: 'Card' }).fill('<img');
    await tab.page.getByRole('option', { name: '<img' }).waitFor();
    await tab.page.goto(at(room, '/comparison'));
    await tab.page.getByRole('columnheader', { name: HOSTILE.slice(0, 20) }).waitFor();
    expect(await tab.page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await tab.page.locator('main img, main script').count()).toBe(0);
    expect(await overflow()).toBe(0);
  });

  it('hides all editing controls from viewers', async () => {
    const room = await shownRoom();
    const {
      executions: [{ id = '' } = {}],
    } = await room.client.get<ExecutionListResponse>(executions(room));
    await room.client.patch(`/projects/${room.id}`, { visibility: 'private' });
    const reader = await shared.session({ company: room.session.company, role: 'member' });
    await reader.client.get('/me');
    await room.client.put(`/projects/${room.id}/members/${reader.user}`, { role: 'viewer' });
    await open(room, '', { token: reader.token });
    await text('Read-only').waitFor();
    await text('6 runs').waitFor();
    const controls = (name: RegExp) => tab.page.getByRole('button', { name }).or(tab.page.getByRole('link', { name }));
    expect(await controls(/^Solve$/).count()).toBe(0);
    await tab.page.goto(at(room, `/${id}`));
    await text('Optimal: there is no better plan.').waitFor();
    expect(await controls(/again|Cancel/).count()).toBe(0);
    await tab.page.goto(at(room, '/scenarios'));
    await text('hours × 1.5').waitFor();
    expect(await controls(/^(Solve|Edit|Delete|New)/).count()).toBe(0);
    await link('Two shifts').click();
    await tab.page.getByRole('heading', { name: 'Two shifts' }).waitFor();
    expect(await tab.page.getByRole('main').getByRole('textbox').count()).toBe(0);
    await tab.page.goto(at(room, '/comparison'));
    await text('Largest differences in values').waitFor();
    expect(await controls(/^Solve/).count()).toBe(0);
  });

  it('offers a form that creates scenarios with every kind of change', async () => {
    const room = await makeShop();
    await makeFile(
      room.client,
      { source: 'workspace', project_id: room.id },
      'other.csv',
      PRODUCTS.replace('50', '100'),
    );
    await open(room, '/scenarios');
    await text('No scenarios yet').waitFor();
    await link('New scenario').click();
    await button('Create scenario').click();
    await text('Give the scenario a name').waitFor();
    await text('Choose what to change').waitFor();
    await tab.page.getByRole('textbox', { name: 'Name' }).fill('Two shifts');
    await field('Description').fill('If the works council agrees');
    const change = (place: number) => tab.page.getByRole('group', { name: `Change ${place}`, exact: true });
    /** Selects a suggested option. */
    const choose = async (place: number, label: string, option: string | RegExp): Promise<void> => {
      await change(place).getByRole('combobox', { name: label, exact: true }).click();
      await tab.page.getByRole('option', { name: option }).click();
    };
    await choose(1, 'Value', /^hours/);
    await change(1).getByLabel('Number').fill('1.5');
    const kinds = ['bound', 'column', 'cell', 'off', 'file'];
    for (const [index, kind] of kinds.entries()) {
      await button('Add a change').click();
      await change(index + 2)
        .getByLabel('Kind')
        .selectOption(kind);
    }
    await choose(2, 'Bound', /^make\.upper/);
    await change(2).getByLabel('Operation').selectOption('plus');
    await change(2).getByLabel('Number').fill('5');
    await choose(3, 'Column', /^price/);
    await change(3).getByLabel('Number').fill('1.1');
    await change(3).getByLabel('Where').fill('region =');
    await choose(4, 'Column', /^price/);
    await choose(4, 'product', 'stool');
    await change(4).getByLabel('Operation').selectOption('to');
    await change(4).getByLabel('Number').fill('12');
    await choose(5, 'Card', /^Labour/);
    await choose(6, 'Set', /^products/);
    await choose(6, 'Read from', 'other.csv');
    await show('scenario-form');
    await button('Create scenario').click();
    await change(3).locator('[class*=error]').getByText(/\S/).waitFor();
    await text('The scenario was not saved: correct the marked fields.').waitFor();
    expect(await faults()).toEqual([]);
    await show('scenario-refused');
    await change(3).getByLabel('Where').fill('region = "north"');
    await button('Move change 5 up').click();
    await button('Create scenario').click();
    await tab.page.getByRole('listitem').getByText('Two shifts').waitFor();
    const { scenarios } = await room.client.get<ScenarioListResponse>(`/projects/${room.id}/scenarios`);
    expect(scenarios).toMatchObject([
      {
        name: 'Two shifts',
        description: 'If the works council agrees',
        changes: [
          { kind: 'value', target: 'hours', times: 1.5 },
          { kind: 'bound', target: 'make.upper', plus: 5 },
          { kind: 'column', target: 'price', where: 'region = "north"', times: 1.1 },
          { kind: 'off', target: 'Labour' },
          { kind: 'cell', target: 'price', key: ['stool'], to: 12 },
          { kind: 'file', target: 'products', to: 'other.csv' },
        ],
      },
    ]);
    await text(
      'hours × 1.5 · make.upper + 5 · price × 1.1 where region = "north" · without Labour · and 2 more',
    ).waitFor();

    // Another person changes the scenario while the form is open.
    await link('Edit Two shifts').click();
    await tab.page.getByRole('textbox', { name: 'Name' }).fill('Three shifts');
    await room.client.patch(`/projects/${room.id}/scenarios/${scenarios[0]?.id}`, { changes: [hours(90)] });
    await text('Someone changed this scenario after you opened it.').waitFor();
    await show('scenario-changed');
    await button('Show their version').click();
    expect(await tab.page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Two shifts');
    expect(await change(1).getByLabel('Number').inputValue()).toBe('90');
    await tab.page.getByRole('textbox', { name: 'Name' }).fill('Three shifts');
    await button('Save').click();
    await tab.page.getByRole('listitem').getByText('Three shifts').waitFor();
    const { scenarios: now } = await room.client.get<ScenarioListResponse>(`/projects/${room.id}/scenarios`);
    expect(now).toMatchObject([{ name: 'Three shifts', changes: [hours(90)] }]);

    await makeScenario(room, 'Made elsewhere', hours(5));
    await tab.page.getByRole('listitem').getByText('Made elsewhere').waitFor();
    await button('Delete Three shifts').click();
    await button('Delete').click();
    await text('Three shifts').waitFor({ state: 'detached' });
    expect((await room.client.get<ScenarioListResponse>(`/projects/${room.id}/scenarios`)).total).toBe(1);
  }, 120_000);

  it('offers the headers of a wide table as members', async () => {
    const room = await makeRoom();
    const at = { source: 'workspace', project_id: room.id } as const;
    await makeFile(room.client, at, 'demand.csv', 'plant,2024,2025\nGraz,1,2\nLinz,3,4\n');
    await makeFile(room.client, at, 'km.csv', 'plant,Jan,jan,\nGraz,1,2,5\nLinz,3,4,6\n');
    const wide = (set: string, columns_as: string) => ({ set, file_path: `${set}.csv`, key: ['plant'], columns_as });
    await addCard(room, 'data', 'Demand', wide('demand', 'years'));
    await addCard(room, 'data', 'Distance', wide('km', 'months'));
    await open(room, '/scenarios/new');
    const change = tab.page.getByRole('group', { name: 'Change 1', exact: true });
    await change.getByLabel('Kind').selectOption('cell');
    const column = change.getByRole('combobox', { name: 'Column', exact: true });
    const option = (name: string | RegExp) => tab.page.getByRole('option', { name, exact: true });
    const expectMembers = async (part: string, ...members: [string, ...string[]]): Promise<void> => {
      await change.getByRole('combobox', { name: part, exact: true }).click();
      for (const member of members) await option(member).waitFor();
      expect(await tab.page.locator('[role=option]:visible').count()).toBe(members.length);
      await tab.page.keyboard.press('Escape');
      await option(members[0]).waitFor({ state: 'hidden' });
    };
    await column.click();
    await option(/^demand/).click();
    await expectMembers('years', '2024', '2025');
    await expectMembers('plant', 'Graz', 'Linz');
    await column.fill('');
    await option(/^km/).click();
    await expectMembers('months', 'Jan', 'jan');
    expect(await faults()).toEqual([]);
  });

  it('solves several scenarios together and shows them side by side', async () => {
    const room = await makeShop();
    await makeScenario(room, 'Longer days', hours(100));
    await makeScenario(room, 'Half of it', hours(30));
    const unsolved = await makeScenario(room, 'Later', hours(1));
    await open(room, '/scenarios');
    await field('Select all').check();
    await field('Select Later').uncheck();
    await button('Solve 2').click();
    await show('scenarios-solve');
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Solve', exact: true }).click();
    const table = tab.page.getByRole('group', { name: 'Scenarios side by side' });
    await table.getByText('3,400').waitFor();
    await table.getByText('1,500').waitFor();
    await table.getByRole('row', { name: /^Latest run.*Optimal.*Optimal.*Optimal/ }).waitFor();
    const { executions: runs } = await room.client.get<ExecutionListResponse>(executions(room));
    expect(runs).toHaveLength(3);
    const lines = async () =>
      (await table.getByRole('row').allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' ').trim());
    expect(await lines()).toEqual([
      'Canvas Half of it Longer days',
      'Latest run Optimal just now Optimal just now Optimal just now',
      'Objective 2,600 1,500 -1,100 (-42.3%) 3,400 +800 (+30.8%)',
      'Pieces 60 30 -30 (-50%) 100 +40 (+66.7%)',
      'Largest differences in values',
      'make[oak chair] 20 0 -20 (-100%) 40 +20 (+100%)',
      'make[stool] 0 0 20 +20',
      'make[table] 40 30 -10 (-25%) 40',
    ]);
    await show('comparison');
    const { name, content } = await saved(() => button('Download as CSV').click());
    expect(name).toBe('comparison.csv');
    expect(content.split('\n').slice(0, 2)).toEqual([
      'scenario,status,objective_value,difference,Pieces,Pieces difference',
      'base,optimal,2600,,60,',
    ]);
    // The comparison shows all scenarios, with live results.
    await tab.page.goto(at(room, '/comparison'));
    await table.getByText('Not solved yet').waitFor();
    await room.client.post<ScenarioSolveResponse>(`/projects/${room.id}/scenarios/solve`, {
      scenario_ids: [unsolved.id],
    });
    await table.getByText('-2,550').waitFor();
  });

  it.each(LOOKS)(
    'is readable and usable in the %s color scheme at a width of %i pixels',
    async (colorScheme, width) => {
      const room = await shownRoom();
      await tab.appear(colorScheme, width);
      await open(room);
      await text('runs').waitFor();
      const look = async (place: string, ready: string | RegExp, name: string) => {
        await tab.page.goto(at(room, place));
        await text(ready).waitFor();
        // Data that is read for each row appears slightly later.
        await tab.page
          .getByText(/^Loading /)
          .first()
          .waitFor({ state: 'detached' });
        expect([place, await faults()]).toEqual([place, []]);
        expect([place, await overflow()]).toEqual([place, 0]);
        await show(`${name}-${colorScheme}-${width}`);
      };
      await look('', 'Optimal', 'runs');
      const { executions: runs } = await room.client.get<ExecutionListResponse>(executions(room));
      await look(`/${runs[0]?.id}`, 'oak chair', 'run');
      await look('/scenarios', 'hours × 1.5', 'scenarios');
      const { scenarios } = await room.client.get<ScenarioListResponse>(`/projects/${room.id}/scenarios`);
      await look(`/scenarios/${scenarios.at(-1)?.id}`, 'Change 2', 'scenario');
      await look('/comparison', 'Largest differences in values', 'comparison');
    },
  );
});
