import type { CardCreateRequest } from '../../../src/projects/canvas/canvas.dto.js';
import { workbookFile } from '../../support/workbook-file.js';

/*
 * Planners' mistakes and the messages about them. The messages are listed in full, so that they can be reviewed in a
 * single file. Only people can judge whether a message explains the problem, its location and how to fix it.
 */

type CardType = CardCreateRequest['card_type'];

export interface WrongCard {
  card_type: CardType;
  data: Record<string, unknown>;
  /** Gaps in the format `severity field: message`. */
  gaps: string[];
  /** Gaps that the card causes in other cards, by label. */
  others?: Record<string, string[]>;
}

export interface WrongFile {
  path: string;
  content?: string | Uint8Array;
  data: Record<string, unknown>;
  gaps: string[];
}

export interface WrongModel {
  card_type: CardType;
  data: Record<string, unknown>;
  error: string;
}

export interface WrongRequest {
  method: 'POST' | 'PATCH';
  /** Path relative to the project. `{x}` is the id of the card for the variable x. */
  path: string;
  body: Record<string, unknown>;
  status: number;
  /** Entries of `detail` in the format `location: sentence`, or its only sentence. */
  told: string[];
}

/** Files in the planner's workspace. */
export const WORKSPACE: Record<string, string> = {
  'products.csv':
    'product,price,Unit cost,hours,region,amount\n' +
    'oak chair,90,40,2,north,30\ntable,210,115,5,south,\nstool,45,20,0,north,80\n',
  'lanes.csv': 'plant,town,limit\nUlm,Bonn,3\nUlm,Kiel,4\nRoth,Kiel,5\n',
  'suppliers.csv': 'supplier,rating\nAda,3\nBob,4\nCem,n/a\nDan,2\nEva,5\n',
};

/** The planner's canvas, which has no gaps. */
export const CANVAS: [label: string, card_type: CardType, data: Record<string, unknown>][] = [
  ['Products', 'data', { set: 'products', file_path: 'products.csv', key: ['product'], description: 'What is made' }],
  ['Lanes', 'data', { set: 'lanes', file_path: 'lanes.csv', key: ['plant', 'town'], description: 'Who sends where' }],
  [
    'Suppliers',
    'data',
    { set: 'suppliers', file_path: 'suppliers.csv', key: ['supplier'], description: 'Who delivers' },
  ],
  [
    'Weeks',
    'data',
    { set: 'weeks', members: '1 to 4', values: { need: { 1: 3, 2: 4, 3: 5, 4: 6 } }, description: 'When' },
  ],
  [
    'Shifts',
    'data',
    { set: 'shifts', members: ['early', 'late'], values: { need: { early: 3, late: 4 } }, description: 'Who' },
  ],
  ['Many', 'data', { set: 'many', members: '1 to 100000', description: 'A lot' }],
  ['Rate', 'data', { values: { rate: 2 }, description: 'Per hour' }],
  ['make', 'variable', { name: 'make', index: 'p in products', domain: 'integer', unit: 'pieces' }],
  ['ship', 'variable', { name: 'ship', index: '(o, d) in lanes', domain: 'continuous', unit: 't' }],
  ['stock', 'variable', { name: 'stock', index: 't in weeks', domain: 'continuous', unit: 't' }],
  ['x', 'variable', { name: 'x', domain: 'continuous', unit: 't' }],
  ['y', 'variable', { name: 'y', domain: 'integer', unit: 't' }],
  ['Profit', 'objective', { sense: 'maximize', expression: 'x + y', confirmed: true }],
  [
    'Hours',
    'constraint',
    { expression: 'sum p in products: hours[p] * make[p] + x + y <= 400', classification: 'hard' },
  ],
];

