import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { highs, Room } from '../../test/support/guide-room.js';
import { isLongForm } from '../../test/support/long-form.js';
import { readCanvas } from '../canvas/model/canvas-reader.js';
import { readLp } from '../solver/lp-reader.js';
import { solveModel } from '../../test/support/solve-model.js';
import type { derive } from '../canvas/derivation.js';
import { readStatement } from './grammar.js';
import { splitStatements } from './lines.js';
import { quote } from './quote.js';

const NEVER = 'none of these';

describe('readStatement', () => {
  it.each<[string, object | typeof NEVER]>([
    ['maximize profit: 3x + 2y', { kind: 'objective', sense: 'maximize', label: 'profit', text: '3x + 2y' }],
    ['MINIMISE the total cost = 2a', { kind: 'objective', sense: 'minimize', label: 'total cost', text: '2a' }],
    ['max 3x', { kind: 'objective', sense: 'maximize', text: '3x' }],
    ['Please maximize profit, weight 2', { kind: 'objective', sense: 'maximize', text: 'profit', weight: 2 }],
    ['I want to minimize cost: a.', { kind: 'objective', sense: 'minimize', label: 'cost', text: 'a' }],
    ['Our goal is to maximise our profit: x', { kind: 'objective', label: 'profit', text: 'x' }],
    ['objective: max profit: x', { kind: 'objective', sense: 'maximize', label: 'profit', text: 'x' }],
    [
      'minimize cost: (if k >= 2 then 3 else 4) * x',
      { kind: 'objective', label: 'cost', text: '(if k >= 2 then 3 else 4) * x' },
    ],
    [
      'maximize cost = count p in s where a[p] = 1',
      { kind: 'objective', label: 'cost', text: 'count p in s where a[p] = 1' },
    ],
    [
      'minimize count p in s where a[p] = 1',
      { kind: 'objective', sense: 'minimize', text: 'count p in s where a[p] = 1' },
    ],
    ['goal: 3x', { kind: 'objective', text: '3x' }],
    ['labour: x + y <= 4', { kind: 'relation', label: 'labour', text: 'x + y <= 4' }],
    ['constraint labour: x + y <= 4', { kind: 'relation', label: 'labour' }],
    ['subject to: x + y ≤ 4', { kind: 'relation', text: 'x + y ≤ 4' }],
    ['max load: x + y <= 4', { kind: 'relation', label: 'max load', text: 'x + y <= 4' }],
    ['maximize load: x + y <= 4', NEVER],
    ['labour: x + y <= 4 (soft, penalty 5)', { kind: 'relation', counts: { classification: 'soft', penalty: 5 } }],
    ['x + y <= 4 hard', { kind: 'relation', counts: { classification: 'hard' }, text: 'x + y <= 4' }],
    ['labour (soft): x + y <= 4', { kind: 'relation', label: 'labour', counts: { classification: 'soft' } }],
    ['hard: x + y <= 4', { kind: 'relation', counts: { classification: 'hard' }, text: 'x + y <= 4' }],
    ['s.t. x + y <= 4', { kind: 'relation', text: 'x + y <= 4' }],
    ['labour is soft (penalty 5)', { kind: 'classify', counts: { classification: 'soft', penalty: 5 } }],
    ['price = 3', { kind: 'relation', text: 'price = 3' }],
    ['price = 3, cost = 2', { kind: 'several', statements: [{ text: 'price = 3' }, { text: 'cost = 2' }] }],
    ['data: price = 3', { kind: 'relation', text: 'price = 3' }],
    ['x >= 0 and y >= 0 integer', { kind: 'several', statements: [{ kind: 'relation' }, { kind: 'variables' }] }],
    ['x, y integer', { kind: 'variables', names: ['x', 'y'], facts: { domain: 'integer' } }],
    ['x and y are whole numbers', { kind: 'variables', names: ['x', 'y'], facts: { domain: 'integer' } }],
    ['x, y >= 0, integer', { kind: 'variables', names: ['x', 'y'], facts: { domain: 'integer', lower: 0 } }],
    ['0 <= x, y <= 2*5', { kind: 'variables', names: ['x', 'y'], facts: { lower: 0, upper: 10 } }],
    ['z: binary', { kind: 'variables', names: ['z'], facts: { domain: 'binary' } }],
    ['z is a yes-or-no choice', { kind: 'variables', names: ['z'], facts: { domain: 'binary' } }],
    ['variables größe, y', { kind: 'variables', names: ['größe', 'y'], facts: {} }],
    ['x integer between 2 and 5 in pieces', { facts: { domain: 'integer', lower: 2, upper: 5, unit: 'pieces' } }],
    ['x from 1 integer', { kind: 'variables', names: ['x'], facts: { domain: 'integer', lower: 1 } }],
    ['integer x from 1, in pieces', { names: ['x'], facts: { domain: 'integer', lower: 1, unit: 'pieces' } }],
    ['from 3 suppliers', NEVER],
    ['x is at least 3 and at most 4', { kind: 'variables', facts: { lower: 3, upper: 4 } }],
    ['x, y free', { kind: 'variables', names: ['x', 'y'], facts: { free: true, lower: null, upper: null } }],
    ['x is a free variable', { kind: 'variables', names: ['x'], facts: { free: true }, declares: true }],
    ['free, paid integer', { kind: 'variables', names: ['free', 'paid'], facts: { domain: 'integer' } }],
    ['paid and free continuous', { kind: 'variables', names: ['paid', 'free'], facts: { domain: 'continuous' } }],
    ['binary, integer, other continuous', { names: ['binary', 'integer', 'other'], facts: { domain: 'continuous' } }],
    ['free integer', { kind: 'variables', names: ['free'], facts: { domain: 'integer' } }],
    ['0 <= free <= 5 integer', { names: ['free'], facts: { domain: 'integer', lower: 0, upper: 5 } }],
    ['variables free, real', { kind: 'variables', names: ['free', 'real'], facts: {} }],
    ['card, set, data integer', { names: ['card', 'set', 'data'], facts: { domain: 'integer' } }],
    ['min, max continuous', { names: ['min', 'max'], facts: { domain: 'continuous' } }],
    ['free: x <= 4', { kind: 'relation', label: 'free', text: 'x <= 4' }],
    ['binary: 3 free + 2 binary <= 4', { kind: 'relation', label: 'binary', text: '3 free + 2 binary <= 4' }],
    ['free <= 5', { kind: 'relation', text: 'free <= 5' }],
    ['x, positive integer', { kind: 'variables', names: ['x'], facts: { domain: 'integer', lower: 0 } }],
    ['x, free, integer', { kind: 'variables', names: ['x'], facts: { domain: 'integer', free: true } }],
    ['x integer, free', { kind: 'variables', names: ['x'], facts: { domain: 'integer', free: true } }],
    ['x and y are free variables', { kind: 'variables', names: ['x', 'y'], facts: { free: true } }],
    ['x can be negative', { kind: 'variables', names: ['x'], facts: { free: true, lower: null } }],
    ['x cannot be negative', { kind: 'variables', names: ['x'], facts: { lower: 0, free: null } }],
    ['x in pieces', { kind: 'variables', names: ['x'], facts: { unit: 'pieces' }, declares: false }],
    ['labour is soft, penalty 5', { kind: 'classify', whom: 'labour', counts: { classification: 'soft', penalty: 5 } }],
    ['all constraints are hard', { kind: 'classify', whom: 'all' }],
    [
      'labour and wood may be broken at 5 per unit',
      { kind: 'classify', whom: 'labour and wood', counts: { penalty: 5 } },
    ],
    ['labour must never be broken', { kind: 'classify', counts: { classification: 'hard' } }],
    ['penalty of labour is 5', { kind: 'set', whom: 'labour', field: 'penalty', value: '5' }],
    ['labour penalty 5', { kind: 'set', whom: 'labour', field: 'penalty', value: '5' }],
    ['set unit price name: p', { kind: 'set', whom: 'unit price', field: 'name', value: 'p' }],
    ['kpi hours: x + 2y', { kind: 'kpi', label: 'hours', text: 'x + 2y' }],
    ['kpi hours target 300', { kind: 'set', whom: 'kpi hours', field: 'target', value: '300' }],
    ['KPI total cost has a target of 2.5', { kind: 'set', whom: 'kpi total cost', field: 'target', value: '2.5' }],
    ['No other KPIs', { kind: 'no_kpi' }],
    ['cost of products: column "Unit cost"', { kind: 'column_name', column: 'cost', set: 'products', of: 'Unit cost' }],
    ['cost of products: column Unit cost', { kind: 'column_name', of: 'Unit cost' }],
    ['share of a: column "Cost, and 2 < 3 for p in b"', { kind: 'column_name', of: 'Cost, and 2 < 3 for p in b' }],
    ['cost of shifts: column 10, late 3', { kind: 'cells', cells: { column: 10, late: 3 } }],
    ['data: inputs/demand 1.csv', { kind: 'data_file', path: 'inputs/demand 1.csv' }],
    ['all figures are in the formulas', { kind: 'data_in_formulas' }],
    ['requirement: 10 chairs', { kind: 'requirement', quantity: 10, product: 'chairs' }],
    ['produce at least 2.5 t', { kind: 'requirement', quantity: 2.5, product: 't' }],
    ['produce 10 chairs >= 3', { kind: 'requirement', relation: { expression: '10 chairs >= 3' } }],
    [
      'requirement minimum: make[p] >= minimum[p] for p in products',
      {
        kind: 'requirement',
        label: 'minimum',
        text: 'make[p] >= minimum[p] for p in products',
        relation: { expression: 'make[p] >= minimum[p]', index: 'p in products' },
      },
    ],
    ['requirement: nothing', { kind: 'no_requirement' }],
    ['The objective is right', { kind: 'confirm' }],
    ['delete labour', { kind: 'remove', whom: 'labour' }],
    ['please solve it now!', { kind: 'solve' }],
    ['ok, solve it', { kind: 'solve' }],
    ['Thanks! Solve.', { kind: 'solve' }],
    ['Great, thanks. Now solve it please', { kind: 'solve' }],
    ['Can you solve it again?', { kind: 'solve' }],
    ['?', { kind: 'help' }],
    ['not yet', { kind: 'later' }],
    ['Thank you', { kind: 'courtesy' }],
    ['Great, thanks!', { kind: 'courtesy' }],
    ['That looks right.', { kind: 'courtesy' }],
    ['I think we are done', { kind: 'courtesy' }],
    ['remove <= 3', { kind: 'relation', text: 'remove <= 3' }],
    ['drop + x <= 4', { kind: 'relation', text: 'drop + x <= 4' }],
    ['set + lower = 4', { kind: 'relation', text: 'set + lower = 4' }],
    ['confirm >= 3', { kind: 'relation', text: 'confirm >= 3' }],
    ['produce >= 10', { kind: 'relation', text: 'produce >= 10' }],
    ['objective + kpi >= 10', { kind: 'relation', text: 'objective + kpi >= 10' }],
    ['solve + show + help <= data', { kind: 'relation', text: 'solve + show + help <= data' }],
    ['max + min <= 4', { kind: 'relation', text: 'max + min <= 4' }],
    ['bounds <= 3', { kind: 'relation', text: 'bounds <= 3' }],
    ['now - then <= 4', { kind: 'relation', text: 'now - then <= 4' }],
    ['x <= hard', { kind: 'relation', text: 'x <= hard' }],
    ['min[i] <= flow[i] <= max[i] for i in arcs', { kind: 'relation', index: 'i in arcs' }],
    ['remove[p] + 1 <= 2 * solve[p] for p in q', { index: 'p in q' }],
    ['a is free', { kind: 'variables', names: ['a'], facts: { free: true } }],
    ['a integer', { kind: 'variables', names: ['a'], facts: { domain: 'integer' } }],
    ['Steak: It gives you 14 grams of protein, 6 of fat', NEVER],
    ['Potato: rich in starch, low in fat', NEVER],
    ['Chicken: 20 grams protein, 5 grams fat', NEVER],
    ['Note: call Ada, then Bob will know what is missing', NEVER],
    ['towns: Isle of Man, St. Gallen, New York City', { kind: 'members' }],
    ['dishes: "beef with rice", "it is a salad"', { kind: 'members' }],
    ['steps: cut, make, sell', { kind: 'members', members: ['cut', 'make', 'sell'] }],
    ['the weather is nice', NEVER],
    ['x', NEVER],
    ['x + y', NEVER],
    ['a: b: c', NEVER],
    ['<=', NEVER],
  ])('parses %j', (text, meaning) => {
    const { statement } = readStatement(text);
    if (meaning === NEVER) expect(statement).toBeUndefined();
    else expect(statement).toMatchObject(meaning);
  });

  it('splits statements at line breaks and semicolons, and drops bullets and list numbers', () => {
    const text = '- x integer; y binary\r\n```text\n`z >= 1`\n2) labour: x <= 4\n- x + y <= 3\n\n • a = 1\u2028b = 2';
    const lines = ['x integer', 'y binary', 'z >= 1', 'labour: x <= 4', '- x + y <= 3', 'a = 1', 'b = 2'];
    expect([...splitStatements(text)]).toEqual(lines);
    expect([...splitStatements('max 3x + 2y, subject to x + y <= 4')]).toEqual([
      'max 3x + 2y',
      'subject to x + y <= 4',
    ]);
    expect([...splitStatements('kpi: orders subject to delay')]).toEqual(['kpi: orders subject to delay']);
  });
});

