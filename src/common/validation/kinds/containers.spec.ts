import { describe, expect, it } from '@jest/globals';
import { accept, checkField, type Expected, holder, invalidText, refuse } from '../../../../test/support/validation.js';
import {
  AnyField,
  FreeObjectArrayField,
  FreeObjectField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
  StringMapField,
} from '../fields.js';

const notList: Expected = ['list_type', 'Input should be a valid list'];
const notDict: Expected = ['dict_type', 'Input should be a valid dictionary'];
const notObject: Expected = [
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
];

describe('StringArrayField', () => {
  const type = holder(StringArrayField({ maxItems: 3, itemMinLength: 1 }));
  checkField(
    StringArrayField({ maxItems: 3 }),
    [
      ['[]', []],
      ['["a","","c"]', ['a', '', 'c']],
    ],
    [
      ['null', ...notList],
      ['"a"', ...notList],
      ['5', ...notList],
      ['{}', ...notList],
      ['{"0":"a"}', ...notList],
      [
        '["a",5,"c","d"]',
        'too_long',
        'List should have at most 3 items after validation, not 4',
        { field_type: 'List', max_length: 3, actual_length: 4 },
      ],
    ],
  );

  it('locates each invalid element by index', () =>
    expect(refuse(type, '{"f":[5,"a",""]}')).toStrictEqual([
      { type: 'string_type', loc: ['body', 'f', 0], msg: 'Input should be a valid string', input: 5 },
      {
        type: 'string_too_short',
        loc: ['body', 'f', 2],
        msg: 'String should have at least 1 character',
        input: '',
        ctx: { min_length: 1 },
      },
    ]));
});

class Reference {
  @StringField()
  id!: string;

  @StringField()
  type!: string;
}

describe('ObjectField', () => {
  checkField(
    ObjectField(() => Reference),
    [],
    ['null', '5', '"s"', '[]', '[{"id":"a"}]', 'true'].map((json) => [json, ...notObject] as const),
  );

  it('creates an instance of its class that contains only the declared fields', () => {
    const { f } = accept(holder(ObjectField(() => Reference)), '{"f":{"type":"t","x":1,"id":"a","__proto__":{"y":1}}}');
    expect(f).toBeInstanceOf(Reference);
    expect(Object.entries(f as Reference)).toEqual([
      ['id', 'a'],
      ['type', 't'],
    ]);
  });

  it('accepts null if it is nullable', () => {
    expect(accept(holder(ObjectField(() => Reference, { nullable: true })), '{"f":null}')).toEqual({ f: null });
  });

  it('reports missing fields with the object itself as input', () => {
    expect(refuse(holder(ObjectField(() => Reference)), '{"f":{"x":1,"type":5}}')).toStrictEqual([
      { type: 'missing', loc: ['body', 'f', 'id'], msg: 'Field required', input: { x: 1, type: 5 } },
      { type: 'string_type', loc: ['body', 'f', 'type'], msg: 'Input should be a valid string', input: 5 },
    ]);
  });
});

describe('ObjectArrayField', () => {
  checkField(
    ObjectArrayField(() => Reference),
    [['[]', []]],
    ['null', '5', '"s"', '{}'].map((json) => [json, ...notList] as const),
  );

  it('locates each error by index and field', () => {
    const json = '{"f":[{"id":"a","type":"b"},{"id":"a"},{},5,null,"s",[],{"id":1,"type":2}]}';
    expect(
      refuse(holder(ObjectArrayField(() => Reference)), json).map(({ type, loc, input }) => [type, loc, input]),
    ).toEqual([
      ['missing', ['body', 'f', 1, 'type'], { id: 'a' }],
      ['missing', ['body', 'f', 2, 'id'], {}],
      ['missing', ['body', 'f', 2, 'type'], {}],
      ['model_attributes_type', ['body', 'f', 3], 5],
      ['model_attributes_type', ['body', 'f', 4], null],
      ['model_attributes_type', ['body', 'f', 5], 's'],
      ['model_attributes_type', ['body', 'f', 6], []],
      ['string_type', ['body', 'f', 7, 'id'], 1],
      ['string_type', ['body', 'f', 7, 'type'], 2],
    ]);
  });
});

