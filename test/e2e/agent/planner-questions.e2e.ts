import { describe, expect, it } from '@jest/globals';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';

interface Question {
  question: string;
  options: { label: string; description: string }[];
}

/** The guide's answer to a message. */
interface Answer {
  text: string;
  question: Question | undefined;
}

const service = useSharedService();

/** Planner who talks to the guide. */
class Planner {
  private constructor(
    private readonly client: Client,
    private readonly project: string,
  ) {}

  static async start(): Promise<Planner> {
    const { client } = await service.session();
    return new Planner(client, (await makeProject(client)).id);
  }

  async upload(path: string, content: string): Promise<void> {
    await makeFile(this.client, { source: 'workspace', project_id: this.project }, path, content);
  }

  async say(content: string): Promise<Answer> {
    return await this.post({ content });
  }

  async choose(label: string): Promise<Answer> {
    return await this.post({ content: '', answer: { selections: { '0': [label] } } });
  }

  async cards(): Promise<Wire<CardResponse>[]> {
    const { cards } = await this.client.get<{ cards: Wire<CardResponse>[] }>(`/projects/${this.project}/cards`);
    return cards;
  }

  async scenarios(): Promise<string[]> {
    const { scenarios } = await this.client.get<{ scenarios: { name: string }[] }>(
      `/projects/${this.project}/scenarios`,
    );
    return scenarios.map(({ name }) => name);
  }

  private async post(body: object): Promise<Answer> {
    await this.client.post(`/projects/${this.project}/chat`, body);
    const message = (await idle(this.client, this.project)).messages.at(-1);
    const asked = message?.tool_calls?.findLast(({ tool }) => tool === 'ask_user_question');
    const [question] = (asked?.input as { questions: Question[] } | undefined)?.questions ?? [];
    return { text: message?.content ?? '', question };
  }
}

const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';

describe('a planner with carts and rickshaws', () => {
  const MODEL = [
    'maximize trips: 5 carts + 7 rickshaws',
    'budget: 20 carts + 40 rickshaws <= 200',
    'drivers: carts + rickshaws <= 8',
  ].join('\n');

  it('can ask questions about the plan after a solve', async () => {
    const planner = await Planner.start();
    await planner.say(`carts, rickshaws integer\n${MODEL}`);
    expect((await planner.say('how many carts')).text).toContain('The model has not been solved yet');
    expect((await planner.say(FINISH)).text).toContain('the objective is 44');
    expect((await planner.say('how many carts')).text).toContain('`carts` is 6.');
    expect((await planner.say('show the result')).text).toContain('with `carts = 6`, `rickshaws = 2`');
    const bottlenecks = await planner.say('which limits bind?');
    expect(bottlenecks.text).toContain('- `budget` is at 200: no room left\n- `drivers` is at 8: no room left');
    expect((await planner.say('how much budget is left?')).text).toContain('`budget` is at 200: no room left');
    expect((await planner.say('how many trips per cart')).text).toContain(
      'I do not understand `per cart` in `trips per cart`',
    );
    const price = await planner.say('shadow price of the budget');
    expect(price.text).toContain('There are no shadow prices: they are defined only for continuous variables');
    const why = await planner.say('why not more rickshaws?');
    expect(why.text).toContain('`rickshaws` is 2. These limits hold it:\n- `budget` is at 200: no room left');
    const before = await planner.cards();
    const tried = await planner.say('what if the budget is 300?');
    expect(tried.text).toContain(
      '`What if budget = 300`: the objective is 54 instead of 44, 10 more than for the canvas.',
    );
    expect(tried.text).toContain('- `carts`: 1 instead of 6\n- `rickshaws`: 7 instead of 2');
    expect(await planner.cards()).toEqual(before);
    await planner.say('what if budget = 300');
    expect(await planner.scenarios()).toEqual(['What if budget = 300']);
    expect((await planner.say('what if budget = 10 and drivers rise by 2')).text).toContain('the objective is 0');
    expect((await planner.say('what if at least 30 rickshaws')).text).toMatch(/it has no plan, because .*cannot hold/);
    expect((await planner.say('how many trucks')).text).toContain('nothing on the canvas is called `trucks`');
    const changed = await planner.say('drivers: carts + rickshaws <= 9');
    expect(changed.text).toContain('`carts + rickshaws <= 9`');
    expect((await planner.say('how many carts')).text).toContain(
      'The model has changed since this run (`drivers`). Write `solve` to update the values.',
    );
    const undone = await planner.say('undo');
    expect(undone.text).toContain('I undid the change of `drivers: carts + rickshaws <= 9`:');
    expect((await planner.cards()).find(({ label }) => label === 'drivers')?.data).toMatchObject({
      expression: 'carts + rickshaws <= 8',
    });
    expect((await planner.say('how many carts')).text).not.toContain('The model has changed');
  });

  it('gets shadow prices if fractional amounts are allowed', async () => {
    const planner = await Planner.start();
    await planner.say(`carts, rickshaws continuous\n${MODEL}`);
    await planner.say(FINISH);
    expect((await planner.say('shadow price of the budget')).text).toContain(
      '`budget` is at 200: no room left, each additional unit changes the objective by 0.1.',
    );
    expect((await planner.say('reduced cost of carts')).text).toContain('`carts`: reduced cost 0');
    expect((await planner.say('what is the trips')).text).toContain('The objective `trips` is 44');
  });
});

