import { describe, expect, it } from '@jest/globals';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { RunValuesResponse } from '../../../src/executions/runs.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';

const service = useSharedService();

/** Objective values when the constraint sets the named products to 0. Oak contributes 270, pine 200 and elm 70. */
const WITHOUT = { nothing: 540, oak: 270, oakAndPine: 70, pine: 340, pineAndElm: 270, elm: 470 };

const PRICES: Record<string, number> = { oak: 9, pine: 5, elm: 7 };

/** Plan for three products. The data file has a column of dates or times. */
class Plan {
  private constructor(
    private readonly client: Client,
    private readonly id: string,
  ) {}

  static async start(oak: string, pine: string, elm: string): Promise<Plan> {
    const { client } = await service.session();
    const { id } = await makeProject(client);
    const plan = new Plan(client, id);
    const products = `product,price,demand,x\noak,9,30,${oak}\npine,5,40,${pine}\nelm,7,10,${elm}\n`;
    const slots = `x,most\n${oak},30\n${pine},40\n${elm},10\n`;
    for (const [path, content] of Object.entries({ 'products.csv': products, 'slots.csv': slots }))
      await makeFile(client, { source: 'workspace', project_id: id }, path, content);
    await plan.add('data', 'products', { set: 'products', file_path: 'products.csv', key: ['product'] });
    await plan.add('data', 'slots', { set: 'slots', file_path: 'slots.csv', key: ['x'] });
    return plan;
  }

  async add(card_type: string, label: string, data: object): Promise<string> {
    return (await this.client.post<CardResponse>(`/projects/${this.id}/cards`, { card_type, label, data })).id;
  }

  /**
   * Returns the objective value for each constraint, or the gaps of its card without notes. Each constraint limits a
   * separate variable, so that a single solve covers all constraints.
   */
  async outcomes(limits: Limit[]): Promise<(number | string)[]> {
    const families = limits.map((_, index) => `make${index}`);
    for (const name of families) await this.add('variable', name, { name, index: 'p in products', upper: 'demand[p]' });
    const expression = `sum p in products: (${families.map((name) => `${name}[p]`).join(' + ')}) * price[p]`;
    await this.add('objective', 'profit', { sense: 'maximize', expression });
    const ids: string[] = [];
    for (const [index, [of, range]] of limits.entries()) {
      const data = { expression: of(`make${index}`), index: range, classification: 'hard' };
      ids.push(await this.add('constraint', `L${index}`, data));
    }
    const { cards } = await eventually(
      () => this.client.get<CardListResponse>(`/projects/${this.id}/cards`),
      (list) => !list.cards.some(({ gaps }) => gaps.some(({ message }) => message.includes('not been read yet'))),
      { until: 'the files are read' },
    );
    const gaps = ids.map((id) =>
      cards.find((card) => card.id === id)!.gaps.filter(({ severity }) => severity !== 'info'),
    );
    const blocked = ids.filter((_, index) => gaps[index]!.some(({ severity }) => severity === 'blocking'));
    // A card with a blocking gap must make the solve fail. The card is then removed for the solve below.
    if (blocked.length > 0) expect((await this.solve()).error).not.toBeNull();
    for (const id of blocked) await this.client.delete(`/projects/${this.id}/cards/${id}`);
    const { id: run, error } = await this.solve();
    expect(error).toBeNull();
    return await Promise.all(
      gaps.map(async (found, index) =>
        found.length > 0 ? found.map(({ message }) => message).join('. ') : await this.valueOf(run, families[index]!),
      ),
    );
  }

  private async solve(): Promise<{ id: string; error: unknown }> {
    const at = `/projects/${this.id}/solve/executions`;
    const { id } = await this.client.post<ExecutionResponse>(at, {});
    return await eventually(
      () => this.client.get<{ id: string; status: string; error: unknown }>(`${at}/${id}`),
      ({ status }) => !['queued', 'running'].includes(status),
      { until: 'the execution is over' },
    );
  }

  private async valueOf(run: string, family: string): Promise<number> {
    const at = `/projects/${this.id}/solve/executions/${run}/values`;
    const { values } = await this.client.get<RunValuesResponse>(at, { family });
    return values.reduce((sum, { keys: [product = ''], value }) => sum + value * PRICES[product]!, 0);
  }
}

/** Expression of a constraint on a variable, and the index of the constraint. */
type Limit = [expression: (make: string) => string, index: string];
type Case = [condition: string, outcome: keyof typeof WITHOUT | RegExp];

