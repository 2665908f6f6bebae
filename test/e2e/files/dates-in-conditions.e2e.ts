import { describe, expect, it } from '@jest/globals';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';

const service = useSharedService();

/** Objective values if `L` limits these products to 0. Oak contributes 270, pine 200 and elm 70. */
const WITHOUT = { nothing: 540, oak: 270, oakAndPine: 70, pine: 340, pineAndElm: 270, elm: 470 };

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
    await plan.add('variable', 'make', { name: 'make', index: 'p in products', upper: 'demand[p]' });
    const expression = 'sum p in products: make[p] * price[p]';
    await plan.add('objective', 'profit', { sense: 'maximize', expression });
    return plan;
  }

  async add(card_type: string, label: string, data: object): Promise<string> {
    return (await this.client.post<CardResponse>(`/projects/${this.id}/cards`, { card_type, label, data })).id;
  }

  /** Returns the objective value under a constraint, or the gaps of the constraint card without notes. */
  async outcome(expression: string, index: string): Promise<number | string> {
    const id = await this.add('constraint', 'L', { expression, index, classification: 'hard' });
    const ofCard = async () => {
      const { cards } = await this.client.get<CardListResponse>(`/projects/${this.id}/cards`);
      const isRead = cards.every(({ gaps }) => !gaps.some(({ message }) => message.includes('not been read yet')));
      return { isRead, gaps: cards.find((card) => card.id === id)!.gaps.filter(({ severity }) => severity !== 'info') };
    };
    const { gaps } = await eventually(ofCard, ({ isRead }) => isRead, { until: 'the files are read' });
    const run = await this.client.post<ExecutionResponse>(`/projects/${this.id}/solve/executions`, {});
    const { result, error } = await eventually(
      () =>
        this.client.get<{ status: string; result: { objective_value: number } | null; error: unknown }>(
          `/projects/${this.id}/solve/executions/${run.id}`,
        ),
      ({ status }) => !['queued', 'running'].includes(status),
      { until: 'the execution is over' },
    );
    await this.client.delete(`/projects/${this.id}/cards/${id}`);
    const messages = gaps.map(({ message }) => message);
    // If there is a blocking gap, the gaps explain why the solve fails.
    if (gaps.some(({ severity }) => severity === 'blocking')) expect(error).not.toBeNull();
    return messages.length > 0 ? messages.join('. ') : (result?.objective_value ?? JSON.stringify(error));
  }
}

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
    'dates in the form of ISO 8601',
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
    const outcomes: [string, unknown][] = [];
    const expected: [string, unknown][] = [];
    for (const [condition, outcome] of cases) {
      outcomes.push([condition, await plan.outcome('make[p] <= 0', `p in products where ${condition}`)]);
      expected.push([condition, typeof outcome === 'string' ? WITHOUT[outcome] : expect.stringMatching(outcome)]);
    }
    expect(outcomes).toEqual(expected);
  });
});

it.each<[string, [string, string, string], string, string]>([
  ['dates', ['02/15/2025', '03/01/2025', '04/20/2025'], '03/01/2025', '03/02/2025'],
  ['dates with times', ['15.02.2025 08:00', '01.03.2025 10:00', '20.04.2025 12:00'], '01.03.2025 10:00', '02.03.2025'],
  ['times', ['8:00', '10:30', '16:00'], '10:30', '11:00'],
])('reads members that are %s in the date format of the file', async (_, [oak, pine, elm], member, later) => {
  const plan = await Plan.start(oak, pine, elm);
  const limit = `sum q in products where x[q] = d: make[q] <= 0`;
  expect(await plan.outcome(limit, `d in slots where d = "${member}"`)).toBe(WITHOUT.pine);
  expect(await plan.outcome(limit, `d in slots where d < "${later}"`)).toBe(WITHOUT.oakAndPine);
  expect(await plan.outcome(`make[p] <= most["${member}"] - 40`, 'p in products')).toBe(0);
  expect(await plan.outcome(`make[p] <= most["soon"]`, 'p in products')).toMatch(/^most contains .* but "soon" cannot/);
  expect(await plan.outcome(`make[p] <= most["${later}"]`, 'p in products')).toMatch(/^most has no value for "/);
});