/** Cards that the canvas accepts and whose problems become gaps. */
export const CARDS: Record<string, WrongCard> = {
  'an index over an unknown set': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in goods', classification: 'hard' },
    gaps: ['blocking index: No set is called goods: define it, as in `goods: a, b, c` (at character 1: p in goods)'],
  },
  'a sum over an unknown set': {
    card_type: 'constraint',
    data: { expression: 'sum g in goods: 2 * x <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: No set is called goods: define it, as in `goods: a, b, c` (at character 5: g in goods: 2 * x <= 3)',
    ],
  },
  'an index name without a set': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: It is unclear which members p refers to: add `for p in ...` or `sum p in ...` with a set, or write "p" in quotes for the member of that name (at character 6: p] <= 3)',
    ],
  },
  'an index name after the end of its sum': {
    card_type: 'constraint',
    data: { expression: 'sum p in products: hours[p] * make[p] + price[p] <= 400', classification: 'hard' },
    gaps: [
      'blocking expression: The sum over p ends before this: put everything that it adds up in parentheses, as in `sum p in ...: (... + ...)` (at character 47: p] <= 400)',
    ],
  },
  'too many members for a variable': {
    card_type: 'constraint',
    data: { expression: 'make[p, t] <= 3', index: 'p in products, t in weeks', classification: 'hard' },
    gaps: [
      'blocking expression: make is indexed by p: write one member in [ ], as in `make[p]` (at character 1: make[p, t] <= 3)',
    ],
  },
  'too few members for a column': {
    card_type: 'constraint',
    data: { expression: 'ship[o, d] <= limit[o]', index: '(o, d) in lanes', classification: 'hard' },
    gaps: [
      'blocking expression: limit is a column of lanes: write 2 members in [ ], as in `limit[p, q]` (at character 15: limit[o])',
    ],
  },
  'a single name for members that are pairs': {
    card_type: 'constraint',
    data: { expression: 'ship[o, d] <= 3', index: 'o in lanes', classification: 'hard' },
    gaps: ['blocking index: lanes has members with 2 parts: write `(p, q) in lanes` (at character 1: o in lanes)'],
  },
  'a pair of names for single members': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: '(p, q) in products', classification: 'hard' },
    gaps: [
      'blocking index: products has members with one part: write `p in products` (at character 1: (p, q) in products)',
    ],
  },
  'an indexed variable without a member': {
    card_type: 'constraint',
    data: { expression: 'make <= 3', classification: 'hard' },
    gaps: ['blocking expression: make is indexed by p: write `make[p]`'],
  },
  'a column without a member': {
    card_type: 'constraint',
    data: { expression: 'price * x <= 3', classification: 'hard' },
    gaps: ['blocking expression: price is a column of products: write `price[p]`'],
  },
  'a set as a number': {
    card_type: 'constraint',
    data: { expression: 'products <= 3', classification: 'hard' },
    gaps: ['blocking expression: products is a set: sum over its members, as in `sum p in products: ...`'],
  },
  'a member of a variable without an index': {
    card_type: 'constraint',
    data: { expression: 'x[p] <= 3', index: 'p in products', classification: 'hard' },
    gaps: ['blocking expression: x has no index: write it without [ ] (at character 1: x[p] <= 3)'],
  },
  'a member of a single value': {
    card_type: 'constraint',
    data: { expression: 'rate[p] * make[p] <= 3', index: 'p in products', classification: 'hard' },
    gaps: ['blocking expression: rate has no index: write it without [ ] (at character 1: rate[p] * make[p] <= 3)'],
  },
  'a calculation with a column of strings': {
    card_type: 'constraint',
    data: { expression: 'region[p] * make[p] <= 3', index: 'p in products', classification: 'hard' },
    gaps: [
      'blocking expression: region contains texts, so you cannot calculate with it: compare it in a condition, as in `where region[...] = "..."` (at character 1: region[p] * make[p] <= 3)',
    ],
  },
  'a calculation with a string': {
    card_type: 'constraint',
    data: { expression: '"north" * x <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: The text "north" is not a number: use texts only in conditions or as members in [ ] (at character 1: "north" * x <= 3)',
    ],
  },
  'an unknown name': {
    card_type: 'constraint',
    data: { expression: 'tables + x <= 3', classification: 'hard' },
    gaps: ['warning expression: No variable or value on the canvas is called tables'],
  },
  'a column name in two sets': {
    card_type: 'constraint',
    data: { expression: '2 * need[t] * x <= 3', index: 't in weeks', classification: 'hard' },
    gaps: [
      'blocking expression: need is a column of both weeks and shifts: rename one of them in the field `columns` of its data card, as in `shifts_need of shifts: column "need"`, or in `values` if the card has no file (at character 5: need[t] * x <= 3)',
    ],
  },
  'a column of numbers that contains a string': {
    card_type: 'constraint',
    data: { expression: 'rating[s] * x <= 3', index: 's in suppliers', classification: 'hard' },
    gaps: [
      'blocking expression: suppliers.csv, row 4, column rating: "n/a" is not a number (at character 1: rating[s] * x <= 3)',
    ],
  },
  'a string compared with a number': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where region[p] = 3', classification: 'hard' },
    gaps: [
      'blocking index: A text cannot be compared with a number: write texts in double quotes and numbers without quotes (at character 31: = 3)',
    ],
  },
  'a string compared with a number by <': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where region[p] < 3', classification: 'hard' },
    gaps: [
      'blocking index: A text cannot be compared with a number: write texts in double quotes and numbers without quotes (at character 31: < 3)',
    ],
  },
  'a string without quotes': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where region[p] = north', classification: 'hard' },
    gaps: ['blocking index: Nothing is called north: for a text, write "north" in quotes (at character 31: = north)'],
  },
  'a `where` without a condition': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where', classification: 'hard' },
    gaps: ['blocking index: Write a condition after `where`, as in `where demand[p] > 0`'],
  },
  'a condition without a comparison': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where price[p]', classification: 'hard' },
    gaps: ['blocking index: A condition must compare two values, as in `demand[p] > 0` (at character 21: price[p])'],
  },
  'an incomplete part of a condition': {
    card_type: 'constraint',
    data: {
      expression: 'make[p] <= 3',
      index: 'p in products where price[p] > 3 and hours[p]',
      classification: 'hard',
    },
    gaps: ['blocking index: Compare this with something, as in `demand[p] > 0` (at character 38: hours[p])'],
  },
  'a condition on a variable': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where make[p] > 0', classification: 'hard' },
    gaps: [
      'blocking index: A condition cannot contain the variable make: compare known values, or write a constraint (at character 21: make[p] > 0)',
    ],
  },
  'a condition with two bounds': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in products where 1 < price[p] < 3', classification: 'hard' },
    gaps: ['blocking index: Compare two values at a time and join the comparisons with `and` (at character 34: < 3)'],
  },
  'an index without `in`': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p products', classification: 'hard' },
    gaps: ['blocking index: Write `in` and the name of a set, as in `p in products` (at character 3: products)'],
  },
  'an index without a set': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'p in', classification: 'hard' },
    gaps: ['blocking index: Write the name of a set, as in `p in products`'],
  },
  'a number as the name of an index': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: '3 in products', classification: 'hard' },
    gaps: ['blocking index: Write a name for the members, as in `p in products` (at character 1: 3 in products)'],
  },
  'an index that begins with `for`': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3', index: 'for p in products', classification: 'hard' },
    gaps: ['blocking index: Write an index without `for`, as in `p in products` (at character 1: for p in products)'],
  },
  'an index inside a formula': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 3 for p in products', classification: 'hard' },
    gaps: [
      'blocking expression: Put the part after `for` in the index, not in the formula (at character 14: for p in products)',
    ],
  },
  'a missing closing bracket': {
    card_type: 'constraint',
    data: { expression: 'make[p <= 3', index: 'p in products', classification: 'hard' },
    gaps: ['blocking expression: A closing ] is missing before `<=` (at character 8: <= 3)'],
  },
  'empty brackets': {
    card_type: 'constraint',
    data: { expression: 'make[] <= 3', classification: 'hard' },
    gaps: ['blocking expression: Write a member in [ ], as in `make[p]` (at character 6: ] <= 3)'],
  },
  'a missing closing parenthesis': {
    card_type: 'constraint',
    data: { expression: '3 * (x + y <= 4', classification: 'hard' },
    gaps: ['blocking expression: `<=` at character 12 is not expected here'],
  },
  'a missing opening parenthesis': {
    card_type: 'constraint',
    data: { expression: 'x + y) <= 4', classification: 'hard' },
    gaps: ['blocking expression: `)` at character 6 is not expected here'],
  },
  'a sum without a body': {
    card_type: 'constraint',
    data: { expression: 'sum p in products: <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: Write an expression after the `:` of a sum, as in `sum p in products: make[p]` (at character 20: <= 3)',
    ],
  },
  'a sum without a colon': {
    card_type: 'constraint',
    data: { expression: 'sum p in products make[p] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: Write `:` after the index of a sum, as in `sum p in products: make[p]` (at character 19: make[p] <= 3)',
    ],
  },
  'a sum without `in`': {
    card_type: 'constraint',
    data: { expression: 'sum p of products: make[p] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: Write `in` and the name of a set, as in `p in products` (at character 7: of products: make[p] <= …)',
    ],
  },
  'a choice without an alternative': {
    card_type: 'constraint',
    data: { expression: 'sum p in products: if p = "oak" then make[p] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: Write `else` and another value before the relation, as in `(if t = 1 then start else 0) <= 3` (at character 46: <= 3)',
    ],
  },
  'a sum as a divisor': {
    card_type: 'constraint',
    data: { expression: 'x / sum t in weeks: need[t] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: Put a sum after `/` in parentheses: `/ (sum ...)` (at character 5: sum t in weeks: need[t] …)',
    ],
  },
  'an incomplete formula': {
    card_type: 'constraint',
    data: { expression: 'x + 3 * y <=', classification: 'hard' },
    gaps: ['blocking expression: The formula ends too early'],
  },
  'a decimal comma': {
    card_type: 'constraint',
    data: { expression: '1,5 x <= 3', classification: 'hard' },
    gaps: ['blocking expression: `,` at character 2 is not expected here'],
  },
  'a percent sign': {
    card_type: 'constraint',
    data: { expression: '10% x <= 3', classification: 'hard' },
    gaps: ['blocking expression: `%` at character 3 is not expected here'],
  },
  'a currency sign': {
    card_type: 'constraint',
    data: { expression: '3 € * x <= 30', classification: 'hard' },
    gaps: ['blocking expression: `€` at character 3 is not expected here'],
  },
  'the relation <>': {
    card_type: 'constraint',
    data: { expression: 'x <> 3', classification: 'hard' },
    gaps: ['blocking expression: `>` at character 4 is not expected here'],
  },
  'a number before a word': {
    card_type: 'constraint',
    data: { expression: '2 chairs per day <= x', classification: 'hard' },
    gaps: ['blocking expression: `per` at character 10 is not expected here'],
  },
  'a constraint without a relation': {
    card_type: 'constraint',
    data: { expression: 'x + y', classification: 'hard' },
    gaps: ['blocking expression: The formula needs <=, >= or ='],
  },
  'a formula that is too long': {
    card_type: 'constraint',
    data: { expression: `${'x + '.repeat(500)}y <= 3`, classification: 'hard' },
    gaps: ['blocking expression: A formula can have at most 2000 characters'],
  },
  'a product of two variables': {
    card_type: 'constraint',
    data: { expression: 'x * y <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: It is not linear: the variables x and y are multiplied, and neither is a yes-or-no variable',
    ],
  },
  'a product of two members of a variable': {
    card_type: 'constraint',
    data: { expression: 'make[p] * make["table"] <= 3', index: 'p in products', classification: 'hard' },
    gaps: [
      'blocking expression: It is not linear: the variables make and make are multiplied, and neither is a yes-or-no variable',
    ],
  },
  'a variable as a divisor': {
    card_type: 'constraint',
    data: { expression: '3 / x <= y', classification: 'hard' },
    gaps: ['blocking expression: It is not linear: it divides by the variable x'],
  },
  'a member of a variable as a divisor': {
    card_type: 'constraint',
    data: { expression: '3 / make[p] <= y', index: 'p in products', classification: 'hard' },
    gaps: ['blocking expression: It is not linear: it divides by the variable make'],
  },
  'a division by 0': {
    card_type: 'constraint',
    data: { expression: 'x / 0 <= 3', classification: 'hard' },
    gaps: ['blocking expression: It divides by 0'],
  },
  'a lag in a pair': {
    card_type: 'constraint',
    data: { expression: 'ship[o, d - 1] <= 3', index: '(o, d) in lanes', classification: 'hard' },
    gaps: ['info expression: `ship[o, d - 1]` counts as 0 where it does not exist'],
  },
  'a lag of half a member': {
    card_type: 'constraint',
    data: { expression: 'stock[t - 0.5] <= 3', index: 't in weeks', classification: 'hard' },
    gaps: ['blocking expression: A lag must be a whole number, as in `t - 1` (at character 11: 0.5] <= 3)'],
  },
  'a lag on a name without a set': {
    card_type: 'constraint',
    data: { expression: 'stock[t - 1] <= 3', classification: 'hard' },
    gaps: [
      'blocking expression: It is unclear which members t refers to: add `for t in ...` or `sum t in ...` with a set, or write "t" in quotes for the member of that name (at character 7: t - 1] <= 3)',
    ],
  },
  'a lag beyond the end of the set': {
    card_type: 'constraint',
    data: { expression: 'stock[t] = stock[t - 1] + 2', index: 't in weeks', classification: 'hard' },
    gaps: ['info expression: `stock[t - 1]` counts as 0 beyond the ends of its set'],
  },
  'a bound that is another variable': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'p in products', upper: 'make[p]' },
    gaps: ['blocking upper: A bound must be constant, but it contains the variable make: write a constraint instead'],
  },
  'a bound that is the variable itself': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'p in products', upper: '2 * z[p]' },
    gaps: ['blocking upper: A bound must be constant, but it contains the variable z: write a constraint instead'],
  },
  'a bound that is a relation': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'p in products', upper: 'rate <= 3' },
    gaps: ['blocking upper: A bound cannot contain <=, >= or ='],
  },
  'a formula as the bound of a variable without an index': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', upper: '2 * 3' },
    gaps: ['blocking upper: upper must be a number, or a formula if the variable has an index'],
  },
  'bounds that cross': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', lower: 5, upper: 3 },
    gaps: ['blocking lower: The lower bound is above the upper bound'],
  },
  'a variable indexed by itself': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'p in z' },
    gaps: [
      'blocking index: z is a variable, not a set: write the name of a set, as in `p in products` (at character 1: p in z)',
    ],
  },
  'a variable indexed by a column': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'p in price' },
    gaps: [
      'blocking index: price is a column of products, not a set: write the name of a set, as in `p in products` (at character 1: p in price)',
    ],
  },
  'an unknown domain': {
    card_type: 'variable',
    data: { name: 'z', domain: 'whole', unit: 'pieces' },
    gaps: ['blocking domain: domain must be "continuous" or "integer" or "binary"'],
  },
  'a name with a space': {
    card_type: 'variable',
    data: { name: 'oak chairs', domain: 'integer', unit: 'pieces' },
    gaps: ['blocking name: name must be letters, digits and _ and begin with a letter'],
  },
  'the name of another variable': {
    card_type: 'variable',
    data: { name: 'x', domain: 'integer', unit: 'pieces' },
    gaps: ['blocking name: Something else is already called x'],
    others: { x: ['blocking name: Something else is already called x'] },
  },
  'the name of a set': {
    card_type: 'variable',
    data: { name: 'weeks', domain: 'integer', unit: 'pieces' },
    gaps: ['blocking name: Something else is already called weeks'],
    others: { Weeks: ['blocking set: Something else is already called weeks'] },
  },
  'a set that contains itself': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'ring', members: 'ring' },
    gaps: [
      'blocking members: members must be a list of texts and numbers, or a range such as "1 to 52" of at most 100000 numbers',
    ],
  },
  'a range that is too long': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'days', members: '1 to 1000000' },
    gaps: [
      'blocking members: members must be a list of texts and numbers, or a range such as "1 to 52" of at most 100000 numbers',
    ],
  },
  'a duplicate member': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'teams', members: ['red', 'blue', ' red'] },
    gaps: ['blocking members: The member red appears twice'],
  },
  'missing values for some members': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'teams', members: ['red', 'blue', 'green'], values: { size: { red: 3 } } },
    gaps: ['blocking values: size has no value for blue and 1 more'],
  },
  'a value for an unknown member': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'teams', members: ['red'], values: { size: { red: 3, pink: 4 } } },
    gaps: ['blocking values: size has values for pink, which the set teams does not contain'],
  },
  'values by member without a set': {
    card_type: 'data',
    data: { description: 'Wrong', values: { size: { red: 3 } } },
    gaps: ['blocking values: The values of size are given by member: name their set in `set`'],
  },
  'a string instead of a number': {
    card_type: 'data',
    data: { description: 'Wrong', values: { size: '3' } },
    gaps: ['blocking values: values must be an object of numbers by name, or by name and member'],
  },
  'the name of an existing value': {
    card_type: 'data',
    data: { description: 'Wrong', values: { rate: 3 } },
    gaps: ['blocking values: Something else is already called rate'],
    others: { Rate: ['blocking values: Something else is already called rate'] },
  },
  'the name of an existing set': {
    card_type: 'data',
    data: { description: 'Wrong', set: 'shifts', members: ['a', 'b'] },
    gaps: ['blocking set: Something else is already called shifts'],
    others: { Shifts: ['blocking set: Something else is already called shifts'] },
  },
  'data without a source': {
    card_type: 'data',
    data: { description: 'Wrong' },
    gaps: ['blocking file_path: Which file in the workspace contains the data, or what are the values?'],
  },
  'an objective with a relation': {
    card_type: 'objective',
    data: { sense: 'maximize', expression: 'x <= 3', weight: 1, confirmed: true },
    gaps: ['blocking expression: An objective cannot contain <=, >= or ='],
    others: { Profit: ['blocking weight: If there are several objectives, each needs a weight'] },
  },
  'an objective without a sense': {
    card_type: 'objective',
    data: { expression: 'x', weight: 1, confirmed: true },
    gaps: ['blocking sense: Should it be maximized or minimized?'],
    others: { Profit: ['blocking weight: If there are several objectives, each needs a weight'] },
  },
  'a second objective without a weight': {
    card_type: 'objective',
    data: { sense: 'maximize', expression: 'x', confirmed: true },
    gaps: ['blocking weight: If there are several objectives, each needs a weight'],
    others: { Profit: ['blocking weight: If there are several objectives, each needs a weight'] },
  },
  'a KPI with a relation': {
    card_type: 'kpi',
    data: { description: 'Hours', expression: 'x <= 3' },
    gaps: ['warning expression: A KPI cannot contain <=, >= or ='],
  },
  'a requirement without a relation': {
    card_type: 'production_requirement',
    data: { description: 'Some', expression: 'x + 3' },
    gaps: ['blocking expression: The formula needs <=, >= or ='],
  },
  'a requirement in words': {
    card_type: 'production_requirement',
    data: { description: 'be quick', quantity: 3 },
    gaps: [
      'warning product: This does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
    ],
  },
  'a requirement for an unknown product': {
    card_type: 'production_requirement',
    data: { description: '10 sofas', quantity: 10, product: 'sofas' },
    gaps: [
      'warning product: No variable is called sofas, so this does not constrain the plan: set `product` to a variable, or write a relation such as `chairs >= 10`',
    ],
  },
  'a requirement for an indexed variable': {
    card_type: 'production_requirement',
    data: { description: '10 of make', quantity: 10, product: 'make' },
    gaps: [
      'blocking product: make has many members, so this does not constrain the plan: write a relation such as `sum p in products: make[p] >= 10`',
    ],
  },
  'a soft constraint without a penalty': {
    card_type: 'constraint',
    data: { expression: 'x <= 3', classification: 'soft' },
    gaps: ['blocking penalty: What does breaking it cost, per unit?'],
  },
  'a penalty of 0': {
    card_type: 'constraint',
    data: { expression: 'x <= 3', classification: 'soft', penalty: 0 },
    gaps: ['blocking penalty: penalty must be a number above 0, or a formula if the constraint has an index'],
  },
  'an unknown classification': {
    card_type: 'constraint',
    data: { expression: 'x <= 3', classification: 'medium' },
    gaps: ['blocking classification: classification must be "hard" or "soft"'],
  },
};

