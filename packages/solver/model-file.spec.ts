import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cpuMs } from '../../test/support/cpu-time.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from './highs.js';
import { isModelFile, readModelFile } from './model-file.js';
import { type Model, MODEL_LIMITS, ModelProblem, type Terms } from './model.js';

/** Files with the same model, each written by the program in its name. */
const FOLDER = 'test/model-files';
const files = readdirSync(FOLDER).filter(isModelFile);
/** PuLP and linopy omit the constant 7 of the objective. */
const OPTIMUM = 166.375;
const hasConstant = (file: string): boolean => !/^(?:linopy|pulp)/.test(file);

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});

const contentOf = (file: string): Buffer => readFileSync(`${FOLDER}/${file}`);
const problemOf = (path: string, content: Uint8Array): ModelProblem | undefined => {
  try {
    readModelFile(path, content);
    return undefined;
  } catch (error) {
    if (error instanceof ModelProblem) return error;
    throw error;
  }
};

describe('isModelFile', () => {
  it.each([
    ['a.lp', true],
    ['b/a.MPS', true],
    ['a.lp.gz', true],
    ['a.b.mps.GZ', true],
    ['a.gz', false],
    ['a.lp.zip', false],
    ['lp', false],
    ['a.lps', false],
  ])('checks the extension of %s', (path, isModel) => {
    expect(isModelFile(path)).toBe(isModel);
  });
});

