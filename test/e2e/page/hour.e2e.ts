import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { useFirstStart } from '../../support/first-start.js';
import { inBrowser, LOOKS, usePage } from '../../support/page.js';

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
/** Statements of the plan. Each list comes with a card that the agent creates from it. */
const STATEMENTS = [
  {
    statements: [
      'products from uploads/products.csv key product',
      'demand from uploads/demand.csv key product, week default 0',
      'weeks: 1 to 2',
      'maximize profit: sum p in products, t in weeks: (price[p] - Unit_cost[p]) * make[p, t]',
    ],
    card: 'Objective profit',
  },
  {
    statements: [
      'Hours: sum p in products: hours[p] * make[p, t] <= 160 for t in weeks, hard',
      'Demand: make[p, t] <= demand[p, t] for p in products, t in weeks, hard',
      'North: sum p in products where region[p] = "north": make[p, t] <= 90 for t in weeks, hard',
      'South: sum p in products where region[p] = "south": make[p, t] <= 90 for t in weeks, hard',
      'Stools: sum t in weeks: make["stool", t] <= 60, hard',
    ],
    card: 'Constraint Stools',
  },
];

const service = useFirstStart();

/** A person's actions on the page, performed with the mouse or the keyboard. */
interface Hands {
  press: (button: Locator) => Promise<void>;
  check: (box: Locator) => Promise<void>;
  write: (field: Locator, text: string) => Promise<void>;
  /** Selects one of the options that a field suggests. */
  pick: (field: Locator, option: string | RegExp) => Promise<void>;
  /** Selects a value in a `select`. */
  choose: (field: Locator, value: string) => Promise<void>;
}

const withMouse = (page: Page): Hands => ({
  press: (button) => button.click(),
  check: (box) => box.check(),
  write: (field, text) => field.fill(text),
  pick: async (field, option) => {
    await field.click();
    await page.getByRole('option', { name: option }).click();
  },
  choose: async (field, value) => {
    await field.selectOption(value);
  },
});

/** Maximum time to keep pressing Tab until the focus reaches an element, which may be disabled at first. */
const PATIENCE_MS = 15_000;

/** Performs all actions with only the keyboard, moving the focus with the Tab key. */
function withKeyboard(page: Page): Hands {
  const { keyboard } = page;
  const until = async (is: () => Promise<boolean>, key: string, what: Locator): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      if (await is()) return;
      await keyboard.press(key);
    }
    throw new Error(`${what.toString()} is not reached with ${key}`);
  };
  const reach = async (what: Locator): Promise<void> => {
    await what.waitFor();
    await until(async () => (await what.and(page.locator(':focus')).count()) > 0, 'Tab', what);
  };
  return {
    press: async (button) => {
      await reach(button);
      await keyboard.press('Enter');
    },
    check: async (box) => {
      await reach(box);
      await keyboard.press('Space');
    },
    write: async (field, text) => {
      await reach(field);
      for (const [at, line] of text.split('\n').entries()) {
        if (at > 0) await keyboard.press('Shift+Enter');
        await keyboard.type(line);
      }
    },
    pick: async (field, name) => {
      await reach(field);
      await keyboard.press('ArrowDown');
      const option = page.getByRole('option', { name });
      await option.waitFor();
      await until(async () => (await option.getAttribute('data-combobox-selected')) === 'true', 'ArrowDown', option);
      await keyboard.press('Enter');
    },
    choose: async (field, value) => {
      await reach(field);
      await until(async () => (await field.inputValue()) === value, 'ArrowDown', field);
    },
  };
}

