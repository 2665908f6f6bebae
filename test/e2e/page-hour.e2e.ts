import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { inBrowser, usePage } from '../support/page.js';
import { testRun } from '../support/run.js';
import { removeEnvironment, Service } from '../support/service.js';

const PRODUCTS = `product,price,Unit cost,hours,region
oak chair,90,40,2,north
table,210,115,5,south
stool,45,20,1,north
`;
const DEMAND = `product;week;demand
oak chair;1;30
oak chair;2;45
table;1;12,5
table;2;10
stool;2;80
`;
/** What is planned, a statement a line, and what the agent then has on the canvas. */
const STATEMENTS = [
  {
    statements: [
      'products from uploads/products.csv key product',
      'demand from uploads/demand.csv key product, week default 0',
      'weeks: 1 to 2',
      'maximize profit: sum p in products, t in weeks: (price[p] - Unit_cost[p]) * make[p, t]',
    ],
    made: 'Objective profit',
  },
  {
    statements: [
      'Hours: sum p in products: hours[p] * make[p, t] <= 160 for t in weeks, hard',
      'Demand: make[p, t] <= demand[p, t] for p in products, t in weeks, hard',
      'North: sum p in products where region[p] = "north": make[p, t] <= 90 for t in weeks, hard',
    ],
    made: 'Constraint North',
  },
];

let service: Service;

/** A first start as somebody has it who has just cloned the repository. */
beforeAll(async () => {
  const dataDir = await mkdtemp(join(testRun().directory, 'data-'));
  const settings = { DATABASE_URL: '', AUTH_JWT_SECRET: '' };
  service = await Service.start({ environment: { databaseUrl: '', dataDir, secret: '' }, settings });
}, 100_000);
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await removeEnvironment(service.environment);
}, 60_000);

inBrowser('a first hour on the page', () => {
  const tab = usePage(() => [service]);

  it('goes from nothing to two plans side by side, and a second tab follows', async () => {
    const { page } = tab;
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
    const say = async (...statements: string[]): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(statements.join('\n'));
      await page.keyboard.press('Enter');
    };
    const part = (of: Page, name: string) =>
      of.getByRole('navigation', { name: 'Parts of the project' }).getByRole('link', { name, exact: true });

    await page.goto(service.url);
    await button('New project').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Furniture of next month');
    await page.getByRole('combobox', { name: 'Deployment' }).click();
    await page.getByRole('option', { name: 'Production planning' }).click();
    await button('Create project').click();
    await page.getByRole('heading', { name: 'Furniture of next month' }).waitFor();
    await tab.show('hour-1-empty');

    const second = await tab.context.newPage();
    second.setDefaultTimeout(15_000);
    await second.goto(page.url());
    await part(second, 'Canvas').click();

    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        { name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(PRODUCTS) },
        { name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.from(DEMAND) },
      ]);
    await page.getByText('in the files of the project').nth(1).waitFor();
    for (const { statements, made } of STATEMENTS) {
      await say(...statements);
      await page.getByRole('listitem').filter({ hasText: made }).waitFor();
    }
    await button('Amounts from 0, fractions too').click();
    await page.getByText('Which figures show whether a plan is good').waitFor();
    await say('kpi Pieces: sum p in products, t in weeks: make[p, t]');
    await button('No, nothing').click();
    await tab.show('hour-2-conversation');
    await button('Yes, solve it').click();
    await page.getByText('the objective is 6537.5').first().waitFor();
    // The other tab has seen the cards come.
    await second.getByText('Hours', { exact: true }).first().waitFor();
    await second.getByText('8 of 8 met', { exact: true }).waitFor();
    await part(page, 'Canvas').click();
    await page.getByText('North', { exact: true }).first().waitFor();
    // What was said last is still in sight where the conversation is narrower.
    await eventually(
      () => page.getByText('Nothing is missing.').boundingBox(),
      (box) => box !== null && box.y > 100 && box.y + box.height < 690,
      { until: 'the end is in sight' },
    );
    await tab.show('hour-3-canvas');
    expect(await tab.faults()).toEqual([]);

    await part(second, 'Runs').click();
    await part(page, 'Runs').click();
    await page.getByRole('listitem').getByText('6,537.5').first().waitFor();
    await page.getByRole('list').getByRole('link').first().click();
    await page.getByRole('table', { name: 'Members of make' }).getByText('oak chair').first().waitFor();
    await page.getByRole('group', { name: 'KPIs' }).getByText('137.5').first().waitFor();
    await tab.show('hour-4-run');

    await page.getByRole('navigation', { name: 'Runs and scenarios' }).getByRole('link', { name: 'Scenarios' }).click();
    await page.getByRole('link', { name: 'New scenario' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Demand grows');
    const change = page.getByRole('group', { name: 'Change 1', exact: true });
    await change.getByLabel('Kind').selectOption('column');
    await change.getByRole('combobox', { name: 'Column', exact: true }).click();
    await page.getByRole('option', { name: /^demand/ }).click();
    await change.getByLabel('Number').fill('1.5');
    await tab.show('hour-5-scenario');
    await button('Create scenario').click();
    await page.getByLabel('Choose Demand grows').check();
    await button('Solve 1').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Solve', exact: true }).click();
    const table = page.getByRole('group', { name: 'Scenarios side by side' });
    await table.getByText('Optimal').nth(1).waitFor();
    await tab.show('hour-6-comparison');
    expect(await tab.faults()).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download as CSV').click()]);
    const [head, base, grown] = (await readFile(await download.path(), 'utf8')).split('\n');
    expect(head).toBe('scenario,status,objective_value,difference,Pieces,Pieces difference');
    expect(base).toBe('base,optimal,6537.5,,137.5,');
    const [name, status, objective] = grown?.split(',') ?? [];
    expect([name, status]).toEqual(['Demand grows', 'optimal']);
    expect(Number(objective)).toBeGreaterThan(6537.5);
    await second.getByRole('listitem').getByText('Demand grows').first().waitFor();
    await second.close();
  }, 120_000);
});
