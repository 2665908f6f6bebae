import { describe, expect, it } from '@jest/globals';
import { Room } from '../../../test/support/guide-room.js';
import { type Known, splitForeign, translate } from './index.js';

const KNOWN: Known = {
  isVariable: (name) => name === 'x',
  setsOf: (name) => (name === 'x' ? ['I', 'J'] : name === 'cap' ? ['I'] : undefined),
  setWith: () => undefined,
  spelling: () => undefined,
};

/** Returns the statements that a text is translated to, and the other text and the problems with a mark before them. */
function translated(text: string): string[] {
  return splitForeign(text).flatMap((part) => {
    if ('text' in part) return [`text: ${part.text.trim()}`];
    const { statements, problems } = translate(part.dialect, part.statements, KNOWN);
    return [...statements, ...problems.map(({ reason }) => `problem: ${reason}`)];
  });
}

describe('a line of AMPL', () => {
  it.each<[string, string[]]>([
    ['var make {p in PROD} >= 0, <= cap[p];', ['0 <= make[p] <= cap[p] for p in PROD']],
    ['var make {PROD} >= 0;', ['make[p] >= 0 for p in PROD']],
    ['var x integer >= 0, <= 5; var y {I, J} binary;', ['0 <= x <= 5 integer', 'y[i, j] binary for i in I, j in J']],
    ['var x {i in I};', ['x[i] free for i in I']],
    ['var x {i in I} <= 4;', ['x[i] free for i in I', 'x[i] <= 4 for i in I']],
    ['maximize Profit: sum {p in PROD} price[p] * make[p];', ['maximize Profit: sum p in PROD: price[p] * make[p]']],
    [
      'subject to Time {s in STAGE}: sum {p in PROD} rate[p,s]*make[p] <= avail[s];',
      ['Time: sum p in PROD: rate[p, s] * make[p] <= avail[s] for s in STAGE, hard'],
    ],
    [
      's.t. Odd {p in PROD: price[p] > 3 and p <> "a"}: make[p] >= 1;',
      ['Odd: make[p] >= 1 for p in PROD where price[p] > 3 and p <> "a", hard'],
    ],
    [
      's.t. C {i in I}: a[i] - (b - c) / (d * e) >= 3 * sum {j in J} x[i,j] - 2;',
      ['C: a[i] - (b - c) / (d * e) >= 3 * (sum j in J: x[i, j]) - 2 for i in I, hard'],
    ],
    [
      's.t. Bal {t in 2..4}: s[t] = s[t-1] + m[t];',
      ['t_range: 2 to 4', 'Bal: s[t] = s[t - 1] + m[t] for t in t_range, hard'],
    ],
    [
      's.t. L {(i,j) in A}: x[i,j] <= if i = "a" then 3 else cap[i];',
      ['L: x[i, j] <= (if i = "a" then 3 else cap[i]) for (i, j) in A, hard'],
    ],
    ['set PROD := a b c;', ['PROD: a, b, c']],
    ["set PROD := 'oak chair' san-diego 7;", ['PROD: "oak chair", "san-diego", 7']],
    ['param T := 4; set WEEKS := 1..T;', ['T = 4', 'WEEKS: 1 to 4']],
    ['set P := a b;\nparam: price cost := a 1 2 b 3 4;', ['P: a, b', 'price of P: a 1, b 3', 'cost of P: a 2, b 4']],
    ['set P := a b;\nparam price := a 1 b -2;', ['P: a, b', 'price of P: a 1, b -2']],
    ['param margin {p in P} = price[p] - cost[p];', ['compute margin[p] = price[p] - cost[p] for p in P']],
    ['var sum {p in P} >= 0;', ['sum_[p] >= 0 for p in P']],
    ['set P := a b;\nparam c {P} default 2;\ndata;\nparam c := a 1;', ['P: a, b', 'c of P: a 1, b 2']],
  ])('is translated: %s', (line, statements) => {
    expect(translated(line)).toEqual(statements);
  });

  it.each([
    ['s.t. A {p in P}: make[p]^2 <= 4;', 'it has a power'],
    ['s.t. A {p in P}: make[p] < 4;', '`<=`, `>=` or `=` is expected'],
    ['s.t. A {p in P: make[p] <= 4;', '`}` is expected'],
    ['minimize Cost {i in I}: x[i];', 'an objective cannot have an index'],
    ['s.t. A {p in P union Q}: make[p] <= 4;', 'write only the name of a set'],
    ['s.t. A {t in 1..n}: make[t] <= 4;', 'the value of `n` is not known here'],
    ['s.t. A {p in P}: log(make[p]) <= 4;', 'the function `log` has no counterpart here'],
    ['param c := a 1 b 2;', 'it does not say for which set'],
    ['param x := 3;', '`x` is a variable on the canvas'],
    ['param d: x y := a 1 2 b 3 4;', 'figures over several sets are read from a file'],
    ['set A := ;var x{i in I} >= ;', ''],
  ])('is explained if it has no translation: %s', (line, reason) => {
    expect(translated(line).join('\n')).toContain(`problem: ${reason}`);
  });
});