inBrowser('a first hour on the page', () => {
  const tab = usePage(() => [service]);

  it.each([
    ['mouse', withMouse],
    ['keyboard', withKeyboard],
  ])(
    'leads from an empty list of projects to two compared plans with the %s, while a second tab stays up to date',
    async (means, handsOn) => {
      const { page } = tab;
      const { press, check, write, pick, choose } = handsOn(page);
      /** Checks a view in light and dark mode at both window widths. The mouse run is sufficient for this. */
      const look = async (name: string): Promise<void> => {
        if (means === 'keyboard') return;
        for (const [colorScheme, width] of LOOKS.toReversed()) {
          await tab.appear(colorScheme, width);
          await eventually(tab.overflow, (pixels) => pixels === 0, { until: `${name} fits into ${width} pixels` });
          const seen = `${name}-${colorScheme}-${width}`;
          expect([seen, await tab.faults()]).toEqual([seen, []]);
          await tab.show(`hour-${seen}`);
        }
      };
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
      /** Sends a message and waits until the agent has added a card and its turn has ended. */
      const say = async (statements: string[], card: string): Promise<void> => {
        await write(page.getByRole('textbox', { name: 'Message' }), statements.join('\n'));
        await page.keyboard.press('Enter');
        await page.getByRole('listitem').filter({ hasText: card }).waitFor();
        await button('Stop').waitFor({ state: 'hidden' });
      };
      const part = (of: Page, name: string) =>
        of.getByRole('navigation', { name: 'Parts of the project' }).getByRole('link', { name, exact: true });

      await page.goto(service.url);
      await press(button('New project'));
      await write(page.getByRole('textbox', { name: 'Name' }), 'Furniture of next month');
      await pick(page.getByRole('combobox', { name: 'Deployment' }), 'Production planning');
      await press(button('Create project'));
      await page.getByRole('heading', { name: 'Furniture of next month' }).waitFor();
      await look('1-empty');

      const second = await tab.context.newPage();
      second.setDefaultTimeout(15_000);
      await second.goto(page.url());
      await part(second, 'Canvas').click();

      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(button('Attach files'))]);
      await chooser.setFiles([
        { name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(PRODUCTS) },
        { name: 'demand.csv', mimeType: 'text/csv', buffer: Buffer.from(DEMAND) },
      ]);
      await page.getByText('added to the project files').nth(1).waitFor();
      for (const { statements, card } of STATEMENTS) await say(statements, card);
      await press(button('Amounts from 0, fractions too'));
      await page.getByText('Which figures besides the objective show whether a plan is good').waitFor();
      await say(['kpi Pieces: sum p in products, t in weeks: make[p, t]'], 'KPI Pieces');
      await press(button('No, nothing'));
      await look('2-conversation');
      await press(button('Yes, solve it'));
      await page.getByText('the objective is 6537.5').first().waitFor();
      // The other tab has received the cards.
      await second.getByText('Hours', { exact: true }).first().waitFor();
      await second.getByText('8 of 8 met', { exact: true }).waitFor();
      await press(part(page, 'Canvas'));
      await page.getByText('North', { exact: true }).first().waitFor();
      // The last message stays visible when the conversation becomes narrower.
      await eventually(
        () => page.getByText('Nothing is missing.').boundingBox(),
        (box) => box !== null && box.y > 100 && box.y + box.height < 690,
        { until: 'the end is in sight' },
      );
      await look('3-canvas');

      await part(second, 'Runs').click();
      await press(part(page, 'Runs'));
      await page.getByRole('listitem').getByText('6,537.5').first().waitFor();
      await press(page.getByRole('list').getByRole('link').first());
      await page.getByRole('table', { name: 'Members of make' }).getByText('oak chair').first().waitFor();
      await page.getByRole('group', { name: 'KPIs' }).getByText('137.5').first().waitFor();
      await look('4-run');

      await press(
        page.getByRole('navigation', { name: 'Runs and scenarios' }).getByRole('link', { name: 'Scenarios' }),
      );
      await press(page.getByRole('link', { name: 'New scenario' }));
      await write(page.getByRole('textbox', { name: 'Name' }), 'Demand grows');
      const change = page.getByRole('group', { name: 'Change 1', exact: true });
      await choose(change.getByLabel('Kind'), 'column');
      await pick(change.getByRole('combobox', { name: 'Column', exact: true }), /^demand/);
      await write(change.getByLabel('Number'), '1.5');
      await look('5-scenario');
      await press(button('Create scenario'));
      await check(page.getByLabel('Select Demand grows'));
      await press(button('Solve 1'));
      await press(page.getByRole('dialog').getByRole('button', { name: 'Solve', exact: true }));
      const table = page.getByRole('group', { name: 'Scenarios side by side' });
      await table.getByText('Optimal').nth(1).waitFor();
      await look('6-comparison');
      const [download] = await Promise.all([page.waitForEvent('download'), press(button('Download as CSV'))]);
      const [head, base, grown] = (await readFile(await download.path(), 'utf8')).split('\n');
      expect(head).toBe('scenario,status,objective_value,difference,Pieces,Pieces difference');
      expect(base).toBe('base,optimal,6537.5,,137.5,');
      const [name, status, objective] = grown?.split(',') ?? [];
      expect([name, status]).toEqual(['Demand grows', 'optimal']);
      expect(Number(objective)).toBeGreaterThan(6537.5);
      await second.getByRole('listitem').getByText('Demand grows').first().waitFor();
      await second.close();
    },
    300_000,
  );
});