describe('a planner with plants in a file', () => {
  const PLANTS = 'plant,Capacity t/month\nHamburg,1500\nLyon,1200\nTurin,1200\n';

  it('is offered the capacity column and learns that the requirement exceeds the capacity', async () => {
    const planner = await Planner.start();
    await planner.upload('plants.csv', PLANTS);
    await planner.say('plants from plants.csv key plant');
    await planner.say('make[p] >= 0 continuous for p in plants');
    await planner.say('minimize cost: sum p in plants: make[p]');
    await planner.say('Need: sum p in plants: make[p] >= 5000');
    const { question } = await planner.say('Limit: make[p] <= Capacity[p] for p in plants');
    expect(question?.options).toEqual([
      {
        label: 'Capacity is the column Capacity t/month of plants.csv',
        description: 'Capacity of plants: column "Capacity t/month"',
      },
      { label: 'It is a value that I enter', description: 'how do I give Capacity of plants' },
      { label: 'Later', description: 'later' },
    ]);
    await planner.choose('Capacity is the column Capacity t/month of plants.csv');
    const { text } = await planner.say('all constraints are hard; kpi: none; requirement: none; confirm; solve');
    expect(text).toContain('The model has no solution');
    expect(text).toContain('`Need`');
    const variables = (await planner.cards()).filter(({ card_type }) => card_type === 'variable');
    expect(variables.map(({ label }) => label)).toEqual(['make']);
    const less = await planner.say('what if the need is 3000?');
    expect(less.text).toContain('`What if Need = 3000`: the objective is 3000. The canvas itself has no plan.');
    await planner.say('Need: sum p in plants: make[p] >= 3900; solve');
    expect((await planner.say('how much Hamburg')).text).toContain('`make[Hamburg]` is 1500.');
    expect((await planner.say('what is the total make')).text).toContain('The total of `make` is 3900 over 3 members.');
    expect((await planner.say('what is tight')).text).toContain('`Limit[Hamburg]` is at 1500: no room left');
    expect((await planner.say('what if Capacity rises by 10 %')).text).toContain('the same as for the canvas');
    expect((await planner.say('what if Capacity of Lyon is 1300')).text).toContain('What if Capacity["Lyon"] = 1300');
  });
});

describe('a planner who writes in everyday language', () => {
  it('can choose the intended statement from suggestions', async () => {
    const planner = await Planner.start();
    await planner.upload('products.csv', 'product,Demand pc/week,Labour h\nchair,5,2\ntable,8,3\n');
    await planner.say('products from products.csv key product');
    await planner.say('make[p] >= 0 integer for p in products');
    const { question } = await planner.say('make of every product at most demand');
    expect(question?.question).toContain('`make of every product at most demand`');
    expect(question?.options.map(({ label }) => label)).toEqual([
      'make[p] <= Demand_pc_week[p] for p in products',
      'Show me an example',
      'Remove make of every product at most demand',
    ]);
    await planner.choose('make[p] <= Demand_pc_week[p] for p in products');
    const labour = await planner.say('we have 40 hours of labour');
    expect(labour.question?.options[0]).toEqual({
      label: 'labour: sum p in products: Labour_h[p] * make[p] <= 40',
      description: 'remove we have 40 hours of labour; labour: sum p in products: Labour_h[p] * make[p] <= 40',
    });
    await planner.choose('labour: sum p in products: Labour_h[p] * make[p] <= 40');
    await planner.say('maximize output: sum p in products: make[p]');
    const { text } = await planner.say('all constraints are hard; kpi: none; requirement: none; confirm; solve');
    expect(text).toContain('the objective is 13');
    const odd = await planner.say('the weather is nice');
    expect(odd.text).toContain('`the weather is nice`');
    expect(odd.text).toContain('Write limits as in `make[p] <= Demand_pc_week[p] for p in products`.');
  });
});