describe('a line of GAMS', () => {
  it.each<[string, string[]]>([
    ['Positive Variable y;', ['y >= 0']],
    ['Variables y(i), z; Integer Variable y;', ['y[i] >= 0 integer for i in I', 'z free']],
    ['Binary Variables u(i), v;', ['u[i] binary for i in I', 'v binary']],
    [
      'cost .. z =e= sum((i,j), c(i,j)*x(i,j)); solve m using lp minimizing z;',
      ['minimize cost: sum i in I, j in J: c[i, j] * x[i, j]'],
    ],
    ['supply(i) .. sum(j, x(i,j)) =l= a(i);', ['supply: sum j in J: x[i, j] <= a[i] for i in I, hard']],
    ['demand(j) .. sum(i, x(i,j)) =g= b(j);', ['demand: sum i in I: x[i, j] >= b[j] for j in J, hard']],
    [
      'x.up(i,j) = 3; x.lo("a","b") = 2;',
      ['x_up: x[i, j] <= 3 for i in I, j in J, hard', 'x_lo: x["a", "b"] >= 2, hard'],
    ],
    ['Positive Variable y(i); y.up(i) = 3;', ['0 <= y[i] <= 3 for i in I']],
    ['Set i / a, b /;', ['I: a, b']],
    ['Set t / t1*t3 /; Set n / 1*12 /;', ['T: t1, t2, t3', 'N: 1 to 12']],
    ['Set i plants / a, b /;\nParameter cap(i) capacity / a 3, b 4 /;', ['I: a, b', 'cap of I: a 3, b 4']],
    ['Scalar f freight / 90 /;\nc(i) = f * d(i);', ['f = 90', 'compute c[i] = f * d[i] for i in I']],
    [
      'bal(t)$(ord(t) > 1) .. s(t) =e= s(t-1) + p(t);',
      ['bal: s[t] = s[t - 1] + p[t] for t in T where position(t) > 1, hard'],
    ],
    ['lim(i)$cap(i) .. x(i,"a") =l= 3;', ['lim: x[i, "a"] <= 3 for i in I where cap[i] <> 0, hard']],
    [
      'Alias(i, k);\no(i,k)$(ord(i) < ord(k)) .. x(i,k) =l= 1;',
      ['o: x[i, k] <= 1 for i in I, k in I where position(i) < position(k), hard'],
    ],
    [
      'lim(products) .. Make(products) =l= 3 * make(products);',
      ['lim: Make[p] <= 3 * Make[p] for p in products, hard'],
    ],
  ])('is translated: %s', (line, statements) => {
    expect(translated(line)).toEqual(statements);
  });

  it.each([
    ['lim(i) .. sum(j$arc(i,j), x(i,j)) =l= cap(i);', '`arc` is a set or a column'],
    ['supply(i) .. sum(j, x(i,j) =l= a(i);', '`)` is expected at `=l=`'],
    ['lim .. sqr(x) =l= 3;', '`sqr` has no counterpart here'],
    ['Set arc(i,j) / a.b, a.c /;', 'pairs are read from a file'],
    ['semicont variable x(i);', 'the kind `semicont` of variables has no counterpart here'],
  ])('is explained if it has no translation: %s', (line, reason) => {
    expect(translated(line).join('\n')).toContain(`problem: ${reason}`);
  });
});