const TABLES: [string, [string, string, string], Case[]][] = [
  [
    'dates with the month first',
    ['02/15/2025', '03/01/2025', '04/20/2025'],
    [
      ['x[p] >= "03/01/2025"', 'pineAndElm'],
      ['x[p] < "03/01/2025"', 'oak'],
      ['x[p] = "03/01/2025"', 'pine'],
      ['not (x[p] <> "03-01-2025")', 'pine'],
      ['"03/01/25" <= x[p] and x[p] <= "03/31/25"', 'pine'],
      ['x[p] <= "2025-03-01"', 'oakAndPine'],
      ['x[p] < "20250301"', 'oak'],
      ['x[p] < "1 March 2025"', 'oak'],
      ['x[p] > "March 2, 2025"', 'elm'],
      ['x[p] <= "March 2025"', /^x contains dates, but "March 2025" cannot be read as one: write it like "2025-03-31"/],
      ['x[p] > "15/02/2025"', /"15\/02\/2025" cannot be read/],
      ['x[p] <> ""', /^No x is "", so everything meets this condition/],
    ],
  ],
  [
    'dates with the day first',
    ['15.02.2025', '01.03.2025', '20.04.2025'],
    [
      ['x[p] < "01.03.2025"', 'oak'],
      ['x[p] < "01/03/2025"', 'oak'],
      ['x[p] < "20250301"', 'oak'],
      ['x[p] < "2025-W10"', /^x contains dates, but "2025-W10" cannot be read/],
      ['x[p] < "2025"', /^x contains dates, but "2025" cannot be read/],
      ['x[p] < "01.03.2025 10:00"', 'oakAndPine'],
    ],
  ],
  [
    'dates in ISO 8601 format',
    ['2025-02-15', '2025-03-01', '2025-04-20'],
    [
      ['x[p] < "20250301"', 'oak'],
      ['x[p] >= "01.03.2025"', 'pineAndElm'],
      ['x[p] < "soon"', /^x contains dates, but "soon" cannot be read/],
    ],
  ],
  [
    'dates with times',
    ['15.02.2025 08:00', '01.03.2025 10:00', '20.04.2025 12:00'],
    [
      ['x[p] <= "01.03.2025"', 'oak'],
      ['x[p] <= "2025-03-01"', 'oak'],
      ['x[p] < "01.03.2025 12:00"', 'oakAndPine'],
      ['x[p] = "01.03.2025 10:00"', 'pine'],
      ['x[p] = "2025-03-01 10:00"', 'pine'],
      ['x[p] >= "2025-03-01T10:00:00"', 'pineAndElm'],
      ['x[p] >= "10:00"', /^x contains dates with times, but "10:00" cannot be read/],
    ],
  ],
  [
    'dates with times and zones',
    ['2025-02-15T08:00:00Z', '2025-03-01T11:00:00+01:00', '2025-04-20T12:00:00Z'],
    [
      ['x[p] = "2025-03-01T10:00:00Z"', 'pine'],
      ['x[p] = "2025-03-01 10:00"', 'pine'],
      ['x[p] < "2025-03-01T10:00:00+01:00"', 'oak'],
    ],
  ],
  [
    'times of day',
    ['8:00', '10:30', '16:00'],
    [
      ['x[p] < "9:00"', 'oak'],
      ['x[p] >= "9:00"', 'pineAndElm'],
      ['x[p] > "8:00"', 'pineAndElm'],
      ['x[p] = "8:00"', 'oak'],
      ['x[p] >= "4:00 PM"', 'elm'],
      ['x[p] < "9"', /^x contains times of day, but "9" cannot be read/],
    ],
  ],
];

describe.each(TABLES)('a condition on %s', (_, [oak, pine, elm], cases) => {
  it('reads strings in the date format of the file', async () => {
    const plan = await Plan.start(oak, pine, elm);
    const outcomes = await plan.outcomes(
      cases.map(([condition]) => [(make) => `${make}[p] <= 0`, `p in products where ${condition}`]),
    );
    expect(cases.map(([condition], index) => [condition, outcomes[index]])).toEqual(
      cases.map(([condition, outcome]) => [
        condition,
        typeof outcome === 'string' ? WITHOUT[outcome] : expect.stringMatching(outcome),
      ]),
    );
  });
});

it.each<[string, [string, string, string], string, string]>([
  ['dates', ['02/15/2025', '03/01/2025', '04/20/2025'], '03/01/2025', '03/02/2025'],
  ['dates with times', ['15.02.2025 08:00', '01.03.2025 10:00', '20.04.2025 12:00'], '01.03.2025 10:00', '02.03.2025'],
  ['times', ['8:00', '10:30', '16:00'], '10:30', '11:00'],
])('reads members that are %s in the date format of the file', async (_, [oak, pine, elm], member, later) => {
  const plan = await Plan.start(oak, pine, elm);
  const limit = (make: string) => `sum q in products where x[q] = d: ${make}[q] <= 0`;
  const most = (key: string) => (make: string) => `${make}[p] <= most["${key}"]`;
  expect(
    await plan.outcomes([
      [limit, `d in slots where d = "${member}"`],
      [limit, `d in slots where d < "${later}"`],
      [(make) => `${most(member)(make)} - 40`, 'p in products'],
      [most('soon'), 'p in products'],
      [most(later), 'p in products'],
    ]),
  ).toEqual([
    WITHOUT.pine,
    WITHOUT.oakAndPine,
    0,
    expect.stringMatching(/^most contains .* but "soon" cannot/),
    expect.stringMatching(/^most has no value for "/),
  ]);
});