describe('a model written in plain words', () => {
  const figure = fc.integer({ min: -6, max: 9 });
  const kinds = fc.constantFrom('integer', 'continuous', 'binary');
  const names = ['x', 'y', 'z'] as const;
  const row = fc.record({
    coefficients: fc.tuple(figure, figure, figure),
    relation: fc.constantFrom('<=', '<=', '>=', '='),
    right: fc.integer({ min: -9, max: 25 }),
  });
  const models = fc.record({
    sense: fc.constantFrom('maximize', 'minimize'),
    objective: fc.tuple(figure, figure, figure),
    variables: fc.tuple(
      ...names.map(() =>
        fc.record({ kind: kinds, lower: fc.constantFrom(0, 0, -4), upper: fc.integer({ min: 0, max: 12 }) }),
      ),
    ),
    rows: fc.array(row, { minLength: 1, maxLength: 3 }),
  });
  type Terms = readonly number[];
  const lpTerms = (terms: Terms): string =>
    terms.map((term, index) => `${term < 0 ? '-' : '+'} ${Math.abs(term)} ${names[index]}`).join(' ');
  /** Formats the terms in one of several everyday notations. */
  const wordTerms = (terms: Terms, way: number): string =>
    terms
      .map((term, index) => {
        const name = names[index] ?? '';
        const ways = [
          `${Math.abs(term)}${name}`,
          `${Math.abs(term)} * ${name}`,
          `c${Math.abs(term)}*${name}`,
          `(${name} ${Math.abs(term)} / 1)`,
        ];
        const written = ways[(way + index) % 3] ?? '';
        return `${term < 0 ? '- ' : index > 0 ? '+ ' : ''}${written}`;
      })
      .join(' ');

  it('has the same optimum as the same model in LP format', async () => {
    const solver = await highs;
    const outcomes = new Set<number | string | null>();
    await fc.assert(
      fc.asyncProperty(models, fc.nat(5), async ({ sense, objective, variables, rows }, way) => {
        const lp = [
          sense,
          `obj: ${lpTerms(objective)}`,
          'subject to',
          ...rows.map(
            ({ coefficients, relation, right }, index) => `r${index}: ${lpTerms(coefficients)} ${relation} ${right}`,
          ),
          'bounds',
          ...variables.map(({ kind, lower, upper }, index) =>
            kind === 'binary' ? `0 <= ${names[index]} <= 1` : `${lower} <= ${names[index]} <= ${upper}`,
          ),
          'general',
          ...names.filter((_, index) => variables[index]?.kind !== 'continuous'),
          'end',
        ].join('\n');
        const constants = [...objective, ...rows.flatMap(({ coefficients }) => coefficients)].map(Math.abs);
        const words = [
          ...[...new Set(constants)].map((value) => `c${value} = ${value}`),
          way % 2 === 0
            ? `${sense} gain: ${wordTerms(objective, way)}`
            : `${sense.toUpperCase()} ${wordTerms(objective, way)}`,
          ...rows.map(
            ({ coefficients, relation, right }, index) =>
              `r${index}: ${right} + ${wordTerms(coefficients, way)} ${relation} 2*${right}`,
          ),
          ...variables.map(({ kind, lower, upper }, index) =>
            kind === 'binary'
              ? `${names[index]} is binary`
              : way % 2 === 0
                ? `${lower} <= ${names[index]} <= ${upper} ${kind}`
                : lower === 0
                  ? `${names[index]} ${kind} between 0 and ${upper}`
                  : `${names[index]} is ${kind} and free; ${names[index]} <= ${upper}; floor${index}: ${names[index]} >= ${lower} * 1 + 0 z`,
          ),
          'all constraints are hard',
        ].join(way % 3 === 0 ? '; ' : '\n');
        const room = new Room();
        const { text } = await room.say(words);
        expect(text).not.toContain('could not use');
        const spoken = solveModel(solver, readCanvas(room.cards as unknown as Parameters<typeof derive>[0]), 10);
        const written = solveModel(solver, readLp(lp), 10);
        expect(spoken.status).toBe(written.status);
        outcomes.add(written.objective_value ?? written.status);
        // The solver tolerates violations of up to 1e-6, so the optimum may depend slightly on the order of the rows.
        if (written.status === 'optimal') expect(spoken.objective_value).toBeCloseTo(written.objective_value ?? NaN, 4);
        else expect([spoken.conflict.length, written.conflict.length]).not.toContain(0);
      }),
      { numRuns: isLongForm ? 40 : 25 },
    );
    expect(outcomes).toContain('infeasible');
    expect(outcomes.size).toBeGreaterThan(10);
  }, 60_000);
});

