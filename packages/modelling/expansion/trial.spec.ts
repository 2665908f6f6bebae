import { describe, expect, it } from '@jest/globals';
import { type Index, isProblem } from '../formula.js';
import { parseFormula, parseIndex } from '../parse-formula.js';
import type { Cells, ColumnShape, SetShape, Vocabulary } from '../vocabulary.js';
import { runTrial } from './trial.js';

function read<Read extends object>(made: Read): Exclude<Read, { problem: string }> {
  if (isProblem(made)) throw new Error(made.problem);
  return made as Exclude<Read, { problem: string }>;
}
const over = (text: string): Index => read(parseIndex(text));
const single = (...members: string[]) => ({ arity: 1, parts: [new Set(members)] });
const tuples = (...keys: Cells[]) => ({ arity: keys.length, parts: keys.map(() => undefined), keys });
const figures = (set: string, ...cells: (number | null)[]) => [{ set, type: 'number' as const, cells }];
const labels = (set: string, ...cells: (string | null)[]) => [{ set, type: 'text' as const, cells }];

const canvas: Vocabulary = {
  sets: new Map<string, SetShape>([
    ['goods', single('oak', 'elm')],
    ['weeks', single('1', '2', '3')],
    ['towns', single('rome', 'bonn')],
    ['others', single('ash')],
    ['needs', tuples(['oak', 'elm', 'oak'], ['1', '2', '3'])],
    ['spares', tuples(['oak', 'elm'], ['2', '1'])],
    ['swapped', tuples(['oak', 'elm'], ['2', '1'])],
    ['mixed', tuples(['oak', 'oak', 'elm'], ['1', '2', '1'])],
    ['straight', tuples(['oak', 'elm'], ['1', '2'])],
    ['trips', tuples(['oak', 'elm'], ['1', '2'], ['rome', 'bonn'])],
    ['unread', { arity: 2 }],
    ['orders', single('o1', 'o2', 'o3')],
    ['none', single()],
    ['calendar', single('KW 8', 'KW 9', 'KW 10', 'KW 11')],
  ]),
  columns: new Map<string, ColumnShape[]>([
    ['width', figures('goods', 5, null)],
    ['kind', labels('goods', 'hard', 'soft')],
    ['need', figures('needs', 7, null, 9)],
    ['spare', figures('spares', 1, 2).map((column) => ({ ...column, fallback: 0 }))],
    ['load', figures('trips', 1, 2)],
    ['late', figures('unread', 1)],
    ['lead', figures('weeks', null, 4, 5)],
    ['zero', figures('goods', 0, 2)],
    ['due', [{ ...labels('orders', '2025-01-05', null, '2025-03-05')[0]!, reading: { type: 'date' as const } }]],
    ['sent', [{ ...labels('orders', null, null, '2025-03-05')[0]!, reading: { type: 'date' as const } }]],
    ['slot', labels('orders', null, 'KW 10', 'KW 9')],
  ]),
  families: new Map([
    ['make', { index: over('g in goods') }],
    ['soft_only', { index: over('g in goods where kind[g] = "soft"') }],
    ['late_only', { index: over('t in weeks where t > 1') }],
    ['stock', { index: over('g in goods, t in weeks') }],
    ['ship', { index: over('(g, t) in straight') }],
  ]),
  variables: new Set(['x']),
  values: new Map([['most', 700]]),
};
const trialOf = (text: string, index?: string) => {
  const report = runTrial(read(parseFormula(text)), index === undefined ? undefined : over(index), canvas);
  return report && { ...report, warnings: report.warnings.map(({ sentence }) => sentence) };
};