/** Files for a data card with this path and additional data. If `content` is missing, the file does not exist. */
export const FILES: Record<string, WrongFile> = {
  'a missing file': {
    path: 'gone.csv',
    data: { key: ['product'] },
    gaps: ['blocking file_path: The workspace has no file gone.csv'],
  },
  'an empty file': {
    path: 'empty.csv',
    content: '',
    data: { key: ['product'] },
    gaps: ['blocking file_path: empty.csv: The file is empty'],
  },
  'a file that is not a table': {
    path: 'photo.png',
    content: 'PNG',
    data: { key: ['product'] },
    gaps: [
      'blocking file_path: photo.png: The file is not a table: its name must end with .csv, .tsv, .json, .ndjson, .parquet or .xlsx',
    ],
  },
  'a row with too many cells': {
    path: 'ragged.csv',
    content: 'product,price\nchair,1\ntable,2,3\n',
    data: { key: ['product'] },
    gaps: ['blocking file_path: ragged.csv: Row 3 has 3 cells, but the first row has 2'],
  },
  'a file without a key': {
    path: 'keyless.csv',
    content: 'product,price\nchair,1\n',
    data: {},
    gaps: ['blocking key: Which column of keyless.csv identifies the members of goods? Its columns are product, price'],
  },
  'a key column that does not exist': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { key: ['product'] },
    gaps: ['blocking key: other.csv has no column product. Its columns are article, price'],
  },
  'a column that does not exist': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { column: 'region' },
    gaps: ['blocking column: other.csv has no column region. Its columns are article, price'],
  },
  'a duplicate key': {
    path: 'twice.csv',
    content: 'product,price\nchair,1\ntable,2\n chair ,3\n',
    data: { key: ['product'] },
    gaps: ['blocking key: twice.csv, rows 2 and 4: the member chair appears twice'],
  },
  'a row without a key': {
    path: 'unnamed.csv',
    content: 'product,price\nchair,1\n,2\n',
    data: { key: ['product'] },
    gaps: ['blocking key: unnamed.csv, row 3: product is empty'],
  },
  'a name for a column that does not exist': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { key: ['article'], columns: { cost: 'Unit cost' } },
    gaps: ['blocking columns: other.csv has no column Unit cost. Its columns are article, price'],
  },
  'a key and a column': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { key: ['article'], column: 'price' },
    gaps: [
      'blocking column: It has both `key` and `column`: keep `key` if article identifies each row, or `column` if the members are the distinct values of price',
    ],
  },
  'a key that is a string': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { key: 'article' },
    gaps: [
      'blocking key: key must be a list of at most 5 different columns of the file',
      'blocking key: Which column of other.csv identifies the members of goods? Its columns are article, price',
    ],
  },
  'both a file and members': {
    path: 'other.csv',
    content: 'article,price\nchair,1\n',
    data: { key: ['article'], members: ['chair'] },
    gaps: ['blocking members: The members come from the file: remove either `members` or `key`'],
  },
  'a missing sheet': {
    path: 'book.xlsx',
    content: workbookFile({ Sheet1: [['product'], ['chair']] }),
    data: { sheet: 'Weeks', key: ['product'] },
    gaps: ['blocking file_path: book.xlsx: There is no sheet "Weeks"; the workbook has "Sheet1"'],
  },
  'a damaged workbook': {
    path: 'damaged.xlsx',
    content: 'not a workbook',
    data: { key: ['product'] },
    gaps: ['blocking file_path: damaged.xlsx: The content of the file does not match its name, or the file is broken'],
  },
};