describe('arbitrary text', () => {
  const good = ['alpha integer', 'limit: alpha <= 7', 'maximize gain: 2 alpha', 'kpi: speed', 'rate = 3'];
  const labels = ['alpha', 'limit', 'gain', 'speed', 'Values'];
  const words = fc.constantFrom(
    ...[
      'maximize',
      'is',
      'soft',
      'penalty',
      'hard',
      'integer',
      'set',
      'data:',
      'kpi',
      '<=',
      '=',
      ':',
      '``',
      '(',
      '5',
      'q',
    ],
    ...['and', ',', 'in', 'between', '-', '*', '\\', '[x](y)', '<b>', '\u202E', '\uD800', '🙂', 'remove', 'produce'],
  );
  const noise = fc.oneof(
    fc.array(words, { maxLength: 9 }).map((parts) => parts.join(' ')),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  // A line that begins or ends with an operator would be joined with the adjacent line.
  const isOpen = (line: string): boolean => /^[-+*<>=]|[-+*<>=:,([{]$/.test(line.trim());
  const harmless = (line: string): boolean =>
    !/remove|delete|drop|forget|alpha|limit|gain|speed|rate|all/i.test(line) &&
    !/[;\n\r\u2028\u2029]/.test(line) &&
    !isOpen(line);

  it('does not make the guide drop valid statements, and is quoted literally', async () => {
    let quoted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(noise.filter(harmless), { minLength: 5, maxLength: 5 }), async (lines) => {
        const room = new Room();
        const said = good.flatMap((statement, index) => [lines[index] ?? '', statement]).join('\n');
        const { text } = await room.say(said);
        expect(room.cards.map(({ label }) => label)).toEqual(expect.arrayContaining(labels));
        const flat = said.normalize('NFC').replace(/\s+/gu, ' ');
        const complaints = /I could not use this:\n((?:- .*\n?)+)/.exec(text)?.[1]?.trim().split('\n') ?? [];
        for (const complaint of complaints) {
          const [, , words_ = ''] = /^- (`+) ?(.*?) ?\1(?:: .*)?$/u.exec(complaint) ?? [];
          if (complaint.startsWith('- and ')) continue;
          quoted += 1;
          expect(flat).toContain(words_.replace(/…$/, ''));
        }
      }),
      { numRuns: isLongForm ? 100 : 40 },
    );
    expect(quoted).toBeGreaterThan(50);
  }, 60_000);

  it.each<[string, string]>([
    ['a long line', 'x '.repeat(50_000)],
    ['a long word', 'x'.repeat(100_000)],
    ['commas', `a${','.repeat(19_000)}b`],
    ['verbs', 'is '.repeat(6_600)],
    ['constraint classes', 'soft penalty '.repeat(1_500)],
    ['parentheses', '('.repeat(100_000)],
    ['backticks', '`'.repeat(100_000)],
    ['spaces', `${' '.repeat(99_000)}x`],
    ['empty lines', '\n'.repeat(100_000)],
    ['thousands of statements', Array.from({ length: 9_000 }, (_, index) => `a${index}=1`).join(';')],
    ['thousands of constraints', Array.from({ length: 9_000 }, (_, index) => `c${index}:x<1`).join('\n')],
    ['thousands of lines', 'what?\n'.repeat(16_000)],
    ['a wide formula', `maximize p: ${'3x+'.repeat(6_000)}y`],
  ])('is parsed in linear time: %s', async (_, text) => {
    const before = process.cpuUsage();
    const { text: answer } = await new Room().say(text);
    expect(answer.length).toBeLessThan(6_000);
    const { user, system } = process.cpuUsage(before);
    // Linear-time parsing takes a fraction of a second. Quadratic-time parsing would take minutes.
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it('cannot break out of its quotation marks', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '``', 'a', ' ', '\n', '*', '[', '🙂')), (parts) => {
        const quotation = quote(parts.join(''));
        const [, fence = '', inside = ''] = /^(`+)(.*?)\1$/su.exec(quotation) ?? [];
        expect(fence).not.toBe('');
        expect((inside.match(/`+/g) ?? []).map(({ length }) => length)).not.toContain(fence.length);
        expect(quotation).not.toContain('\n');
      }),
    );
  });
});

describe('variables named after objective keywords', () => {
  it.each([
    ['min, hour continuous', ['min', 'hour']],
    ['max, moritz integer', ['max', 'moritz']],
    ['minimize, maximize binary', ['minimize', 'maximize']],
  ])('can be declared: %s', (text, names) => {
    expect(readStatement(text).statement).toMatchObject({ kind: 'variables', names });
  });
});