describe('a planner who asks about members by name', () => {
  const GOODS = ['product,price,demand', 'oak,2,30', 'oak chair,9,30', 'pine,5,40', 'elm,7,10', 'ash,1,5', ''].join(
    '\n',
  );

  async function solved(): Promise<Planner> {
    const planner = await Planner.start();
    await planner.upload('goods.csv', GOODS);
    await planner.say(
      [
        'goods from goods.csv key product',
        'weeks: 1 to 2',
        'make[p, t] continuous for p in goods, t in weeks where p <> "ash"',
        'maximize profit: sum p in goods, t in weeks where p <> "ash": price[p] * make[p, t]',
        'make[p, t] <= demand[p] for p in goods, t in weeks where p <> "ash"',
        'Chairs: make["oak chair", t] <= 20 for t in weeks',
        'Cap: sum p in goods where p <> "ash": make[p, t] <= 60 for t in weeks',
      ].join('\n'),
    );
    const { text } = await planner.say('all constraints are hard; kpi: none; requirement: none; confirm; solve');
    expect(text).toContain('the objective is 800');
    return planner;
  }

  it('gets their values in the plan and the data, and their limits', async () => {
    const planner = await solved();
    const answers: [string, string | RegExp][] = [
      ['how much oak chair in week 1?', '`make[oak chair, 1]` is 20.'],
      ['how much oak in week 2', '`make[oak, 2]` is 0.'],
      ['make for elm in week 2', '`make[elm, 2]` is 10.'],
      ['how many oak chiar', 'nothing on the canvas is called `oak chiar`; did you mean `oak chair`'],
      ['how many pnie', 'Their sum is 60.'],
      ['price of oak chair', '`price[oak chair]` is 9, a value from the data.'],
      ['what is the demand of elm', '`demand[elm]` is 10, a value from the data.'],
      ['profit of pine', 'It has no values for single members. - `make[pine, 1]` is 30'],
      ['how much ash in week 1', 'The newest plan has no `make["ash", "1"]`: the index of `make` excludes it.'],
      ['how many prices', '`price` is a column of the data'],
      ['how many spruce', 'nothing on the canvas is called `spruce`'],
      ['Cap in week 2', '`Cap[2]` is at 60: no room left'],
      [
        'shadow price of Cap in week 1',
        '`Cap[1]` is at 60: no room left, each additional unit changes the objective by 5.',
      ],
      ['reduced cost of elm', /`make\[elm, 1\]`: reduced cost 2/],
      ['how much elm is left', '`elm` is a member of the variable `make`. Only constraints have room left.'],
      ['make by product', 'By `product` it is: - `oak`: 0 - `oak chair`: 40 - `pine`: 60 - `elm`: 20'],
      ['make per week', 'By `week` it is: - `1`: 60 - `2`: 60'],
    ];
    for (const [question, answer] of answers)
      expect([question, (await planner.say(question)).text.replace(/\s+/g, ' ')]).toEqual([
        question,
        typeof answer === 'string' ? expect.stringContaining(answer) : expect.stringMatching(answer),
      ]);
    const chairs = await planner.say('why not more oak chair in week 1?');
    expect(chairs.text).toContain('`Chairs[1]` is at 20: no room left');
    expect(chairs.text).toContain('`Cap[1]` is at 60: no room left');
    expect(chairs.text).not.toContain('[2]');
    const elm = await planner.say('why not more elm in week 2');
    expect(elm.text).toContain('`make[elm, 2] <= 10`: its upper bound');
    expect(elm.text).not.toContain('Chairs');
    expect((await planner.cards()).map(({ label }) => label)).not.toContain('make by product');
  });

  it('can ask what-if questions about members and constraints', async () => {
    const planner = await solved();
    const answers: [string, string][] = [
      ['what if oak chair in week 1 <= 5', '`What if make["oak chair", "1"] <= 5`: the objective is 725'],
      ['what if there is no elm', 'the objective is 760 instead of 800'],
      ['what if the demand of elm is 20', 'What if demand["elm"] = 20`: the objective is 840'],
      ['what if make <= 15', 'the objective is 620 instead of 800'],
    ];
    for (const [question, answer] of answers) expect((await planner.say(question)).text).toContain(answer);
    const { question } = await planner.say('what if there are no chairs?');
    expect(question?.options.map(({ description }) => description)).toEqual([
      'what if Chairs = 0',
      'what if without Chairs',
      'later',
    ]);
    expect((await planner.choose('Ignore the limit')).text).toContain('the objective is 880 instead of 800');
    expect((await planner.say('what if Chairs = 0')).text).toContain('the objective is 580 instead of 800');
  });
});