/**
 * Statements that become cards with a problem. The value contains the guide's version of the statement and the reason.
 */
export const UNREAD: Record<string, [told: string, reason: string]> = {
  'use[p] integer for p products': [
    'use: integer for p products',
    'Write `in` and the name of a set, as in `p in products` (at character 3: products)',
  ],
  'Need A: make[p] >= 3 for p in products where': [
    'Need A: make[p] >= 3 for p in products where',
    'Write a condition after `where`, as in `where demand[p] > 0`',
  ],
  'Need B: make[p >= 3 for p in products': [
    'Need B: make[p >= 3 for p in products',
    'A closing ] is missing before `>=` (at character 8: >= 3)',
  ],
  'Need C: make[p] + 3 for p in products': ['Need C: make[p] + 3 for p in products', 'The formula needs <=, >= or ='],
  'Need D: make[p] >= 3 for p in': ['Need D: make[p] >= 3 for p in', 'Write the name of a set, as in `p in products`'],
  'colours: red, blue, red': ['colours: red, blue, red', 'the member red appears twice'],
  'Need E: x + * y <= 3': ['Need E: x + * y <= 3', '`*` at character 5 is not expected here'],
  'Need F: 3 * (x + y <= 4': ['Need F: 3 * (x + y <= 4', '`<=` at character 12 is not expected here'],
  'maximize margin: x <= 3': ['margin: maximize x <= 3', 'An objective cannot contain <=, >= or ='],
  'sum p in products: make[p]': ['sum p in products: make[p]', 'The formula needs <=, >= or ='],
  'sofa is soft, penalty 3': ['sofa is soft, penalty 3', '`is` at character 6 is not expected here'],
  'requirement: make[p >= 3 for p in products': [
    'Requirement 1: make[p >= 3 for p in products',
    'A closing ] is missing before `>=` (at character 8: >= 3)',
  ],
  'Hours >= 3': ['Hours >= 3', '`Hours` is the name of the constraint, not a variable: write its formula'],
};