describe('a line of Pyomo', () => {
  it.each<[string, string[]]>([
    ['model.y = Var(model.I, within=NonNegativeReals, bounds=(0, 10))', ['0 <= y[i] <= 10 for i in I']],
    ['m.y = pyo.Var(within=pyo.Binary)\nm.z = pyo.Var()', ['y binary', 'z free']],
    [
      'm.obj = Objective(expr=sum(m.c[i]*m.y[i] for i in m.I), sense=maximize)',
      ['maximize obj: sum i in I: c[i] * y[i]'],
    ],
    ['model.con = Constraint(expr=2*model.y + 3*model.z <= 8)', ['con: 2 * y + 3 * z <= 8, hard']],
    [
      'def rule(m, i): return sum(m.x[i,j] for j in m.J) <= m.cap[i]',
      ['rule: sum j in J: x[i, j] <= cap[i] for i in I, hard'],
    ],
    [
      "m.I = Set(initialize=['a', 'b'])\nm.c = Param(m.I, initialize={'a': 1, 'b': 2})",
      ['I: a, b', 'c of I: a 1, b 2'],
    ],
    ['m.T = RangeSet(4)\nm.n = Param(initialize=5)', ['T: 1 to 4', 'n = 5']],
    [
      'def cap_rule(m, i):\n    # a comment\n    return m.y[i] <= m.cap[i]\nm.lim = Constraint(m.I, rule=cap_rule)',
      ['lim: y[i] <= cap[i] for i in I, hard'],
    ],
    [
      'def skip(m, t):\n    if t == 1:\n        return Constraint.Skip\n    return m.s[t] == m.s[t-1]\nm.sk = Constraint(m.T, rule=skip)',
      ['sk: s[t] = s[t - 1] for t in T where not (t = 1), hard'],
    ],
    ['@m.Constraint(m.I)\ndef lim(m, i):\n    return m.y[i] <= 3', ['lim: y[i] <= 3 for i in I, hard']],
  ])('is translated: %s', (line, statements) => {
    expect(translated(line)).toEqual(statements);
  });

  it.each([
    ['def r(m, k): return m.y[k] <= 3', 'the set of `k` is not known'],
    ['m.y = Var(m.I, bounds=limits)', 'bounds from a rule'],
    ['m.c = Constraint(expr=m.y <= 3 if True else 5)', '`<=`, `>=` or `==` is expected at `if`'],
    ['m.c = Constraint(m.I, rule=lost)', 'the rule `lost` is missing'],
    ['m.y = Var(', 'it is not a component of a model'],
  ])('is explained if it has no translation: %s', (line, reason) => {
    expect(translated(line).join('\n')).toContain(`problem: ${reason}`);
  });
});

