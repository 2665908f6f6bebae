import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import type { Question } from '../conversation/index.js';
import { typedOptions } from './typed-options.js';

const question = (labels: string[], rest: Partial<Question> = {}): Question => ({
  header: '',
  question: '',
  options: labels.map((label) => ({ label, description: '' })),
  multi_select: false,
  ...rest,
});
const NAMES = ['Whole numbers from 0', 'Amounts from 0, fractions too', 'Yes-or-no decisions'];
const SOLVE = ['Yes, solve it', 'It is right, but do not solve it yet', 'Not yet'];

describe('typedOptions', () => {
  it.each<[string, string[], string]>([
    ['Whole numbers from 0', NAMES, 'Whole numbers from 0'],
    ['whole NUMBERS from 0', NAMES, 'Whole numbers from 0'],
    ['"Whole numbers from 0".', NAMES, 'Whole numbers from 0'],
    ['Amounts from 0 fractions too', NAMES, 'Amounts from 0, fractions too'],
    ['amounts from 0,  fractions  too!', NAMES, 'Amounts from 0, fractions too'],
    ['Whole numbrs from 0', NAMES, 'Whole numbers from 0'],
    ['Whole numbesr from 0', NAMES, 'Whole numbers from 0'],
    ['Whole numbers from zero', NAMES, 'Whole numbers from 0'],
    ['Amounts from 0', NAMES, 'Amounts from 0, fractions too'],
    ['hole numbrs form 0', NAMES, 'Whole numbers from 0'],
    ['amunts form zero', NAMES, 'Amounts from 0, fractions too'],
    ['Amuonts from 0, fracions too', NAMES, 'Amounts from 0, fractions too'],
    ['amounts from zero, please', NAMES, 'Amounts from 0, fractions too'],
    ['Yes, solve it please', SOLVE, 'Yes, solve it'],
    ['1', NAMES, 'Whole numbers from 0'],
    ['2.', NAMES, 'Amounts from 0, fractions too'],
    ['option 3', NAMES, 'Yes-or-no decisions'],
    ['the first', NAMES, 'Whole numbers from 0'],
    ['The second one.', NAMES, 'Amounts from 0, fractions too'],
    ['yes', SOLVE, 'Yes, solve it'],
    ['Yes!', SOLVE, 'Yes, solve it'],
    ['no', ['No, nothing', 'Later'], 'No, nothing'],
    ['only objective', ['Only the objective', 'Total cost'], 'Only the objective'],
    ['just the objective please', ['Only the objective', 'Total cost'], 'Only the objective'],
    ['its in the formulas', ['It is in the formulas', 'From a file that I will upload'], 'It is in the formulas'],
    ["it's in the formula", ['It is in the formulas', 'From a file that I will upload'], 'It is in the formulas'],
  ])('recognizes the option in %j', (text, labels, label) => {
    expect(typedOptions(text, question(labels))).toEqual([label]);
  });

  it.each<[string, Question]>([
    ['yes', question(NAMES)],
    ['yes', question(['Yes, all', 'Yes, some'])],
    ['4', question(NAMES)],
    ['the first of May', question(NAMES)],
    ['x integer', question(['x integers'])],
    ['2', question(['1', '10', '100'])],
    ['2', question(['Remove it', 'Later'], { id: 'set labour penalty: …' })],
    ['2', question(['It is a value that I enter', 'Later'], { id: 'delay = …' })],
    ['Whole', question(NAMES)],
    ['Whole numbers from 1', question(NAMES)],
    ['Whole numbers from 10', question(NAMES)],
    ['Whole numbrs from 1', question(NAMES)],
    ['hole numbrs form 2', question(NAMES)],
    ['Whole numbers from one', question(NAMES)],
    ['Small numbers from 0', question(NAMES)],
    ['Whole numbers from -0', question(NAMES)],
    ['Amounts from 3, fractions too', question(NAMES)],
    ['the', question(NAMES)],
    ['is it from 0', question(NAMES)],
    ['Remove Constraint 2', question(['Remove Constraint 1', 'Later'])],
    ['', question(NAMES)],
  ])('does not recognize an option in %j', (text, asked) => {
    expect(typedOptions(text, asked)).toEqual([]);
  });

  it('accepts several options for a multi-select question', () => {
    const asked = question(['Total cost', 'Delivery on time', 'Use of capacity'], { multi_select: true });
    expect(typedOptions('total cost, use of capacity', asked)).toEqual(['Total cost', 'Use of capacity']);
    expect(typedOptions('1 and 2', asked)).toEqual(['Total cost', 'Delivery on time']);
    expect(typedOptions('total cost, profit', asked)).toEqual([]);
  });
});