/** Statements that the guide rejects, with its reason. */
export const STATEMENTS: Record<string, string> = {
  'cost of goods: chair 1': 'no set is called `goods`: list its members first, as in `goods: a, b, c`',
  'goods from goods.csv key product': 'the workspace has no file `goods.csv`: upload it and send this again',
  'goods from products.csv key product column region': 'use either `key` or `column` to define the members, not both',
  'goods from products.csv key product default none': 'none is not a number',
  'goods from products.csv key product key region': '`key` appears twice',
  'price_2 of goods: column "Unit cost"':
    'no set from a file is called `goods`: define it first, as in `goods from file.csv key ...`',
  'remove sofa': 'nothing on the canvas is called `sofa`',
  'set sofa upper: 3': 'nothing on the canvas is called `sofa`',
  'set x name: two words': '`two words` is not a valid name',
  'confirm sofa': 'no objective is called `sofa`',
  'sofas in pieces': 'no variable is called `sofas`',
  'make it as cheap as possible': '',
};

/** Cards whose problems only a solve detects, because only a solve reads their data. */
export const SOLVES: Record<string, WrongModel> = {
  'a division by a value of 0': {
    card_type: 'constraint',
    data: { expression: 'make[p] / hours[p] <= 3', index: 'p in products', classification: 'hard' },
    error: 'The constraint card "Wrong": It divides by 0 for "stool": exclude them with a condition after `where`',
  },
  'a missing value in a file': {
    card_type: 'constraint',
    data: { expression: 'make[p] <= 2 * amount[p]', index: 'p in products', classification: 'hard' },
    error:
      'The constraint card "Wrong": amount has no value for "table": fill it in, or give the data card of products a `default`',
  },
  'an unknown member': {
    card_type: 'constraint',
    data: { expression: 'make["sofa"] <= 3', classification: 'hard' },
    error: 'The constraint card "Wrong": make has no member "sofa"',
  },
  'a column of another set': {
    card_type: 'constraint',
    data: { expression: 'price[t] * stock[t] <= 3', index: 't in weeks', classification: 'hard' },
    error: 'The constraint card "Wrong": price has no value for "1", which is not a member of products',
  },
  'an unknown pair': {
    card_type: 'constraint',
    data: { expression: 'ship["Ulm", "Rome"] <= 3', classification: 'hard' },
    error: 'The constraint card "Wrong": ship has no member "Ulm", "Rome"',
  },
  'a member that is not a number': {
    card_type: 'constraint',
    data: { expression: 'p * make[p] <= 3', index: 'p in products', classification: 'hard' },
    error: 'The constraint card "Wrong": p is used as a number, but its member "oak chair" is not a number',
  },
  'too many combinations': {
    card_type: 'constraint',
    data: { expression: 'sum a in many, b in many: x <= 3', classification: 'hard' },
    error:
      'The constraint card "Wrong": It runs over more than 20000000 combinations of members: reduce them with conditions after `where`',
  },
  'too many variables': {
    card_type: 'variable',
    data: { name: 'z', domain: 'integer', unit: 'pieces', index: 'a in many, b in products, t in weeks' },
    error: 'A model can have at most 100000 variables. The variable card "Wrong" alone creates 1200000',
  },
  'a number that is too large': {
    card_type: 'constraint',
    data: { expression: '1e200 * 1e200 * sum t in weeks: stock[t] <= 3', classification: 'hard' },
    error: 'The constraint card "Wrong": A number in the formula becomes too large',
  },
  'a coefficient that is too large for the solver': {
    card_type: 'constraint',
    data: { expression: '1e16 x <= 3', classification: 'hard' },
    error: 'The constraint card "Wrong": the number must be smaller than 1e15',
  },
  'a key and a column': {
    card_type: 'data',
    data: { set: 'goods', file_path: 'products.csv', key: ['product'], column: 'region' },
    error:
      'The data card "Wrong": It has both `key` and `column`: keep `key` if product identifies each row, or `column` if the members are the distinct values of region',
  },
  'a requirement without a relation': {
    card_type: 'production_requirement',
    data: { description: 'Some', expression: 'x + 3' },
    error: 'The production requirement card "Wrong": The formula needs <=, >= or =',
  },
};