describe('a planner with data indexed by two sets', () => {
  const DEMAND = 'product,week,demand\noak chair,1,3\noak chair,2,4\ntable,1,2\ntable,2,5\nstool,1,9\nstool,2,9\n';

  async function solved(): Promise<Planner> {
    const planner = await Planner.start();
    await planner.upload('products.csv', 'product,price,hours\noak chair,90,2\ntable,210,5\nstool,45,1\n');
    await planner.upload('demand.csv', DEMAND);
    await planner.say(
      [
        'products from products.csv key product',
        'demand from demand.csv key product, week',
        'weeks: 1 to 2',
        'make[p, t] continuous for p in products, t in weeks',
        'maximize profit: sum p in products, t in weeks: price[p] * make[p, t]',
        'Labour: sum p in products: hours[p] * make[p, t] <= 20 for t in weeks',
        'Demand: make[p, t] <= demand[p, t] for p in products, t in weeks',
        'Least: make[p, t] >= 1 for p in products, t in weeks',
      ].join('\n'),
    );
    const { text } = await planner.say('all constraints are hard; kpi: none; requirement: none; confirm; solve');
    expect(text).toContain('Solved');
    return planner;
  }

  it('gets the value of a member together with the limit that applies to it', async () => {
    const planner = await solved();
    const answers: [string, string][] = [
      [
        'demand of table in week 1',
        '`demand[table, 1]` is 2, a value from the data. `Demand[table, 1]` is at 1: 1 left',
      ],
      ['Demand of oak chairs in week 2', '`demand[oak chair, 2]` is 4, a value from the data. `Demand[oak chair, 2]`'],
      ['demand of table', '`demand[table, all]` is 2, 5, values from the data.'],
      ['make of table in week 1', '`make[table, 1]` is 1.'],
    ];
    for (const [question, answer] of answers) expect((await planner.say(question)).text).toContain(answer);
  });

  it('can change a single value or all values of a member in a what-if question', async () => {
    const planner = await solved();
    const answers: [string, string][] = [
      ['what if demand of table in week 1 is 20', '`What if demand["table", "1"] = 20`: the objective is'],
      ['what if the demand of oak chairs in week 2 is 20', '`What if demand["oak chair", "2"] = 20`: the objective is'],
      ['what if demand for tables is 20', '`What if demand = 20 where product = "table"`: the objective is'],
      ['what if demand in week 2 rises by 10 %', '`What if demand x 1.1 where week = "2"`: the objective is'],
      ['what if demand of chair in week 1 is 20', 'as in `what if demand of oak chair, 1 = 20`'],
    ];
    for (const [question, answer] of answers)
      expect([question, (await planner.say(question)).text]).toEqual([question, expect.stringContaining(answer)]);
  });

  it('is asked which limit or value an amount in the question refers to', async () => {
    const planner = await solved();
    const { question } = await planner.say('what if we had 50 hours');
    expect(question?.options.map(({ description }) => description)).toEqual([
      'what if Labour is 50',
      'what if hours is 50',
      'later',
    ]);
    expect((await planner.choose('The limit Labour is 50')).text).toContain('`What if Labour = 50`: the objective is');
  });

  it('can ask which constraints keep a member from being larger or smaller', async () => {
    const planner = await solved();
    const more = await planner.say('why not more tables in week 2');
    expect(more.text).toContain('`make[table, 2]` is 1. These limits hold it:\n- `Labour[2]` is at 20: no room left');
    expect(more.text).not.toContain('Least');
    const less = await planner.say('why not less tables in week 2');
    expect(less.text).toContain(
      '`make[table, 2]` is 1. These limits hold it:\n- `Least[table, 2]` is at 1: no room left',
    );
    expect(less.text).not.toContain('Labour');
    const [, advice = ''] = /ask `(.+)`/.exec(less.text) ?? [];
    expect((await planner.say(advice)).text).toContain('`Least[table, 2]`');
    expect((await planner.say('why not less')).text).toContain('- `Labour[2]` is at 20: no room left');
  });
});

it('names the rows whose key is empty because of merged cells', async () => {
  const planner = await Planner.start();
  await planner.upload('capacity.csv', 'Site,Year,Capacity\nLyon,2025,10\n,2026,12\n,2027,14\nTurin,2025,9\n,2026,8\n');
  await planner.say('capacity from capacity.csv key Site, Year; sites from capacity.csv column Site');
  const cards = await planner.cards();
  const gaps = cards.flatMap(({ label, gaps: found }) =>
    found.map(({ severity, message }) => `${label}, ${severity}: ${message}`),
  );
  const rows = 'capacity.csv, rows 3, 4, 6: Site is empty';
  expect(gaps).toContain(`capacity, blocking: ${rows}. Write it into each row, also below merged cells`);
  expect(gaps).toContain(
    `sites, warning: ${rows}, so they belong to no member. Write it into each row, also below merged cells`,
  );
});