describe('text that is not in another language', () => {
  it.each([
    'var x integer; var y >= 0',
    'maximize profit: 3x + 2y',
    'binary variables u, v',
    'set x upper: 9',
    'sets of tools: 3',
    'days: 1..7',
    'x in 2..5',
    'cost of shifts: early 10, late 12',
    'm.x is my favourite variable',
    'def is short for definition',
    'sum p in products: price[p] * make[p]',
    'x = m.addVars(3)',
    'var {',
    '=e= =l= ..',
  ])('stays as it is: %s', (text) => {
    expect(translated(text)).toEqual([`text: ${text}`]);
  });

  it('is separated from lines in another language', () => {
    expect(
      translated(
        'Hi, here is my model.\nvar make {p in PROD} >= 0\nmaximize profit: 30 chairs\nLabour: 2 chairs <= 40\nCan you solve it for me?',
      ),
    ).toEqual([
      'text: Hi, here is my model.',
      'make[p] >= 0 for p in PROD',
      'text: maximize profit: 30 chairs\nLabour: 2 chairs <= 40\nCan you solve it for me?',
    ]);
  });

  it.each([
    'var x {i in I} >= 0;\n'.repeat(5_000),
    'sum{'.repeat(25_000),
    `x(i) .. ${'1+'.repeat(900)}1 =l= 3;`,
    `model.x = Var(${'('.repeat(19_000)}`,
    `set A := ${'a '.repeat(9_000)};`,
    `s.t. c{i in I: ${'not '.repeat(400)}}: x<=3;`,
    `def f(m):\n${'  x\n'.repeat(4_000)}`,
    `${'/*'.repeat(9_000)}\nvar x{i in I};`,
    `${'('.repeat(9_000)}.up = `,
  ])('is searched within a second', (text) => {
    const begin = performance.now();
    translated(text);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe('a model in another language', () => {
  const AMPL = `set PROD := chair table;
set STAGE := saw paint;
param price {PROD};
param hours {PROD};
param avail := 40;
data;
param price := chair 30 table 50;
param hours := chair 2 table 4;
model;
var make {p in PROD} >= 0, integer;
maximize Profit: sum {p in PROD} price[p] * make[p];
subject to Labour: sum {p in PROD} hours[p] * make[p] <= avail;
subject to Wood: sum {p in PROD} make[p] <= 15;
option solver cplex;
solve;`;
  const GAMS = `Sets p products / chair, table / ;
Parameters price(p) / chair 30, table 50 /
  hours(p) / chair 2, table 4 / ;
Scalar avail / 40 / ;
Variables make(p), z ;
Integer Variable make ;
Equations obj, labour, wood ;
obj .. z =e= sum(p, price(p) * make(p)) ;
labour .. sum(p, hours(p) * make(p)) =l= avail ;
wood .. sum(p, make(p)) =l= 15 ;
Model shop / all / ;
Solve shop using mip maximizing z ;`;
  const PYOMO = `from pyomo.environ import *
model = ConcreteModel()
model.P = Set(initialize=['chair', 'table'])
price = {'chair': 30, 'table': 50}
model.price = Param(model.P, initialize=price)
model.make = Var(model.P, within=NonNegativeIntegers)
model.profit = Objective(expr=sum(model.price[p] * model.make[p] for p in model.P), sense=maximize)
model.labour = Constraint(expr=2 * model.make['chair'] + 4 * model.make['table'] <= 40)
def wood_rule(m):
    return sum(m.make[p] for p in m.P) <= 15
model.wood = Constraint(rule=wood_rule)
SolverFactory('glpk').solve(model)`;

  it.each([
    ['AMPL', AMPL],
    ['GAMS', GAMS],
    ['Pyomo', PYOMO],
  ])('is stated with one answer, and has the same optimum: %s', async (_, model) => {
    const room = new Room();
    const { question } = await room.say(model);
    expect(question?.options[0]?.label).toBe('Yes, state all of them');
    expect(room.cards).toHaveLength(1);
    await room.say('yes');
    const { text } = await room.say('kpi: none; requirement: none; confirm; solve');
    expect(text).toContain('the objective is 550');
  });

  it('prevents a solve until it is stated or removed', async () => {
    const room = new Room();
    await room.say(
      'x integer; maximize profit: x; cap: x <= 4, hard; kpi: none; requirement: none; data: in the formulas',
    );
    await room.say('s.t. Limit {p in PROD}: make[p] <= 3;');
    const { text } = await room.say('confirm; solve');
    expect(text).toContain('These lines of AMPL are not stated yet');
    expect(text).not.toContain('Solved');
    await room.say('no');
    expect((await room.say('solve')).text).toContain('Solved: the objective is 4');
  });

  it('keeps the lines without a translation', async () => {
    const room = new Room();
    await room.say('var make {p in PROD} >= 0;\ns.t. Odd {p in PROD}: make[p]^2 <= 5;');
    await room.say('yes');
    const { text } = await room.say('solve');
    expect(text).toContain('it has a power: only objectives may contain squares here');
    expect(room.cards.map(({ card_type, label }) => [card_type, label])).toEqual([
      ['constraint', 's.t. Odd {p in PROD}: make[p]^2 <= 5'],
      ['variable', 'make'],
    ]);
  });

  it.each([
    ['Minimize cost', 'minimize'],
    ['maximize cost', 'maximize'],
  ])('makes the guide ask for the meaning of an equation that may be an objective: %s', async (answer, sense) => {
    const room = new Room();
    const { question } = await room.say('cost .. z =e= sum((i,j), c(i,j)*x(i,j));');
    expect(question?.question).toBe('Is `cost` the objective of the plan?');
    await room.say(answer);
    expect(room.data('cost')).toEqual({ sense, expression: 'sum i in I, j in J: c[i, j] * x[i, j]' });
  });

  it('can be undone', async () => {
    const room = new Room();
    await room.say('var make {p in PROD} >= 0, <= cap[p];');
    await room.say('0 <= make[p] <= cap[p] for p in PROD');
    expect(room.data('make')).toMatchObject({ index: 'p in PROD', lower: 0, upper: 'cap[p]' });
    await room.say('undo');
    expect(room.data('make')).toBeUndefined();
  });
});
