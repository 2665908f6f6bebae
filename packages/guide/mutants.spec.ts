import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { isLongForm } from '../../test/support/long-form.js';
import { type FileFacts, fileKey } from '../canvas/data-file.js';
import { KEYWORDS, SMALL_WORDS, tidy } from './words.js';

/*
 * Misspells the statements of docs/modelling.md in solvable models. Each misspelled statement must either appear on
 * the canvas as written, or prevent the solve with an explanation.
 */

const SEED = 20_261_125;
const MUTANTS = isLongForm ? 8 : 5;

const PRODUCTS: FileFacts = {
  columns: [
    { name: 'product', type: 'text' },
    { name: 'region', type: 'text' },
    { name: 'price', type: 'number' },
    { name: 'Unit cost', type: 'number' },
    { name: 'hours', type: 'number' },
  ],
};
const LANES: FileFacts = {
  columns: [
    { name: 'origin', type: 'text' },
    { name: 'destination', type: 'text' },
    { name: 'toll', type: 'number' },
  ],
};
const FILES: [Parameters<typeof fileKey>[0], FileFacts][] = [
  [{ path: 'data/products.csv', key: ['product'], isDistinct: false }, PRODUCTS],
  [{ path: 'data/products.csv', key: ['region'], isDistinct: true }, PRODUCTS],
  [{ path: 'lanes.xlsx', sheet: 'Lanes', key: ['origin', 'destination'], isDistinct: false }, LANES],
];

/** For each model, the statements to misspell (`statements`) and all other statements (`around`). */
const MODELS: Record<string, { statements: string[]; around: string[] }> = {
  workshop: {
    statements: [
      'maximize profit: 30 chairs + 50 tables',
      'labour: 2 chairs + 4 tables <= 40',
      'wood: chairs + tables <= 15',
      'chairs, tables integer',
      'labour is soft, penalty 5',
      'produce 2 chairs',
      'requirement: tables >= 1',
      'kpi hours: 2 chairs + 4 tables',
      'tables in pieces',
      'data: in the formulas',
    ],
    around: ['wood is hard'],
  },
  values: {
    statements: [
      'minimise cost = 2a + rate * b',
      'rate = 3',
      'balance: a - b = 1',
      'x + y ≤ 4',
      'x >= 0 integer',
      '0 <= y <= 10',
      'a is free',
      'b between 2 and 5',
      'all constraints are hard',
      'floor: a >= 1 (soft, penalty 20)',
    ],
    around: ['a, b continuous', 'y continuous', 'link: x + y + a >= 2, hard', 'kpi: none', 'requirement: none'],
  },
  priorities: {
    statements: ['maximize profit, weight 2', 'set x upper: 9', 'y must hold', 'limit may be broken at 5'],
    around: [
      'maximize profit: 3x',
      'minimize cost: x',
      'set cost weight: 1',
      'x integer',
      'limit: x <= 12',
      'y: x >= 1',
      'limit is hard',
      'all constraints are hard',
    ],
  },
  weeks: {
    statements: [
      'weeks: 1 to 4',
      'shifts: early, late, night',
      'demand of weeks: 1 30, 2 45, 3 20, 4 50',
      'make[t] integer for t in weeks',
      'make[t] <= 40 for t in weeks',
      'Minimize cost: sum t in weeks: (3 make[t] + stock[t])',
      'Balance: stock[t] = stock[t - 1] + make[t] - demand[t] for t in weeks, hard',
      'Need: staff[s] >= need[s] for s in shifts where need[s] > 0',
      'requirement Minimum: make[t] >= 2 for t in weeks',
      'make[1] >= 5',
    ],
    around: [
      'stock[t] continuous for t in weeks',
      'need of shifts: early 1, late 2, night 0',
      'staff[s] integer for s in shifts',
      'all constraints are hard',
    ],
  },
  files: {
    statements: [
      'products from data/products.csv key product',
      'regions from products.csv column region',
      'lanes from lanes.xlsx sheet Lanes key origin, destination default 0',
      'cost of products: column "Unit cost"',
      'North: sum p in products where region[p] = "north": make[p] <= 90',
      'maximize profit: sum p in products: (price[p] - cost[p]) * make[p] - sum (o, d) in lanes: toll[o, d] * ship[o, d]',
      'Mix: sum p in products where region[p] = r: make[p] >= 1 for r in regions',
    ],
    around: [
      'make[p] integer for p in products',
      'ship[o, d] continuous for (o, d) in lanes',
      'Hours: sum p in products: hours[p] * make[p] <= 160, hard',
      'all constraints are hard',
    ],
  },
};

