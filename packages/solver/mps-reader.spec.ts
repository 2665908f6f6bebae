import { describe, expect, it } from '@jest/globals';
import { MODEL_LIMITS, type Model, ModelProblem } from './model.js';
import { readMps } from './mps-reader.js';

const problemOf = (text: string): string => {
  try {
    readMps(text);
    return '';
  } catch (error) {
    if (error instanceof ModelProblem) return error.message;
    throw error;
  }
};
/** Returns a parsed model with the names of variables instead of their indexes. */
function shown(text: string) {
  const { sense, objective, constant, variables, rows } = readMps(text);
  const named = ({ variables: indexes, coefficients }: Model['objective']) =>
    Object.fromEntries<number>(
      Array.from(indexes, (index, at) => [variables[index]?.name ?? '', coefficients[at] ?? NaN] as const),
    );
  return {
    sense,
    constant,
    objective: named(objective),
    variables: variables.map(({ name, lower, upper, isInteger }) => [name, lower, upper, isInteger]),
    rows: rows.map(({ name, terms, lower, upper }) => [name, named(terms), lower, upper]),
  };
}
/** Returns a model with a row and the given sections. */
const withSections = (...lines: string[]): string =>
  ['ROWS', ' N o', ' L c', 'COLUMNS', ' x o 1 c 1', ...lines, 'ENDATA'].join('\n');
const boundsOf = (...bounds: string[]) => shown(withSections('BOUNDS', ...bounds)).variables[0]?.slice(1);
const rowOf = (type: string, ...lines: string[]) =>
  shown(withSections(...lines).replace(' L c', ` ${type} c`)).rows[0]?.slice(2);