describe('StringMapField', () => {
  checkField(
    StringMapField(),
    [
      ['{}', new Map()],
      ['{"b":"x","10":"y","__proto__":"z"}', new Map(Object.entries({ b: 'x' })).set('10', 'y').set('__proto__', 'z')],
    ],
    [
      ...['null', '5', '"s"', '[]'].map((json) => [json, ...notDict] as const),
      ['{"a\\u0000":"x"}', ...invalidText],
      ['{"\\ud800":"x"}', ...invalidText],
    ],
  );

  it('keeps the received order of values and errors', () => {
    const type = holder(StringMapField());
    expect([...(accept(type, '{"f":{"b":"","10":"","2":""}}').f as Map<string, string>).keys()]).toEqual([
      'b',
      '10',
      '2',
    ]);
    const wrong = '{"f":{"SKILL.md":null,"10":{},"2":1,"":[],"ok":"t","__proto__":5,"nul":"\\u0000"}}';
    expect(refuse(type, wrong).map(({ type, loc }) => [type, ...loc])).toEqual([
      ['string_type', 'body', 'f', 'SKILL.md'],
      ['string_type', 'body', 'f', '10'],
      ['string_type', 'body', 'f', '2'],
      ['string_type', 'body', 'f', ''],
      ['string_type', 'body', 'f', '__proto__'],
      ['value_error', 'body', 'f', 'nul'],
    ]);
  });
});

describe('FreeObjectField', () => {
  checkField(
    FreeObjectField(),
    [
      ['{}', {}],
      [
        '{"0":"a","b":{"c":[1,null]},"n":12345678901234567890}',
        { 0: 'a', b: { c: [1, null] }, n: 12345678901234567000 },
      ],
    ],
    [
      ...['null', '5', '"s"', '[]'].map((json) => [json, ...notDict] as const),
      ['{"a":[{"b":"\\u0000"}]}', ...invalidText],
      ['{"a":{"\\ud800":1}}', ...invalidText],
    ],
  );
});

describe('FreeObjectArrayField', () => {
  checkField(FreeObjectArrayField({ maxItems: 2 }), [['[{"a":1},{}]', [{ a: 1 }, {}]]], [['{}', ...notList]]);

  it('rejects elements that are not objects and reports their index', () => {
    expect(refuse(holder(FreeObjectArrayField()), '{"f":[{},5]}')).toStrictEqual([
      { type: 'dict_type', loc: ['body', 'f', 1], msg: 'Input should be a valid dictionary', input: 5 },
    ]);
  });
});

describe('AnyField', () => {
  checkField(
    AnyField(),
    [
      ['null', null],
      ['5', 5],
      ['"s"', 's'],
      ['[{"a":[]}]', [{ a: [] }]],
    ],
    [['["\\u0000"]', ...invalidText]],
  );
});

describe('maxProperties', () => {
  const tooLong = [
    'too_long',
    'Dictionary should have at most 2 items after validation, not 3',
    { field_type: 'Dictionary', max_length: 2, actual_length: 3 },
  ] as const;

  // The invalid member of the oversized object causes no further entry.
  checkField(StringMapField({ maxProperties: 2 }), [], [['{"a":1,"b":2,"c":3}', ...tooLong]]);
  checkField(
    FreeObjectField({ maxProperties: 2 }),
    [['{"a":1,"b":2}', { a: 1, b: 2 }]],
    [['{"a":1,"b":2,"c":"\\u0000"}', ...tooLong]],
  );
});

describe('error entries', () => {
  const members = Array.from({ length: 3_000 }, (_, index) => index);

  it.each<[string, PropertyDecorator, string]>([
    ['an array', StringArrayField(), JSON.stringify(members)],
    ['a map', StringMapField(), JSON.stringify(Object.fromEntries(members.map((index) => [`k${index}`, index])))],
    ['an array of objects', ObjectArrayField(() => Reference), JSON.stringify(members.map(() => ({})))],
  ])('are limited to 100 in %s', (_, decorator, json) => {
    const inner = holder(decorator);
    expect(refuse(holder(ObjectField(() => inner)), `{"f":{"f":${json}}}`)).toHaveLength(100);
  });

  it('are limited to 64 KiB in total, but always include the first entry', () => {
    const given = 'x'.repeat(20_000);
    const told = (items: unknown[]): number =>
      refuse(holder(StringArrayField({ itemMinLength: 100_000 })), JSON.stringify({ f: items })).length;
    expect(told(Array(10).fill(given))).toBe(4);
    expect(told(['y'.repeat(90_000), given, given])).toBe(3);
    expect(told([given, 'y'.repeat(90_000), given])).toBe(1);
  });
});