/** Requests that are rejected, with the location and message of each error. */
export const REQUESTS: Record<string, WrongRequest> = {
  'an unknown card type': {
    method: 'POST',
    path: 'cards',
    body: { card_type: 'constraints', label: 'Wrong' },
    status: 422,
    told: [
      "body.card_type: Input should be 'objective', 'variable', 'constraint', 'kpi', 'data' or 'production_requirement'",
    ],
  },
  'a card without a type': {
    method: 'POST',
    path: 'cards',
    body: { label: 'Wrong' },
    status: 422,
    told: ['body.card_type: Field required'],
  },
  'a card without a label': {
    method: 'POST',
    path: 'cards',
    body: { card_type: 'constraint', data: { expression: 'x <= 3' } },
    status: 422,
    told: ['body.label: Field required'],
  },
  'an empty label': {
    method: 'POST',
    path: 'cards',
    body: { card_type: 'constraint', label: '' },
    status: 422,
    told: ['body.label: String should have at least 1 character'],
  },
  'data that is a list': {
    method: 'POST',
    path: 'cards',
    body: { card_type: 'constraint', label: 'Wrong', data: ['x <= 3'] },
    status: 422,
    told: ['body.data: Input should be a valid dictionary'],
  },
  'data that is a string': {
    method: 'POST',
    path: 'cards',
    body: { card_type: 'constraint', label: 'Wrong', data: 'x <= 3' },
    status: 422,
    told: ['body.data: Input should be a valid dictionary'],
  },
  'a change without a version': {
    method: 'PATCH',
    path: 'cards/{x}',
    body: { data: { upper: 3 } },
    status: 422,
    told: ['body.version: Field required'],
  },
  'a change with an outdated version': {
    method: 'PATCH',
    path: 'cards/{x}',
    body: { version: 7, data: { upper: 3 } },
    status: 409,
    told: ['The card has changed: its version is 1, not 7'],
  },
  'a version that is not a number': {
    method: 'PATCH',
    path: 'cards/{x}',
    body: { version: 'newest', data: { upper: 3 } },
    status: 422,
    told: ['body.version: Input should be a valid integer, unable to parse string as an integer'],
  },
  'a solve of a missing file': {
    method: 'POST',
    path: 'solve/executions',
    body: { input_file_ids: ['plan.lp'] },
    status: 422,
    told: ['body.input_file_ids.0: Value error, the workspace has no such file'],
  },
};
