import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CardListResponse, CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Answer, Client, Wire } from '../../support/client.js';
import { Bystander, expectUnharmed } from '../../support/hostile.js';
import { useServiceInTurn } from '../../support/service.js';

const service = useServiceInTurn();
let client: Client;

beforeAll(async () => {
  ({ client } = await service.session());
});

interface NewCard {
  card_type: string;
  label: string;
  data?: object;
  instance_data?: object;
}

const SIDE_BY_SIDE = 5;

/** Creates cards, several in parallel. Returns the responses in the order in which they arrive. */
async function addAll(project: string, cards: readonly NewCard[]): Promise<Answer<Wire<CardResponse>>[]> {
  const waiting = [...cards];
  const answers: Answer<Wire<CardResponse>>[] = [];
  const work = async (): Promise<void> => {
    for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
      answers.push(await client.send<CardResponse>('POST', `/projects/${project}/cards`, { body }));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return answers;
}

const constraint = (index: number, expression: string): NewCard => ({
  card_type: 'constraint',
  label: `Constraint ${index}`,
  data: { expression, classification: 'hard' },
});

/** Returns a sum of names in nested parentheses, at most `length` characters long. */
function sum(length: number, depth: number, first: string): string {
  let text = `${'2('.repeat(depth)}${first}`;
  for (let name = 0; text.length + depth < length - 10; name += 1) text += `+${name.toString(36)}`.replace(/\d/, 'n$&');
  return `${text}${')'.repeat(depth)} <= 1`;
}
const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const letters = (count: number): string => 'x'.repeat(count);

/** Cards to add to a canvas, and the number of accepted cards. */
const CANVASES: [string, NewCard[], number][] = [
  ['formulas of 13,852 characters', times(68, (index) => constraint(index, sum(13_852, 45, `y${index}`))), 68],
  ['formulas of 2,000 characters', times(100, (index) => constraint(index, sum(2_000, 0, `y${index}`))), 100],
  ['deep parentheses', times(100, (index) => constraint(index, sum(2_000, 45, `y${index}`))), 100],
  [
    'many values',
    times(20, (index) => ({
      card_type: 'data',
      label: `Data ${index}`,
      data: { values: Object.fromEntries(times(2_500, (name) => [`v${index}_${name}`, 1])) },
    })),
    20,
  ],
  [
    'long names',
    times(60, (index) => ({ card_type: 'variable', label: letters(200), data: { name: letters(20_000 + index) } })),
    60,
  ],
  [
    'many objectives',
    times(60, (index) => ({
      card_type: 'objective',
      label: letters(200),
      data: { expression: sum(2_000, 5, `z${index}`), description: letters(20_000) },
    })),
    60,
  ],
  [
    'large cards',
    times(70, () => ({
      card_type: 'kpi',
      label: 'K',
      data: { note: letters(32_000) },
      instance_data: { note: letters(32_000) },
    })),
    65,
  ],
];

describe('a canvas designed to be slow', () => {
  it.each(CANVASES)('can be changed, read and used without delaying other callers: %s', async (_, cards, taken) => {
    const { id } = await makeProject(client);
    const bystander = await Bystander.start(service);
    const answers = await addAll(id, cards);
    await client.post(`/projects/${id}/chat`, { content: 'x, y integer\nx + y <= 4\nshow' });
    await idle(client, id);
    const started = performance.now();
    await addAll(id, [{ card_type: 'kpi', label: 'Last' }]);
    expect(performance.now() - started).toBeLessThan(2_000);
    await expectUnharmed(service, bystander);

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(taken);
    const { cards: all } = await client.get<CardListResponse>(`/projects/${id}/cards`);
    const messages = all.flatMap(({ gaps }) => gaps.map(({ message }) => message.length));
    expect(Math.max(...messages)).toBeLessThan(1_000);
    const { text } = await client
      .get<{ text?: string }>(`/projects/${id}`)
      .then((body) => ({ text: JSON.stringify(body) }));
    expect(text.length).toBeLessThan(100_000);
  });
});

it('rejects cards beyond 4 MiB and allows a full canvas to shrink', async () => {
  const { id } = await makeProject(client);
  const note = letters(32_000);
  const answers = await addAll(
    id,
    times(66, () => ({ card_type: 'kpi', label: 'K', data: { note }, instance_data: { note } })),
  );
  const [refused] = answers.filter(({ status }) => status !== 201);
  const detail = 'The data and instance_data of a canvas must not exceed 4194304 bytes of JSON in total';
  expect([refused?.status, refused?.body]).toEqual([409, { detail, code: 'canvas_full' }]);
  const { cards } = await client.get<CardListResponse>(`/projects/${id}/cards`);
  expect(cards).toHaveLength(65);
  const edit = (index: number, body: object) =>
    client.send('PATCH', `/projects/${id}/cards/${cards[index]?.id}`, { body: { version: 1, ...body } });
  await addAll(id, [{ card_type: 'kpi', label: 'K', data: { note: letters(30_000) } }]);
  expect((await edit(0, { data: { more: letters(700) }, instance_data: { more: letters(700) } })).status).toBe(200);
  expect((await edit(1, { data: { more: letters(700) }, instance_data: { more: letters(700) } })).status).toBe(409);
  expect((await edit(2, { data: { note: 'short' } })).status).toBe(200);
  expect((await edit(3, { label: 'Still here' })).status).toBe(200);
});