describe('a misspelled answer whose number differs from the options', () => {
  it.each<[string, object]>([
    ['Whole numbers from 1', { domain: 'integer', lower: 1 }],
    ['Whole numbrs from 1', { domain: 'integer', lower: 1 }],
    ['hole numbrs form 2', { domain: 'integer', lower: 2 }],
    ['Whole numbers from one', { domain: 'integer', lower: 1 }],
    ['amunts from 3, fractions too', { domain: 'continuous', lower: 3 }],
    ['Amonts from 3', { domain: 'continuous', lower: 3 }],
    ['Whole numbrs from 1\nlabour: x + y <= 4', { domain: 'integer', lower: 1 }],
  ])('keeps its own number: %j', async (text, facts) => {
    const room = new Room();
    await room.say('maximize profit: 3x + 2y');
    await room.say(text);
    expect(room.data('x')).toEqual({ name: 'x', ...facts });
    expect(room.data('y')).toEqual({ name: 'y', ...facts });
  });

  it('keeps its own number for each member', async () => {
    const room = new Room();
    await room.say('goods: a, b; maximize profit: sum p in goods: make[p]');
    await room.say('Whole numbrs from 1');
    expect(room.data('make')).toEqual({ name: 'make', index: 'p in goods', domain: 'integer', lower: 1 });
    expect(room.cards.map(({ label }) => label)).toEqual(['goods', 'profit', 'make']);
  });
});

it('recognizes options in the messages of a conversation', async () => {
  const room = new Room();
  await room.say(
    'maximize profit: 3x + 2y; labour: x + y <= 4, hard; kpi: none; requirement: none; data: in the formulas',
  );
  await room.say('whole numbers from 0.');
  expect(room.data('x')).toEqual({ name: 'x', domain: 'integer', lower: 0 });
  const { text } = await room.say('Yes solve it');
  expect(text).toContain('Solved: the objective is 12');
  const other = new Room();
  await other.say('maximize profit: 3x; x integer; labour: x <= 4; kpi: none');
  await other.answer({ other_text: 'it must hold' });
  expect(other.data('labour')).toMatchObject({ classification: 'hard' });
});

describe('an answer next to statements in the same message', () => {
  const asked = async (): Promise<Room> => {
    const room = new Room();
    await room.say('maximize profit: 3x + 2y');
    return room;
  };

  it.each<[string, object]>([
    ['Whole numbers from 0\nlabour: x + y <= 4', { name: 'x', domain: 'integer', lower: 0 }],
    ['labour: x + y <= 4\namounts from 0', { name: 'x', domain: 'continuous', lower: 0 }],
    ['Whole numbrs from 0; labour: x + y <= 4', { name: 'x', domain: 'integer', lower: 0 }],
    ['3\nlabour: x + y <= 4', { name: 'x', domain: 'binary' }],
    ['Continuous\nlabour: x + y <= 4\nx <= 5', { name: 'x', domain: 'continuous', upper: 5 }],
    ['labour: x + y <= 4\ninteger', { name: 'x', domain: 'integer' }],
  ])('is applied to the question: %j', async (text, variable) => {
    const room = await asked();
    await room.say(text);
    expect(room.data('x')).toEqual(variable);
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 4' });
    expect(room.cards.map(({ label }) => label).sort()).toEqual(['labour', 'profit', 'x', 'y']);
  });

  it('can be yes or no, and the statement is applied as well', async () => {
    const room = await asked();
    await room.say('x, y integer; labour: x + y <= 4, hard; kpi: none; requirement: none; data: in the formulas');
    const { text } = await room.say('yes\nadd glue: x <= 3');
    expect(room.data('add glue')).toMatchObject({ expression: 'x <= 3' });
    expect(text).not.toContain('could not use');
  });

  it('is not treated as a second answer to a single-choice question', async () => {
    const room = await asked();
    const { text } = await room.say('Whole numbers from 0\nYes-or-no decisions\nlabour: x + y <= 4');
    expect(room.data('x')).toEqual({ name: 'x', domain: 'integer', lower: 0 });
    expect(text).toContain('`Yes-or-no decisions`');
  });
});

describe('an answer whose number differs from the options', () => {
  const MODEL =
    'minimize cost: 30 chairs + 50 tables; labour: 2 chairs + 4 tables >= 4, hard; kpi: none; requirement: none';
  const FINISH = 'data: in the formulas; confirm; solve';
  it.each([
    ['Whole numbers from 1', { domain: 'integer', lower: 1 }, 80],
    ['whole numbers, from 2', { domain: 'integer', lower: 2 }, 160],
    ['from 5', { lower: 5 }, 400],
    ['from 1 up to 5', { lower: 1, upper: 5 }, 80],
    ['Amounts from 3, fractions too', { domain: 'continuous', lower: 3 }, 240],
    ['amounts from 3', { domain: 'continuous', lower: 3 }, 240],
    ['Whole numbers from 0', { domain: 'integer', lower: 0 }, 50],
  ])('keeps its own number: %s', async (answer, data, optimum) => {
    const room = new Room();
    await room.say(MODEL);
    await room.say(answer);
    expect(room.data('chairs')).toEqual({ name: 'chairs', ...data });
    const { text } = await room.say(FINISH);
    expect(text).toContain(`the objective is ${optimum},`);
  });

  it('is applied to all members of a family', async () => {
    const room = new Room();
    await room.say('goods: a, b; minimize cost: sum g in goods: make[g]; Need: make[g] >= 0 for g in goods, hard');
    await room.say('Whole numbers from 2');
    expect(room.data('make')).toEqual({ name: 'make', index: 'g in goods', domain: 'integer', lower: 2 });
  });
});