describe('readMps', () => {
  const expected = {
    sense: 'minimize',
    constant: 12.5,
    objective: { chairs: 3, tables: -5.5 },
    variables: [
      ['chairs', 0, Infinity, false],
      ['tables', 0, 1, true],
      ['lamps', 2, 8, true],
    ],
    rows: [
      ['wood', { chairs: 1, lamps: 2 }, -Infinity, 40],
      ['hours', { chairs: 0.5, tables: 100 }, 4, Infinity],
      ['balance', { tables: -1, lamps: 1 }, 2, 2],
    ],
  };

  it('reads fields at fixed positions', () => {
    const text = `* A comment
NAME          PLAN
ROWS
 N  COST
 L  wood
 G  hours
 E  balance
 N  ignored
COLUMNS
    chairs    COST               3.0   wood                1.
    chairs    hours               .5   ignored             9.
    MARKER                 'MARKER'                 'INTORG'
    tables    COST              -5.5   hours              1E2
    tables    balance           -1.0
    lamps     balance            1.0   wood              2D+0
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS       COST             -12.5   wood               40.
    RHS       hours              4.0   balance            2.0
RANGES
BOUNDS
 LO BND       lamps              2.0
 UP BND       lamps              8.0
ENDATA
not read`;
    expect(shown(text)).toEqual(expected);
    const unnamed = text.replaceAll('    RHS ', '        ').replaceAll(' BND ', '     ');
    expect(shown(unnamed)).toEqual(expected);
    const withSpaces = text.replaceAll('chairs ', 'a chair').replaceAll(/balance ?/g, 'in - out');
    expect(shown(withSpaces)).toMatchObject({
      objective: { 'a chair': 3, tables: -5.5 },
      rows: [
        ['wood', { 'a chair': 1, lamps: 2 }, -Infinity, 40],
        expect.anything(),
        ['in - out', { tables: -1, lamps: 1 }, 2, 2],
      ],
    });
    expect(shown(text.replaceAll('\n', '\r\n'))).toEqual(expected);
  });

  it('reads fields that are separated by white space', () => {
    const text = `name plan FREE
rows
 n cost
 l wood
 g hours
 e balance
columns
 chairs cost 3 wood 1 hours 0.5
 m 'MARKER' 'INTORG'
 tables cost -5.5
 tables hours 100 balance -1
\tlamps balance 1 wood 2
 m 'MARKER' 'INTEND'
rhs
 cost -12.5
 wood 40
 r hours 4 balance 2
bounds
 li lamps 2
 UI B lamps 8
endata`;
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    [['OBJSENSE', '    MAX'], 'maximize'],
    [['OBJSENSE MAXIMIZE'], 'maximize'],
    [['OBJSENSE', 'MAX'], 'maximize'],
    [['OBJSENSE', '  minimise'], 'minimize'],
    [['*SENSE:Maximize'], 'maximize'],
    [['*SENSE:Minimize'], 'minimize'],
  ])('reads the sense %j', (lines, sense) => {
    expect(shown([...lines, withSections()].join('\n')).sense).toBe(sense);
  });

  it.each([
    [[' LO b x 2'], [2, Infinity, false]],
    [[' UP b x 2'], [0, 2, false]],
    [[' UP b x -2'], [-Infinity, -2, false]],
    [
      [' LO b x 0', ' UP b x -2'],
      [0, -2, false],
    ],
    [
      [' UP b x -2', ' LO b x -4'],
      [-4, -2, false],
    ],
    [[' UP b x 0'], [0, 0, false]],
    [[' FX b x 3'], [3, 3, false]],
    [[' FR b x'], [-Infinity, Infinity, false]],
    [[' MI b x'], [-Infinity, Infinity, false]],
    [
      [' MI x', ' UP x 4'],
      [-Infinity, 4, false],
    ],
    [
      [' PL b x', ' LO b x 1'],
      [1, Infinity, false],
    ],
    [[' BV b x'], [0, 1, true]],
    [[' BV b x 1'], [0, 1, true]],
    [[' LI b x -3'], [-3, Infinity, true]],
    [[' UI b x 7'], [0, 7, true]],
    [
      [' LO b x -inf', ' UP b x 1e30'],
      [-Infinity, Infinity, false],
    ],
  ])('reads the bounds %j', (bounds, values) => {
    expect(boundsOf(...bounds)).toEqual(values);
  });

  it.each([
    [[' LO b x 2', ' SC b x 5'], { isInteger: false, lower: 0, upper: 5, zeroOr: { lower: 2, upper: 5 } }],
    [[' SI b x 5', ' LO b x 2'], { isInteger: true, lower: 0, upper: 5, zeroOr: { lower: 2, upper: 5 } }],
    [[' SC b x 5'], { isInteger: false, lower: 0, upper: 5 }],
  ])('reads a semi-continuous or semi-integer variable from the bounds %j', (bounds, variable) => {
    expect(readMps(withSections('BOUNDS', ...bounds)).variables).toEqual([{ name: 'x', ...variable }]);
  });

  it('makes integer variables binary only if they have no bounds', () => {
    const text = (...bounds: string[]) =>
      withSections('BOUNDS', ...bounds).replace(' x o', " m 'MARKER' 'INTORG'\n x o");
    expect(shown(text()).variables).toEqual([['x', 0, 1, true]]);
    expect(shown(text(' PL b x')).variables).toEqual([['x', 0, Infinity, true]]);
    expect(shown(text(' LO b x 0')).variables).toEqual([['x', 0, Infinity, true]]);
  });

  it.each([
    ['L', 5, -4, [1, 5]],
    ['L', 5, 4, [1, 5]],
    ['G', 5, 4, [5, 9]],
    ['G', 5, -4, [5, 9]],
    ['E', 5, 4, [5, 9]],
    ['E', 5, -4, [1, 5]],
    ['E', 5, 0, [5, 5]],
    ['L', 5, 0, [5, 5]],
    ['L', 5, 1e30, [-Infinity, 5]],
  ])('reads a row of type %s with right-hand side %d and range %d', (type, side, range, limits) => {
    const [rhs, ranges] = [`RHS\n r c ${side}`, `RANGES\n r c ${range}`];
    expect(rowOf(type, rhs, ranges)).toEqual(limits);
    expect(rowOf(type, ranges, rhs)).toEqual(limits);
  });

  it.each([
    ['L', '1e30'],
    ['L', 'inf'],
    ['G', '-1e20'],
  ])('ignores the limit of a row of type %s with right-hand side %s', (type, side) => {
    expect(rowOf(type, 'RHS', ` r c ${side}`)).toEqual([-Infinity, Infinity]);
  });

  it('reads lazy constraints, a model without an objective, and empty sections', () => {
    const text = 'ROWS\n L c\nLAZYCONS\n G d\nCOLUMNS\n x c 1 d 1\nRHS\nSOS\nQUADOBJ\nENDATA';
    expect(shown(text)).toMatchObject({
      objective: {},
      constant: 0,
      rows: [
        ['c', { x: 1 }, -Infinity, 0],
        ['d', { x: 1 }, 0, Infinity],
      ],
    });
  });

  it.each([
    ['', 'Line 1, `the end of the file`: ENDATA is expected here'],
    [withSections().replace('ENDATA', ''), 'Line 5, `the end of the file`: ENDATA is expected here'],
    ['Minimize: 3 x', 'Line 1, `Minimize:`: is not the name of a section'],
    ['MAX\n obj: x', 'Line 2, `obj: x`: a section such as ROWS is expected here'],
    [' x o 1', 'Line 1, `x o 1`: a section such as ROWS is expected here'],
    ['OBJSENSE\n up\nROWS', 'Line 2, `up`: MAX or MIN is expected here'],
    ['ROWS\n X c\nENDATA', 'Line 2, `X`: the type of a row must be N, L, G or E'],
    ['ROWS\n L c\n G c\nENDATA', 'Line 3, `c`: another row has this name'],
    [withSections('ROWS', ' L d'), 'Line 6, `ROWS`: another section has this name'],
    [withSections(' x c 2'), 'Line 6, `c`: the column has another number in this row'],
    [withSections(' y c 2', ' x o 2'), 'Line 7, `x`: the lines of a column must follow each other'],
    [withSections(' y d 2'), 'Line 6, `d`: no row has this name'],
    [withSections(' y c two'), 'Line 6, `two`: a number is expected here'],
    [withSections(' y c 1e999'), 'Line 6, `1e999`: the number is too large'],
    [withSections(' y c 1e15'), 'Line 6, `1e15`: the number must be smaller than 1e15'],
    [withSections(' y c'), 'Line 6, `y c`: the line has the wrong number of fields'],
    [withSections(" m 'MARKER' 'INTBEG'"), "Line 6, `m 'MARKER' 'INTBEG'`: 'INTORG' or 'INTEND' is expected here"],
    [
      withSections(" S1 s 'MARKER' 'SOSORG'"),
      "Line 6, `S1 s 'MARKER' 'SOSORG'`: special ordered sets are not supported",
    ],
    [withSections('RHS', ' r c 1', ' r c 2'), 'Line 8, `c`: the row has another number in this section'],
    [withSections('RHS', ' r o 1', ' r o 2'), 'Line 8, `o`: the row has another number in this section'],
    [withSections('RHS', ' r c -inf'), 'Line 7, `-inf`: the number is too large'],
    [withSections('RHS', ' r o inf'), 'Line 7, `inf`: the number is too large'],
    [withSections('RHS', ' r c inf', 'RANGES', ' r c 4'), 'Line 9, `c`: a row with a range needs a finite right side'],
    [withSections('RANGES', ' r c 4', 'RHS', ' r c inf'), 'Line 9, `c`: a row with a range needs a finite right side'],
    [
      withSections(' x d 1', 'RHS', ' r d 1e30').replace(' L c', ' L c\n G d'),
      'Line 9, `1e30`: the number is too large',
    ],
    [
      withSections(' x d 1', 'RHS', ' r d 1e30').replace(' L c', ' L c\n E d'),
      'Line 9, `1e30`: the number is too large',
    ],
    [withSections('BOUNDS', ' UP b y 1'), 'Line 7, `y`: no column has this name'],
    [withSections('BOUNDS', ' UP b x'), 'Line 7, `b`: no column has this name'],
    [withSections('BOUNDS', ' UP b x 1', ' FX b x 1'), 'Line 8, `x`: the column has another upper bound'],
    [withSections('BOUNDS', ' LO b x inf'), 'Line 7, `inf`: the bound is too large'],
    [withSections('BOUNDS', ' LO b x 2', ' SC b x 1e30', ' PL b x'), 'Line 9, `x`: the column has another upper bound'],
    [
      withSections('BOUNDS', ' LO b x 2', ' SC b x 1'),
      'Line 8, `x`: the lower bound of a semi-continuous variable is above its upper bound',
    ],
    [
      withSections('BOUNDS', ' LO b x 2', ' SC b x 1e30'),
      'Line 8, `x`: a semi-continuous variable needs an upper bound of at most 1000000',
    ],
    [withSections('BOUNDS', ' XX b x 1'), 'Line 7, `XX`: bounds of this type are not supported'],
    [withSections('QUADOBJ', ' x x 1'), 'Line 7, `QUADOBJ`: quadratic terms are not supported'],
    [withSections('SOS', ' S1 s'), 'Line 7, `SOS`: special ordered sets are not supported'],
    [withSections('INDICATORS', ' IF c x 1'), 'Line 7, `INDICATORS`: indicator constraints are not supported'],
    [
      withSections(` ${'n'.repeat(256)} c 1`),
      `Line 6, \`${'n'.repeat(40)}...\`: a name can have at most 255 characters`,
    ],
    [withSections(` y ${' '.repeat(5_000)} c 1`), 'Line 6, `y'],
  ])('rejects %j', (text, message) => {
    expect(problemOf(text)).toContain(message);
  });

  it.each([
    [
      'variables',
      `ROWS\n N o\nCOLUMNS\n${Array.from({ length: MODEL_LIMITS.variables + 1 }, (_, at) => ` x${at} o 1`).join('\n')}`,
    ],
    ['constraints', `ROWS\n${Array.from({ length: MODEL_LIMITS.rows + 1 }, (_, at) => ` L r${at}`).join('\n')}`],
  ])('rejects too many %s', (things, text) => {
    expect(problemOf(text)).toBe(`A model can have at most 100000 ${things}`);
  });
});