describe('runTrial', () => {
  it.each<[string, string | undefined, string]>([
    [
      'x <= need[g, t]',
      'g in goods, t in weeks where t <> 2',
      'need has no value for "elm", "1" and 1 more, which are',
    ],
    [
      'x <= need[g, t]',
      'g in goods, t in weeks where g = "oak"',
      'need has no value for "oak", "2", which is not a member',
    ],
    ['x <= load[g, t, d]', 'g in goods, t in weeks, d in towns', 'load has no value for "oak", "1", "bonn" and 9 more'],
    ['x <= need[g, t]', '(g, t) in swapped', 'need has no value for "oak", "2" and 1 more, which are not members'],
    ['sum t in weeks: need[g, t] * x <= 3', 'g in goods where g = "oak"', 'need has no value for "oak", "2"'],
    [
      'x <= need[g, t - 1]',
      'g in goods, t in weeks where g = "elm" and t = 3',
      'need has no value for "elm", "2": fill',
    ],
    ['x <= lead[t - 1]', 't in weeks where t = 2', 'lead has no value for "1": fill it in'],
    ['x <= width[g]', 'g in goods where kind[g] = "soft"', 'width has no value for "elm": fill it in'],
    ['x <= 3', 'g in goods where width[g] > 3', 'width has no value for "elm": fill it in'],
    ['sum g in goods where width[g] > 3: make[g] <= 3', undefined, 'width has no value for "elm": fill it in'],
  ])('reports missing values that a formula needs: %s for %s', (text, index, problem) => {
    expect(trialOf(text, index)).toMatchObject({ problem: expect.stringContaining(problem), lacksData: true });
  });

  it.each<[string, string | undefined]>([
    ['x <= width[g]', 'g in goods where kind[g] = "hard"'],
    ['sum g in goods where kind[g] = "hard": width[g] * make[g] <= 3', undefined],
    ['x <= need[g, t]', '(g, t) in needs where g = "oak"'],
    ['x <= need[g, t - 1]', 'g in goods, t in weeks where g = "oak" and t = 1'],
    ['x <= lead[t + 1]', 't in weeks'],
    ['sum g in goods where g = "oak": need[g, "1"] * x <= 3', undefined],
    ['soft_only[g] <= 3', 'g in goods where kind[g] = "soft"'],
    ['x <= (if width[g] is given and width[g] > 4 then width[g] else 1)', 'g in goods'],
    ['x <= 3', 'g in goods where width[g] is empty or width[g] > 4'],
    ['x <= 3', 'g in goods where not (width[g] is given and width[g] > 9)'],
    ['(sum t in weeks where width[g] is given and width[g] > t: x) <= 3', 'g in goods'],
    ['(sum t in weeks where t < width[g] and width[g] is given: x) <= 3', 'g in goods'],
  ])('ignores missing values that a formula does not need: %s for %s', (text, index) => {
    expect(trialOf(text, index)).toEqual({ problem: undefined, lacksData: false, warnings: [] });
  });

  it.each<[string, string | undefined, string]>([
    ['soft_only[g] <= 3', 'g in goods', 'soft_only has no member "oak"'],
    ['stock[g, t] <= 3', 'g in others, t in weeks', 'stock has no member "ash", "1" and 2 more'],
    ['x / zero[g] <= 3', 'g in goods', 'It divides by 0 for "oak"'],
    ['x / (if due[o] = "05.01.2025" then 0 else 1) <= 3', 'o in orders', 'It divides by 0 for "o1"'],
    ['x <= first(none)', undefined, 'none has no members'],
    ['stock["oak", last(none)] <= 3', undefined, 'none has no members'],
    ['stock["oka", t - 1] <= 3', 't in weeks', 'stock has no member "oka", "1" and 1 more'],
    ['late_only[t - 1] <= 3', 't in weeks', 'late_only has no member "1"'],
    ['ship["oka", t - 1] <= 3', '(g, t) in straight', 'ship has no member "oka"'],
    ['x <= min(1e300 * 1e300, 3)', undefined, 'A number in the formula becomes too large'],
  ])('reports other reasons why a solve would fail: %s for %s', (text, index, problem) => {
    expect(trialOf(text, index)).toMatchObject({ problem: expect.stringContaining(problem), lacksData: false });
  });

  it.each<[string, string | undefined, string[]]>([
    [
      'stock[g, t] <= 3',
      'g in goods, t in weeks where zero[g] > 1 and kind[g] = "hard"',
      ['Nothing in goods, weeks meets this condition, so it has no members'],
    ],
    [
      'sum g in goods, t in weeks where zero[g] > 1 and kind[g] = "hard": stock[g, t] <= 3',
      undefined,
      ['Nothing in goods, weeks meets this condition, so its sum is always empty'],
    ],
    [
      'ship[g, t] <= 3',
      '(g, t) in straight, (g, t) in swapped',
      ['No members of straight, swapped match each other, so it has no members'],
    ],
    [
      'sum (g, t, d) in trips: load[g, t, d] * x <= 3',
      '(g, t) in swapped',
      [
        '("oak", "2") and 1 more match nothing in trips, so their sums are empty',
        '("oak", "1") and 1 more of trips match no member outside the sum, so they are left out',
        'No members of trips match each other, so its sum is always empty',
      ],
    ],
    [
      'sum (g, t) in straight: ship[g, t] <= 3',
      '(g, t) in mixed',
      [
        '("oak", "2") and 1 more match nothing in straight, so their sums are empty',
        '("elm", "2") of straight matches no member outside the sum, so it is left out',
      ],
    ],
    [
      'x <= spare[g, t]',
      '(g, t) in straight',
      ['None of the members used here is in spares, so spare always has its default value'],
    ],
  ])('warns about combinations of members that match nothing: %s for %s', (text, index, warnings) => {
    expect(trialOf(text, index)).toEqual({ problem: undefined, lacksData: false, warnings });
  });

  it.each<[string, string | undefined]>([
    ['sum (g, t) in straight: ship[g, t] <= 3', 'g in goods, t in weeks'],
    ['x <= spare[g, t]', 'g in goods, t in weeks'],
    ['sum t in weeks where t > 2: stock[g, t] <= zero[g]', 'g in goods'],
    ['x <= (if t > 1 then spare[g, t] else 0)', '(g, t) in straight where g = "oak"'],
  ])('accepts combinations that are excluded on purpose: %s for %s', (text, index) => {
    expect(trialOf(text, index)).toEqual({ problem: undefined, lacksData: false, warnings: [] });
  });

  it('names the kind of combination that is always empty', () => {
    expect(trialOf('x <= max g in goods where zero[g] > 5: zero[g]')?.warnings).toEqual([
      'Nothing in goods meets this condition, so its maximum is always empty',
    ]);
  });

  it('returns undefined if the data is not available yet or too large', () => {
    expect(trialOf('x <= late[g, t]', 'g in goods, t in weeks')).toBeUndefined();
    const many = Array.from({ length: 1_000 }, (_, at) => `m${at}`);
    const sets = new Map<string, SetShape>([...canvas.sets, ['many', single(...many)]]);
    const formula = read(parseFormula('x <= 3'));
    expect(runTrial(formula, over('a in many, b in many'), { ...canvas, sets })).toBeUndefined();
  });

  /** Returns the members that meet a condition. */
  const membersWhere = (set: string, condition: string): string[] => {
    const names = [...(canvas.sets.get(set)?.parts?.[0] ?? [])];
    return names.filter((name) => {
      const report = trialOf('x <= 3', `m in ${set} where m = "${name}" and (${condition})`);
      return report?.warnings.every((warning) => !warning.startsWith('Nothing in')) === true;
    });
  };

  it.each([
    ['due[m] < "2025-02-01"', ['o1']],
    ['due[m] <= "05.03.2025"', ['o1', 'o3']],
    ['due[m] <> "2025-01-05"', ['o3']],
    ['due[m] >= "2025-02-01" or due[m] = "2025-01-05"', ['o1', 'o3']],
    ['due[m] = ""', ['o2']],
    ['due[m] <> ""', ['o1', 'o3']],
    ['due[m] = sent[m]', ['o3']],
    ['due[m] > sent[m]', []],
    ['slot[m] <= "KW 9"', ['o3']],
    ['slot[m] > ""', ['o2', 'o3']],
    ['slot[m] <> "KW 9"', ['o1', 'o2']],
  ])('finds the members that meet %s if some cells are empty', (condition, members) => {
    expect(membersWhere('orders', condition)).toEqual(members);
  });

  it('does not treat empty dates in two columns as equal', () => {
    expect(trialOf('sum n in orders where due[n] = sent[m]: x <= 3', 'm in orders where m = "o1"')?.warnings).toContain(
      'Nothing in orders meets this condition, so its sum is always empty',
    );
  });

  it.each([
    ['due[m] < "2025-02-01"', ['due is empty for "o2", and comparisons with empty cells are never true']],
    ['sent[m] > "2025-02-01"', ['sent is empty for "o1" and 1 more, and comparisons with empty cells are never true']],
    ['slot[m] <= "KW 9"', ['slot is empty for "o1", and comparisons with empty cells are never true']],
    ['due[m] <> "" and due[m] < "2025-02-01"', []],
    ['slot[m] = "KW 9"', []],
  ])('lists the members that %s excludes because their cells are empty', (condition, sentences) => {
    expect(trialOf('x <= 3', `m in orders where ${condition}`)?.warnings).toEqual(sentences);
  });

  it.each([
    ['m <= "KW 9"', ['KW 8', 'KW 9']],
    ['m > "KW 9"', ['KW 10', 'KW 11']],
    ['m >= "KW 9" and m < "KW 11"', ['KW 9', 'KW 10']],
    ['m < "L"', ['KW 8', 'KW 9', 'KW 10', 'KW 11']],
  ])('compares members in natural order in %s', (condition, members) => {
    expect(membersWhere('calendar', condition)).toEqual(members);
  });
});
