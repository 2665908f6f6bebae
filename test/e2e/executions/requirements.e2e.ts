import { expect, it } from '@jest/globals';
import type { ExecutionListResponse, ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { FileContentResponse } from '../../../src/files/files.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';

type Card = Wire<CardResponse>;
type Over = Wire<ExecutionResponse> & { error: unknown; result: unknown };

const service = useSharedService();

/** Workshop for chairs and tables with a variable for each product. */
class Workshop {
  private constructor(
    readonly client: Client,
    readonly id: string,
  ) {}

  static async start(): Promise<Workshop> {
    const { client } = await service.session();
    const workshop = new Workshop(client, (await makeProject(client)).id);
    const hard = { classification: 'hard' };
    await workshop.add('variable', 'chairs', { name: 'chairs', domain: 'integer' });
    await workshop.add('variable', 'tables', { name: 'tables', domain: 'integer' });
    await workshop.add('objective', 'Profit', { sense: 'maximize', expression: '30 chairs + 50 tables' });
    await workshop.add('constraint', 'Labour', { expression: '2 chairs + 4 tables <= 40', ...hard });
    await workshop.add('constraint', 'Wood', { expression: 'chairs + tables <= 15', ...hard });
    return workshop;
  }

  async add(card_type: string, label: string, data: object): Promise<Card> {
    return await this.client.post<CardResponse>(`/projects/${this.id}/cards`, { card_type, label, data });
  }

  async change(card: Card, data: object): Promise<Card> {
    const path = `/projects/${this.id}/cards/${card.id}`;
    return await this.client.patch<CardResponse>(path, { version: card.version, data });
  }

  async solve(): Promise<Over> {
    const path = `/projects/${this.id}/solve/executions`;
    const { id } = await this.client.post<ExecutionResponse>(path, {});
    return await eventually(
      () => this.client.get<Over>(`${path}/${id}`),
      ({ status }) => !['queued', 'running'].includes(status),
      { until: 'the execution is over' },
    );
  }

  async feasibility(): Promise<string> {
    return (await this.client.get<ProjectResponse>(`/projects/${this.id}`)).completeness.feasibility_result;
  }

  async say(content: string): Promise<string> {
    await this.client.post(`/projects/${this.id}/chat`, { content });
    return (await idle(this.client, this.id)).messages.at(-1)?.content ?? '';
  }
}

it('meets requirements in the plan, and invalidates the last result if a requirement changes', async () => {
  const workshop = await Workshop.start();
  expect(await workshop.solve()).toMatchObject({
    result: { objective_value: 550, variables: { chairs: 10, tables: 5 } },
  });
  const card = await workshop.add('production_requirement', 'Order', { description: 'An order of Ada', quantity: 8 });
  expect(card).toMatchObject({
    status: 'complete',
    gaps: [
      {
        field: 'product',
        severity: 'warning',
        message:
          'This does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
      },
    ],
  });
  expect(await workshop.feasibility()).toBe('pass');
  const named = await workshop.change(card, { product: 'tables' });
  expect([named.gaps, await workshop.feasibility()]).toEqual([[], 'unchecked']);
  expect(await workshop.solve()).toMatchObject({
    result: {
      objective_value: 520,
      variables: { chairs: 4, tables: 8 },
      constraints: [
        { name: 'Labour', slack: 0 },
        { name: 'Wood', slack: 3 },
        { name: 'Order', slack: 0 },
      ],
    },
  });
  expect(await workshop.feasibility()).toBe('pass');
  const reworded = await workshop.change(named, { description: 'An order of Bob' });
  expect(await workshop.feasibility()).toBe('pass');
  const written = await workshop.change(reworded, { expression: 'tables >= 11' });
  expect(await workshop.feasibility()).toBe('unchecked');
  const { result } = await workshop.solve();
  expect(result).toMatchObject({ status: 'infeasible', conflict: ['chairs >= 0', 'Labour', 'Order'] });
  expect(await workshop.feasibility()).toBe('fail');

  const broken = await workshop.change(written, { expression: 'tables + 3' });
  expect(broken).toMatchObject({
    status: 'needs_input',
    gaps: [{ field: 'expression', message: 'The formula needs <=, >= or =', severity: 'blocking' }],
  });
  expect((await workshop.solve()).error).toEqual({
    code: 'incomplete_model',
    message: 'The production requirement card "Order": The formula needs <=, >= or =',
  });
});

it('accepts requirements in the chat', async () => {
  const workshop = await Workshop.start();
  expect(await workshop.say('produce 12 chairs')).toContain('- Requirement `chairs`: `12 chairs`, quantity `12`');
  expect(await workshop.say('solve')).toContain('Solved: the objective is 510, with `chairs = 12`, `tables = 3`');
  expect(await workshop.say('produce 16 chairs\nsolve')).toContain(
    'The model has no solution: `tables >= 0`, `Wood`, `chairs` cannot hold together.',
  );
  expect(await workshop.say('remove requirement chairs; requirement: none; solve')).toContain('the objective is 550');
});

it('applies a requirement to each member, even with data that no other formula uses', async () => {
  const workshop = await Workshop.start();
  const { client, id } = workshop;
  await makeFile(
    client,
    { source: 'workspace', project_id: id },
    'products.csv',
    'product,minimum\noak chair,2\nstool,3\n',
  );
  const answer = await workshop.say(
    'products from products.csv key product\nmake[p] integer for p in products; Few: sum p in products: make[p] <= 6, hard\n' +
      'minimize effort: sum p in products: make[p]; remove Profit\n' +
      'requirement Minimum: make[p] >= minimum[p] for p in products\nsolve',
  );
  expect(answer).toContain('- Requirement `Minimum`: `make[p] >= minimum[p]`, for `p in products`');
  expect(answer).toContain('Solved: the objective is 5');
  // Requirements that were created before requirements had formulas contain the formula in their description.
  await workshop.say('remove Minimum');
  await workshop.add('production_requirement', 'Old', { description: 'make[p] >= 2 * minimum[p] for p in products' });
  const { result } = await workshop.solve();
  expect(result).toMatchObject({ status: 'infeasible', conflict: ['Few', 'Old[oak chair]', 'Old[stool]'] });
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${id}/solve/executions`);
  const solved = executions.find((one) => one.status === 'succeeded' && one.id !== executions[0]?.id);
  const path = `results/${solved?.id}/constraints.csv`;
  const { text } = await client.post<FileContentResponse>('/files/content', {
    source: 'workspace',
    project_id: id,
    path,
  });
  expect(text).toContain('Minimum,oak chair,2,0,');
  expect(text).toContain('Minimum,stool,3,0,');
});