/** Returns a seeded generator of random numbers from 0 to 1. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const FOREIGN: [RegExp, string][] = [
  [/maximize/i, 'maximiere'],
  [/minimi[sz]e/i, 'minimiser'],
  [/\bsum\b/, 'somme'],
  [/\binteger\b/, 'ganzzahlig'],
  [/\bcontinuous\b/, 'continu'],
  [/\bfor\b/, 'für'],
  [/\bfrom\b/, 'aus'],
  [/\bkey\b/, 'clave'],
  [/\bwhere\b/, 'donde'],
  [/\bhard\b/, 'hart'],
  [/\bsoft\b/, 'weich'],
  [/\bpenalty\b/, 'Strafe'],
  [/\bproduce\b/, 'produire'],
  [/\bbetween\b/, 'zwischen'],
  [/\bto\b/, 'bis'],
  [/\bis\b/, 'ist'],
  [/\ball\b/, 'alle'],
  [/<=/, 'höchstens'],
  [/>=/, 'mindestens'],
];

/** Returns misspelled variants of a statement: typos, foreign words, and missing or repeated operators and brackets. */
function mutantsOf(statement: string, random: () => number): string[] {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const at = (pattern: RegExp): RegExpExecArray | undefined => pick([...statement.matchAll(pattern)]);
  const replaced = (match: RegExpExecArray | undefined, by: (found: string) => string): string =>
    match === undefined
      ? statement
      : statement.slice(0, match.index) + by(match[0]) + statement.slice(match.index + match[0].length);
  const ways: (() => string)[] = [
    () => replaced(at(/\p{L}{3,}/gu), (word) => word.slice(0, -2) + word.slice(-1)),
    () => replaced(at(/\p{L}{3,}/gu), (word) => `${word[0]}${word[2]}${word[1]}${word.slice(3)}`),
    () => replaced(at(/\p{L}{3,}/gu), (word) => `${word.slice(0, 2)}q${word.slice(2)}`),
    () => replaced(at(/ ?(?:[<>]=|≤|[-+*=:,]) ?/g), () => ' '),
    () => replaced(at(/[<>]=|≤|[-+*=:]/g), (sign) => `${sign} ${sign}`),
    () => replaced(at(/[()[\]]/g), () => ''),
    () => replaced(at(/./g), () => ''),
    () => replaced(at(/./g), (sign) => sign + sign),
    () => replaced(at(/\S\S/g), ([first = '', second = '']) => second + first),
    ...FOREIGN.filter(([word]) => word.test(statement)).map(
      ([word, foreign]) =>
        () =>
          statement.replace(word, foreign),
    ),
  ];
  const mutants = new Set<string>();
  for (let tries = 0; mutants.size <= MUTANTS && tries < 200; tries += 1) mutants.add(pick(ways)?.() ?? statement);
  mutants.delete(statement);
  return [...mutants].slice(0, MUTANTS);
}

/** Enters a model and asks for a solve. Returns the room, whether the solve ran, and the last answer. */
async function solved(statements: readonly string[]) {
  const room = new Room();
  room.files = ['data/products.csv', 'lanes.xlsx'];
  room.fileStates = new Map(FILES.map(([file, facts]) => [fileKey(file), facts]));
  await room.say(statements.join('\n'));
  const { calls, text } = await room.say('confirm; solve');
  return { room, isSolved: calls.some(({ tool }) => tool === 'run_solve'), text };
}

const contentOf = (room: Room) => room.cards.map(({ card_type, label, data }) => ({ card_type, label, data }));

/** Returns whether the canvas contains every name and number of a statement. */
function holds(room: Room, statement: string): boolean {
  const canvas = JSON.stringify(contentOf(room));
  const parts = statement.match(/[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?/gu) ?? [];
  const isWord = (part: string): boolean =>
    SMALL_WORDS.has(part.toLowerCase()) || KEYWORDS.includes(part.toLowerCase());
  return parts.every(
    (part) => isWord(part) || WORDS.test(part) || canvas.includes(/^\d/.test(part) ? String(Number(part)) : part),
  );
}

const WORDS = /^(?:max|maximi[sz]e|min|minimi[sz]e|may|broken|must|hold|between|is|produce)$/i;

describe.each(Object.entries(MODELS))('the model %s', (_, { statements, around }) => {
  const all = (said: string, instead: readonly string[]): string[] => [
    ...statements.flatMap((one) => (one === said ? instead : [one])),
    ...around,
  ];

  it('is solved as written', async () => {
    const { isSolved, text } = await solved(all('', []));
    expect({ isSolved, text }).toMatchObject({ isSolved: true });
  });

  it.each(statements)('is never solved if a misspelled statement is missing from the canvas: %s', async (statement) => {
    const mutants = mutantsOf(statement, dice(SEED + statement.length));
    expect(mutants.length).toBeGreaterThanOrEqual(5);
    const without = contentOf((await solved(all(statement, []))).room);
    const left: string[] = [];
    for (const mutant of mutants) {
      const { room, isSolved, text } = await solved(all(statement, [mutant]));
      const isOnCanvas = !isDeepStrictEqual(contentOf(room), without) && holds(room, mutant);
      const isTold = /(?:cannot be solved yet:\n|do not understand this yet)/.test(text);
      if (isSolved ? !isOnCanvas : !isTold) left.push(`${mutant} -> ${isSolved ? 'solved' : text}`);
    }
    expect(left).toEqual([]);
  });
});

it('covers misspellings of at least thirty statements', () => {
  const all = Object.values(MODELS).flatMap(({ statements }) => statements);
  expect(all.length).toBeGreaterThanOrEqual(30);
  expect(all.every((statement) => tidy(statement) === statement)).toBe(true);
});
