import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLp } from './lp-reader.js';
import { MODEL_LIMITS, type Model, ModelProblem } from './model.js';

const problemOf = (text: string): string => {
  try {
    readLp(text);
    return '';
  } catch (error) {
    if (error instanceof ModelProblem) return error.message;
    throw error;
  }
};
/** Returns a parsed model with the names of variables instead of their indexes. */
function shown(text: string) {
  const { sense, objective, constant, variables, rows } = readLp(text);
  const named = ({ variables: indexes, coefficients }: Model['objective']) =>
    new Map(Array.from(indexes, (index, at) => [variables[index]?.name, coefficients[at]]));
  return {
    sense,
    constant,
    objective: named(objective),
    variables: variables.map(({ name, lower, upper, isInteger }) => [name, lower, upper, isInteger]),
    rows: rows.map(({ name, terms, lower, upper }) => [name, named(terms), lower, upper]),
  };
}

describe('readLp', () => {
  it('reads every construct of the LP format', () => {
    const text = `\\ a comment
      MAXIMIZE profit: 3x + 2 y - .5 z + 1e1 w + 5 - 2 \\ another one
      Such That
        c1: 2 x + 3e0 y + 0 q => -4
        -x + y =< 7
        range: -3 <= x + - y - - z <= 8
        half: 2 >= x
        c5: x + x - y = 3E2
        x1.a(2,3) + é#_1 < 9
      Bounds
        x free
        -inf <= y <= +Infinity  z >= -4 z <= 1e30
        2 >= w
        q = 7
        1 <= u <= 5
      Generals x
        y
      Binaries b
      END`;
    expect(shown(text)).toEqual({
      sense: 'maximize',
      constant: 3,
      objective: new Map(Object.entries({ x: 3, y: 2, z: -0.5, w: 10 })),
      variables: [
        ['x', -Infinity, Infinity, true],
        ['y', -Infinity, Infinity, true],
        ['z', -4, Infinity, false],
        ['w', 0, 2, false],
        ['q', 7, 7, false],
        ['x1.a(2,3)', 0, Infinity, false],
        ['é#_1', 0, Infinity, false],
        ['u', 1, 5, false],
        ['b', 0, 1, true],
      ],
      rows: [
        ['c1', new Map(Object.entries({ x: 2, y: 3 })), -4, Infinity],
        ['R1', new Map(Object.entries({ x: -1, y: 1 })), -Infinity, 7],
        ['range', new Map(Object.entries({ x: 1, y: -1, z: 1 })), -3, 8],
        ['half', new Map(Object.entries({ x: 1 })), -Infinity, 2],
        ['c5', new Map(Object.entries({ x: 2, y: -1 })), 300, 300],
        ['R2', new Map(Object.entries({ 'x1.a(2,3)': 1, 'é#_1': 1 })), -Infinity, 9],
      ],
    });
  });

  it('reads the same model from a single line and from CRLF lines without End', () => {
    const plain = shown('min x + y st c: x + y >= 3 x - y <= 1 bounds x <= 9 end');
    expect(shown('min\r\n x\r\n + y\r\nst\r\nc: x + y >= 3\r\nx - y <= 1\r\nbounds\r\nx <= 9\r\n')).toEqual(plain);
  });

  it('accepts names that other programs write', () => {
    const text = `Minimize
       3 x[1] + flow[Detroit,Boston,"a/b"] + y|z + 2 a/b + 5
      Subject To
       2: x[1] + a/b >= 1
       3.4c : x[1] <= 8
       end: a/b <= 2
       General:
       + 1 y|z
       >= 3
       free: x[1] - y|z <= 4
      End`;
    const { constant, objective, rows } = shown(text);
    expect([constant, [...objective.keys()]]).toEqual([5, ['x[1]', 'flow[Detroit,Boston,"a/b"]', 'y|z', 'a/b']]);
    expect(rows.map(([name]) => name)).toEqual(['2', '3.4c', 'end', 'General', 'free']);
  });

  it('reads rows without terms, constants among the terms, lazy constraints and user cuts', () => {
    const text = `Maximize
       obj:
      Subject To
       empty: <= 3
       c1: x + 2 - y >= 5
       c2: -4 <= x - 1 <= 4
      Lazy Constraints
       c3: x + y <= 9
      User Cuts
       c4: x <= 9
      Bounds
       y <= 5
      Generals
      Binaries
      Semi-Continuous
      SOS
      General Constraints
      End`;
    const terms = (entries: Record<string, number>) => new Map(Object.entries(entries));
    expect(shown(text).rows).toEqual([
      ['empty', terms({}), -Infinity, 3],
      ['c1', terms({ x: 1, y: -1 }), 3, Infinity],
      ['c2', terms({ x: 1 }), -3, 5],
      ['c3', terms({ x: 1, y: 1 }), -Infinity, 9],
      ['c4', terms({ x: 1 }), -Infinity, 9],
    ]);
  });

  it('ignores an infinite limit of a constraint with a constant', () => {
    const text = 'min x st c: x + 1e14 <= 1e20 d: -1e20 <= x - 1e14 <= 1e20';
    const limits = [-Infinity, Infinity];
    expect(shown(text).rows.map((row) => row.slice(2))).toEqual([limits, limits]);
  });

  it('reads semi-continuous and semi-integer variables', () => {
    const text = `Maximize x + y + z st c: x + y + z <= 9
      Bounds 2 <= x <= 5 y <= 5 3 <= z <= 4
      Semi-Continuous x y z
      Generals z
      End`;
    expect(readLp(text).variables).toEqual([
      { name: 'x', isInteger: false, lower: 0, upper: 5, zeroOr: { lower: 2, upper: 5 } },
      { name: 'y', isInteger: false, lower: 0, upper: 5 },
      { name: 'z', isInteger: true, lower: 0, upper: 4, zeroOr: { lower: 3, upper: 4 } },
    ]);
  });

  it.each([
    ['hello world', 'Line 1, `hello`: a model must begin with Minimize or Maximize'],
    ['', 'Line 1, `the end of the file`: a model must begin with Minimize or Maximize'],
    ['max: 3x + 2y;', 'Line 1, `max`: a model must begin with Minimize or Maximize, without a colon'],
    ['maxflow x', 'Line 1, `maxflow`: a model must begin with Minimize or Maximize'],
    ['min x\n c1: x >= 1', 'Line 2, `c1`: Subject To is expected here'],
    ['min x\nst\n c: x + y', 'Line 3, `the end of the file`: <=, >= or = is expected here'],
    ['min x\nst\n c: x + y 3', 'Line 3, `3`: <=, >= or = is expected here'],
    ['min x\nst\n c: x + <= 3', 'Line 3, `<=`: a number or the name of a variable is expected here'],
    ['min x\nst\n c: x >= y', 'Line 3, `y`: a number is expected here, because variables must be on the left side'],
    ['min x\nst\n c: x >= 2 y\n d: x <= 3', 'Line 3, `y`: variables must be on the left side of a constraint'],
    ...['c: x >= 2 + y', 'c: x >= 2 + y <= 3', '1 <= x <= 2 + y <= 3', 'c: x >= 2 +\n y <= 3'].map((row) => [
      `min x\nst\n ${row}\nend`,
      'Line 3, `+`: variables must be on the left side, and another constraint must begin on a new line',
    ]),
    ['min x\nst\n c: x + inf >= 3', 'Line 3, `3`: the other side of the constraint contains an infinite constant'],
    ['min x\nst\n c: x - 1e20 <= 3', 'Line 3, `3`: the other side of the constraint contains an infinite constant'],
    ['min x\nst\n <= 3', 'Line 3, `<=`: the left side of the constraint is empty'],
    ['min x\nst\n c: 2 >= 3', 'Line 3, `c`: the constraint has no variables'],
    ['min x\nst\n c: x >= 1\n c: x <= 3', 'Line 4, `c`: another constraint has this name'],
    ['min x\nst\n c: 1 <= x >= 3', 'Line 3, `>=`: both relations of a range must point the same way'],
    ['min x\nst\n c: 2 3 x >= 3', 'Line 3, `3`: <=, >= or = is expected here'],
    ['min x\nst\n c: 2 * x >= 3', 'Line 3, `*`: is not expected here'],
    ['min [ x ^ 2 ] / 2\nst\n c: x >= 3', 'Line 1, `[`: quadratic terms are not supported'],
    ['min x\nst\n c: 1e999 x >= 3', 'Line 3, `1e999`: the number is too large'],
    ['min x\nst\n c: 1e15 x >= 3', 'Line 3, `1e15`: the number must be smaller than 1e15'],
    ['min x\nst\n c: x >= inf', 'Line 3, `inf`: the bound is too large'],
    ['min x\nst\n c: x >= 3\nbounds\n 1e20 <= x', 'Line 5, `1e20`: the bound is too large'],
    ['min x\nst\n c: inf x >= 3', 'Line 3, `inf`: the number must be smaller than 1e15'],
    [
      'min x\nst\n c: x >= 3\nbounds\n x >= 2\nsemi-continuous\n x',
      'Line 7, `x`: a semi-continuous variable needs an upper bound of at most 1000000',
    ],
    [
      'min x\nst\n c: x >= 3\nbounds\n -2 <= x <= 2\nsemi\n x',
      'Line 7, `x`: the lower bound of a semi-continuous variable must not be negative',
    ],
    ...['2 <= x <= 1', 'x <= -1'].map((bounds) => [
      `min x\nst\n c: x >= 3\nbounds\n ${bounds}\nsemi\n x`,
      'Line 7, `x`: the lower bound of a semi-continuous variable is above its upper bound',
    ]),
    ['min x\nst\n c: x >= 3\nsemis\n 3', 'Line 5, `3`: the name of a variable is expected here'],
    ['min x\nst\n c: x >= 3\nsos\n x', 'Line 4, `sos`: special ordered sets are not supported'],
    [
      'min x\nst\n c: x >= 3\nGeneral Constraints\n m: y = MAX ( x )',
      'Line 4, `general constraints`: general constraints are not supported',
    ],
    ['min x\nst\n c: x >= 3\nPWLObj\n x: (0, 0)', 'Line 4, `pwlobj`: piecewise-linear objectives are not supported'],
    ['min x\nst\n c: b = 1 -> x >= 3', 'Line 3, `->`: indicator constraints are not supported'],
    [
      'min multi-objectives\n o: Priority=1\n x\nst',
      'Line 1, `multi-objectives`: several objectives are not supported',
    ],
    ['min x\nst\n c: x >= 3\nbounds\n 3 <= 4', 'Line 5, `4`: the name of a variable is expected here'],
    ['min x\nst\n c: x >= 3\nbounds\n x 3', 'Line 5, `3`: <=, >= or = is expected here'],
    ['min x\nst\n c: x >= 3\ngeneral\n 3', 'Line 5, `3`: the name of a variable is expected here'],
    ['min x\nst\n c: x >= 3\nend\nmore', 'Line 5, `more`: nothing is allowed after End'],
    ['min x\nst\n c: x >= 3\nmax', 'Line 4, `maximize`: this section is not allowed here'],
    ['min x\u0007\nst\n c: x >= 3', 'Line 1, `\u0007`: is not expected here'],
  ])('rejects %j', (text, message) => {
    expect(problemOf(text)).toBe(message);
  });

  it.each([
    ['an 8 MiB name', `min ${'x'.repeat(8 * 1024 ** 2)}`, 'a name can have at most 255 characters'],
    ['an 8 MiB number', `min ${'9'.repeat(8 * 1024 ** 2)} x`, 'the number has too many digits'],
    ['2 MiB of signs', `min ${'-'.repeat(2 * 1024 ** 2)}`, 'a number or the name of a variable is expected here'],
    ['8 MiB of spaces', ' '.repeat(8 * 1024 ** 2), 'a model must begin with Minimize or Maximize'],
    ['2 MiB of comments', '\\\n'.repeat(1024 ** 2), 'a model must begin with Minimize or Maximize'],
    [
      'a million variables',
      `min ${Array.from({ length: 1e6 }, (_, index) => `x${index}`).join('+')}`,
      'at most 100000 variables',
    ],
    ['a 2 MiB line with a single row', `min x st ${'x+'.repeat(1024 ** 2)}`, 'a number or the name of a variable'],
    ['a million rows', `min x st\n${'x>=1\n'.repeat(1e6)}`, 'at most 100000 constraints'],
    ['more than a million terms', `min x st\n${'a+b+c+d+e+f+g+h+i+j+k>=1\n'.repeat(99_000)}`, 'at most 1000000 terms'],
    ['an endless series of labels', `min x st ${'c:'.repeat(1024 ** 2)}`, '<=, >= or = is expected here'],
  ])('rejects %s in bounded time', (_, text, part) => {
    const before = process.cpuUsage();
    const message = problemOf(text);
    expect(message).toContain(part);
    expect(message.length).toBeLessThan(200);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
  });

  it('returns a model within the limits or reports a problem for any text', () => {
    const word = fc.constantFrom(
      'min',
      'st',
      'x',
      'y1',
      'c:',
      '<=',
      '>=',
      '=',
      '+',
      '-',
      '3',
      '.5e2',
      'inf',
      'free',
      'bounds',
      'int',
      'bin',
      'end',
      '\n',
      '[',
      ':',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 60 }).map((words) => `min ${words.join(' ')}`),
        ),
        (text) => {
          const problem = problemOf(text);
          if (problem !== '') expect(problem).toMatch(/^Line \d+, `/);
          else expect(readLp(text).rows.length).toBeLessThanOrEqual(MODEL_LIMITS.rows);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