describe('readModelFile', () => {
  it.each(files)('reads a file from another program, plain or compressed: %s', (file) => {
    const content = contentOf(file);
    const model = readModelFile(file, content);
    expect(readModelFile(`${file}.gz`, gzipSync(content))).toEqual(model);
    expect(solveModel(highs, model, 10)).toMatchObject({
      status: 'optimal',
      objective_value: OPTIMUM - (hasConstant(file) ? 0 : 7),
    });
  });

  it.each(['highs.lp', 'highs.mps'])('ignores a byte order mark: %s', (file) => {
    const content = contentOf(file);
    expect(readModelFile(file, Buffer.concat([Buffer.from('\uFEFF'), content]))).toEqual(readModelFile(file, content));
  });

  it('detects compression from the content', () => {
    const content = contentOf('highs.lp');
    const model = readModelFile('plan.lp', content);
    expect(readModelFile('plan.lp.gz', content)).toEqual(model);
    expect(readModelFile('plan.lp', gzipSync(content))).toEqual(model);
  });

  it.each([
    ['text in another encoding', 'a.lp', Buffer.from('min \xff', 'latin1'), 'invalid_model', 'a.lp is not UTF-8 text'],
    [
      'a truncated file',
      'a.mps.gz',
      gzipSync('ROWS').subarray(0, -9),
      'invalid_model',
      'a.mps.gz is damaged and cannot be unpacked',
    ],
    [
      'a damaged file',
      'a.lp.gz',
      Buffer.from('\x1f\x8b\x08 damaged', 'latin1'),
      'invalid_model',
      'a.lp.gz is damaged and cannot be unpacked',
    ],
  ])('rejects %s', (_, path, content, code, message) => {
    expect(problemOf(path, content)).toMatchObject({ code, message });
  });

  it('stops unpacking at the limits for size and compression ratio', () => {
    const bomb = gzipSync(Buffer.alloc(MODEL_LIMITS.unzippedBytes + 1, ' '));
    const limit = bomb.length * MODEL_LIMITS.unzippedRatio;
    expect(limit).toBeLessThan(MODEL_LIMITS.unzippedBytes);
    const message = (bytes: number) => `bomb.lp.gz has more than ${bytes} bytes when it is unpacked`;
    expect(problemOf('bomb.lp.gz', bomb)).toMatchObject({ code: 'model_too_large', message: message(limit) });
    const padded = Buffer.concat([bomb, gzipSync(Buffer.alloc(1024 ** 2), { level: 0 })]);
    expect(problemOf('bomb.lp.gz', padded)?.message).toBe(message(MODEL_LIMITS.unzippedBytes));
  });

  it('reads the same random model from an LP file and an MPS file', () => {
    fc.assert(
      fc.property(models, (model) => {
        expect(readModelFile('a.lp', Buffer.from(toLp(model)))).toEqual(model);
        expect(readModelFile('a.mps', Buffer.from(toMps(model)))).toEqual(model);
      }),
      { numRuns: 500 },
    );
  });

  it('returns a model or reports a problem for randomly changed files', () => {
    const texts = files.map((file) => ({ file, text: contentOf(file).toString() }));
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(mutations, { minLength: 1, maxLength: 4 }),
        ({ file, text }, steps) => {
          const mutated = steps.reduce((before, { at, length, insertion }) => {
            const place = Math.floor(at * before.length);
            return before.slice(0, place) + insertion + before.slice(place + length);
          }, text);
          const problem = problemOf(file, Buffer.from(mutated));
          if (problem?.code === 'invalid_model') expect(problem.message).toMatch(/^Line \d+, `|is not UTF-8 text$/);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each([
    [
      'an MPS file with a line of 60 MiB',
      `ROWS\n N o\nCOLUMNS\n x${' o 1'.repeat(15 * 1024 ** 2)}`,
      'the line is too long',
    ],
    ['an MPS file with a million empty lines', '\n'.repeat(1024 ** 2), 'ENDATA is expected here'],
    ['an MPS file of comments', '*\n'.repeat(1024 ** 2), 'ENDATA is expected here'],
    ['an MPS file of sections', 'MAX\n'.repeat(1024 ** 2), 'another section has this name'],
    ['an MPS file with a long section name', 'S'.repeat(8 * 1024 ** 2), 'is not the name of a section'],
  ])('rejects %s in bounded time', (_, text, part) => {
    const content = Buffer.from(text);
    let problem: ModelProblem | undefined;
    expect(cpuMs(() => (problem = problemOf('a.mps', content)))).toBeLessThan(10_000);
    expect(problem?.message).toContain(part);
  });
});

const mutations = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 0, max: 12 }),
  insertion: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(
      '\n',
      ' ',
      '\n ',
      '-',
      '>=',
      '1e30',
      'inf',
      ':',
      'end',
      '[',
      "'MARKER'",
      'RHS\n',
      'BOUNDS\n',
      'free',
    ),
  ),
});

/** Random models in which each variable is in the objective or in a row, as the formats require. */
const numbers = fc.integer({ min: -9_000, max: 9_000 }).map((figure) => figure / 8);
const coefficients = numbers.filter((figure) => figure !== 0);
const limits = fc.oneof(
  fc.tuple(numbers, numbers).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
  numbers.map((lower) => [lower, Infinity] as const),
  numbers.map((upper) => [-Infinity, upper] as const),
  numbers.map((side) => [side, side] as const),
);
const bounds = fc.oneof(limits, fc.constantFrom([-Infinity, Infinity] as const, [0, Infinity] as const));
const termsOf = (count: number): fc.Arbitrary<Terms> =>
  fc.uniqueArray(fc.nat({ max: count - 1 }), { minLength: 1 }).chain((variables) => {
    const sorted = variables.toSorted((one, other) => one - other);
    return fc
      .array(coefficients, { minLength: sorted.length, maxLength: sorted.length })
      .map((figures) => ({ variables: sorted, coefficients: figures }));
  });
const models: fc.Arbitrary<Model> = fc
  .array(fc.tuple(bounds, fc.boolean()), { minLength: 1, maxLength: 6 })
  .chain((variables) =>
    fc.record({
      sense: fc.constantFrom('minimize' as const, 'maximize' as const),
      objective: fc
        .array(coefficients, { minLength: variables.length, maxLength: variables.length })
        .map((figures) => ({
          variables: figures.map((_, index) => index),
          coefficients: figures,
        })),
      constant: numbers,
      variables: fc.constant(
        variables.map(([[lower, upper], isInteger], index) => ({ name: `x[${index}]`, isInteger, lower, upper })),
      ),
      rows: fc
        .array(fc.tuple(termsOf(variables.length), limits), { maxLength: 5 })
        .map((rows) => rows.map(([terms, [lower, upper]], index) => ({ name: `${index}/r`, terms, lower, upper }))),
      families: fc.constant({ variables: [], rows: [] }),
      kpis: fc.constant([]),
    }),
  );

function toLp({ sense, objective, constant, variables, rows }: Model): string {
  const sum = ({ variables: indexes, coefficients: figures }: Terms) =>
    Array.from(
      indexes,
      (index, at) => `${figures[at]! < 0 ? '-' : '+'} ${Math.abs(figures[at]!)} ${variables[index]?.name}`,
    ).join(' ');
  const range = (lower: number, text: string, upper: number) =>
    lower === upper
      ? `${text} = ${lower}`
      : upper === Infinity
        ? `${text} >= ${lower}`
        : lower === -Infinity
          ? `${text} <= ${upper}`
          : `${lower} <= ${text} <= ${upper}`;
  return [
    `${sense} obj: ${sum(objective)} + ${constant}`.replace('+ -', '- '),
    'Subject To',
    ...rows.map(({ name, terms, lower, upper }) => `${name}: ${range(lower, sum(terms), upper)}`),
    'Bounds',
    ...variables.map(({ name, lower, upper }) => `${lower} <= ${name} <= ${upper}`),
    'Generals',
    ...variables.flatMap(({ name, isInteger }) => (isInteger ? [name] : [])),
    'End',
  ].join('\n');
}

function toMps({ sense, objective, constant, variables, rows }: Model): string {
  const types = rows.map(({ lower, upper }) => (lower === upper ? 'E' : upper === Infinity ? 'G' : 'L'));
  const sideOf = (row: number) => (types[row] === 'L' ? rows[row]!.upper : rows[row]!.lower);
  const entries = (index: number) =>
    [{ name: 'obj', terms: objective }, ...rows].flatMap(({ name, terms }) => {
      const at = Array.from(terms.variables).indexOf(index);
      return at < 0 ? [] : [`  x[${index}]  ${name}  ${terms.coefficients[at]}`];
    });
  return [
    'NAME',
    `OBJSENSE ${sense.slice(0, 3)}`,
    'ROWS',
    ' N obj',
    ...rows.map(({ name }, row) => ` ${types[row]} ${name}`),
    'COLUMNS',
    ...variables.flatMap(({ isInteger }, index) => [
      `  m 'MARKER' '${isInteger ? 'INTORG' : 'INTEND'}'`,
      ...entries(index),
    ]),
    'RHS',
    `  rhs obj ${0 - constant}`,
    ...rows.map(({ name }, row) => `  rhs ${name} ${sideOf(row)}`),
    'RANGES',
    ...rows.flatMap(({ name, lower, upper }, row) =>
      types[row] === 'L' && lower !== -Infinity ? [`  rng ${name} ${upper - lower}`] : [],
    ),
    'BOUNDS',
    ...variables.flatMap(({ name, lower, upper }) => [` LO bnd ${name} ${lower}`, ` UP bnd ${name} ${upper}`]),
    'ENDATA',
  ].join('\n');
}
