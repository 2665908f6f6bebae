import type { Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { type ErrorEntry, Invalid } from '../errors/errors.js';
import { toJsonText } from '../json/json.js';
import { parseJson } from '../json/parse-json.js';
import {
  AnyField,
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectArrayField,
  FreeObjectField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
  StringMapField,
} from './fields.js';
import { ValidationPipe } from './validation.pipe.js';

const pipe = new ValidationPipe();

/** What a handler with a body of this type is given for a JSON text. */
const accept = <Body>(type: Type<Body>, json: string): Body =>
  pipe.transform(parseJson(json), { type: 'body', metatype: type }) as Body;

/** The `detail` that a JSON text gets, after its way through JSON. */
function refuse(type: Type, json: string): ErrorEntry[] {
  try {
    accept(type, json);
  } catch (error) {
    if (error instanceof Invalid) return JSON.parse(toJsonText(error.detail)) as ErrorEntry[];
    throw error;
  }
  throw new Error(`${json} was accepted`);
}

/** A class with one field `f`. */
function holder(decorator: PropertyDecorator): Type<{ f: unknown }> {
  class Holder {
    f!: unknown;
  }
  decorator(Holder.prototype, 'f');
  return Holder;
}

type Expected = [type: string, msg: string, ctx?: Record<string, unknown>];

/** Checks values of one field: `accepted` with what they become, `refused` with their one entry at the field. */
function checkField(
  decorator: PropertyDecorator,
  accepted: readonly (readonly [json: string, value: unknown])[],
  refused: readonly (readonly [json: string, ...Expected])[],
): void {
  const type = holder(decorator);
  if (accepted.length > 0) {
    it.each(accepted)('takes %s', (json, value) => expect(accept(type, `{"f":${json}}`).f).toStrictEqual(value));
  }
  it.each(refused.map((row) => ({ json: row[0], type: row[1], msg: row[2], ctx: row[3] })))(
    'refuses $json: $type',
    ({ json, ctx, ...entry }) =>
      expect(refuse(type, `{"f":${json}}`)).toStrictEqual([
        { ...entry, loc: ['body', 'f'], input: JSON.parse(json) as unknown, ...(ctx && { ctx }) },
      ]),
  );
}

const notString: Expected = ['string_type', 'Input should be a valid string'];
const notInteger: Expected = ['int_type', 'Input should be a valid integer'];
const integerText: Expected = ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'];
const integerSize: Expected = ['int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size'];
const fractional: Expected = ['int_from_float', 'Input should be a valid integer, got a number with a fractional part'];
const notBoolean: Expected = ['bool_type', 'Input should be a valid boolean'];
const booleanText: Expected = ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'];
const notNumber: Expected = ['float_type', 'Input should be a valid number'];
const numberText: Expected = ['float_parsing', 'Input should be a valid number, unable to parse string as a number'];
const notList: Expected = ['list_type', 'Input should be a valid list'];
const notDict: Expected = ['dict_type', 'Input should be a valid dictionary'];
const notObject: Expected = [
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
];
const notMoment: Expected = ['datetime_type', 'Input should be a valid datetime'];
const unstorable: Expected = [
  'value_error',
  'Value error, text must contain neither U+0000 nor lone surrogates',
  { error: {} },
];

describe('text', () => {
  checkField(
    StringField(),
    [
      ['""', ''],
      ['" a "', ' a '],
      ['"5"', '5'],
      ['"\\u0001é😀"', '\u0001é😀'],
    ],
    [
      ['5', ...notString],
      ['1.5', ...notString],
      ['true', ...notString],
      ['null', ...notString],
      ['[]', ...notString],
      ['{}', ...notString],
      ['["a"]', ...notString],
      ['"a\\u0000"', ...unstorable],
      ['"\\ud800"', ...unstorable],
    ],
  );
});

describe('text with bounds', () => {
  const tooLong: Expected = ['string_too_long', 'String should have at most 3 characters', { max_length: 3 }];
  const tooShort: Expected = ['string_too_short', 'String should have at least 2 characters', { min_length: 2 }];
  checkField(
    StringField({ minLength: 2, maxLength: 3 }),
    [
      ['"😀😀"', '😀😀'],
      ['"😀😀😀"', '😀😀😀'],
      ['"❤\ufe0fa"', '❤\ufe0fa'],
      ['"  "', '  '],
    ],
    [
      ['""', ...tooShort],
      ['"😀"', ...tooShort],
      ['"😀😀😀😀"', ...tooLong],
      ['"❤\ufe0f❤\ufe0f"', ...tooLong],
      ['"e\u0301e\u0301"', ...tooLong],
      ['"\\u0000"', ...tooShort],
      ['5', ...notString],
    ],
  );
});

describe('text of one character', () => {
  const type = holder(StringField({ minLength: 1, maxLength: 1 }));
  it('is counted in the singular', () => {
    expect(refuse(type, '{"f":""}')[0]?.msg).toBe('String should have at least 1 character');
    expect(refuse(type, '{"f":"ab"}')[0]?.msg).toBe('String should have at most 1 character');
  });
});

describe('text of a pattern', () => {
  checkField(
    StringField({ pattern: /^[a-z]+$/ }),
    [['"abc"', 'abc']],
    [
      ['"A"', 'string_pattern_mismatch', "String should match pattern '^[a-z]+$'", { pattern: '^[a-z]+$' }],
      ['5', ...notString],
    ],
  );
});

describe('a nullable field', () => {
  checkField(
    StringField({ nullable: true, minLength: 1 }),
    [
      ['null', null],
      ['"a"', 'a'],
    ],
    [
      ['5', ...notString],
      ['""', 'string_too_short', 'String should have at least 1 character', { min_length: 1 }],
    ],
  );
});

describe('a field with a check of its own', () => {
  checkField(
    StringField({ check: (value) => (value.startsWith('/') ? 'a path must be relative' : undefined) }),
    [['"a"', 'a']],
    [
      ['"/a"', 'value_error', 'Value error, a path must be relative', { error: {} }],
      ['null', ...notString],
    ],
  );
});

describe('an integer', () => {
  checkField(
    IntegerField(),
    [
      ['3', 3],
      ['-3', -3],
      ['3.0', 3],
      ['1e3', 1000],
      ['true', 1],
      ['false', 0],
      ['"3"', 3],
      ['" 3 "', 3],
      ['"+3"', 3],
      ['"-3"', -3],
      ['"007"', 7],
      ['"3.0"', 3],
      ['"-1.00"', -1],
      ['"0"', 0],
      ['"00.0"', 0],
      ['"1_000"', 1000],
      ['12345678901234567890', Number.MAX_SAFE_INTEGER],
      ['-12345678901234567890', Number.MIN_SAFE_INTEGER],
      ['1e17', Number.MAX_SAFE_INTEGER],
      [`"${'9'.repeat(4300)}"`, Number.MAX_SAFE_INTEGER],
    ],
    [
      ...['""', '" "', '"3.5"', '"1."', '".0"', '"1e3"', '"0x10"', '"1__0"', '"_1"', '"1_"', '"+-3"', '"--3"'].map(
        (json) => [json, ...integerText] as const,
      ),
      ...['"١"', '"3 3"', '"null"', '"Infinity"', '"1,000"', '"- 3"'].map((json) => [json, ...integerText] as const),
      ['null', ...notInteger],
      ['[]', ...notInteger],
      ['{}', ...notInteger],
      ['3.5', ...fractional],
      ['-0.5', ...fractional],
      ['1e30', ...integerSize],
      [`"${'9'.repeat(4301)}"`, ...integerSize],
    ],
  );
});

describe('an integer with bounds', () => {
  const less: Expected = ['greater_than_equal', 'Input should be greater than or equal to 1', { ge: 1 }];
  const more: Expected = ['less_than_equal', 'Input should be less than or equal to 1000', { le: 1000 }];
  checkField(
    IntegerField({ minimum: 1, maximum: 1000 }),
    [
      ['1', 1],
      ['"1000.0"', 1000],
    ],
    [
      ['0', ...less],
      ['"0"', ...less],
      ['"-1.0"', ...less],
      ['false', ...less],
      ['1001', ...more],
      ['123456789012345678901234567890', ...more],
      ['"x"', ...integerText],
    ],
  );
});

describe('a number', () => {
  checkField(
    NumberField({ minimum: 0 }),
    [
      ['1.5', 1.5],
      ['3', 3],
      ['true', 1],
      ['"1.5"', 1.5],
      ['" 2e3 "', 2000],
      ['"1_0.5"', 10.5],
      ['".5"', 0.5],
      ['12345678901234567890', 12345678901234567000],
    ],
    [
      ['""', ...numberText],
      ['"x"', ...numberText],
      ['"_1"', ...numberText],
      ['"1__0"', ...numberText],
      ['null', ...notNumber],
      ['[]', ...notNumber],
      ['{}', ...notNumber],
      ['"1e999"', 'finite_number', 'Input should be a finite number'],
      ['-0.5', 'greater_than_equal', 'Input should be greater than or equal to 0', { ge: 0 }],
    ],
  );
});

describe('a boolean', () => {
  checkField(
    BooleanField(),
    [
      ...['true', '1', '1.0', '"1"', '"t"', '"y"', '"YES"', '"On"', '"TRUE"'].map((json) => [json, true] as const),
      ...['false', '0', '0.0', '"0"', '"f"', '"N"', '"no"', '"oFF"', '"False"'].map((json) => [json, false] as const),
    ],
    [
      ...['2', '-1', '2.0', '"x"', '""', '" true"', '"2"', '9007199254740993'].map(
        (json) => [json, ...booleanText] as const,
      ),
      ...['null', '1.5', '[]', '{}', '1e30', '12345678901234567890123'].map((json) => [json, ...notBoolean] as const),
    ],
  );
});

describe('one of a few texts', () => {
  const expected = "'deployment', 'workspace' or 'snapshot'";
  const other: Expected = ['literal_error', `Input should be ${expected}`, { expected }];
  checkField(
    EnumField(['deployment', 'workspace', 'snapshot']),
    [['"workspace"', 'workspace']],
    ['"x"', '""', '"Workspace"', '" workspace"', 'null', '5', 'true', '[]', '{}'].map(
      (json) => [json, ...other] as const,
    ),
  );

  it.each([
    [['a'], "'a'"],
    [['define', 'run'], "'define' or 'run'"],
  ])('%j reads %s', (values, text) =>
    expect(refuse(holder(EnumField(values)), '{"f":1}')[0]?.msg).toBe(`Input should be ${text}`),
  );
});

describe('a moment', () => {
  const date = (error: string): Expected => [
    'datetime_from_date_parsing',
    `Input should be a valid datetime or date, ${error}`,
    { error },
  ];
  const extra = date('unexpected extra characters at the end of the input');
  const separator = date('invalid date separator, expected `-`');
  const moment = (error: string): Expected => [
    'datetime_parsing',
    `Input should be a valid datetime, ${error}`,
    { error },
  ];
  const early = 'dates before 0000 are not supported as unix timestamps';
  const late = 'dates after 9999 are not supported as unix timestamps';
  checkField(
    DateTimeField(),
    (
      [
        ['"2024-01-01T10:20:30Z"', '2024-01-01T10:20:30.000Z'],
        ['"2024-01-01t10:20:30.5z"', '2024-01-01T10:20:30.500Z'],
        ['"2024-01-01 10:20"', '2024-01-01T10:20:00.000Z'],
        ['"2024-01-01_10:20:30,123456789"', '2024-01-01T10:20:30.123Z'],
        ['"2024-01-01T10:20:30+02:30"', '2024-01-01T07:50:30.000Z'],
        ['"2024-01-01T10:20:30-0230"', '2024-01-01T12:50:30.000Z'],
        ['"2024-01-01T10:20:30\u221202:30"', '2024-01-01T12:50:30.000Z'],
        ['"2024-02-29"', '2024-02-29T00:00:00.000Z'],
        ['"0099-03-04"', '0099-03-04T00:00:00.000Z'],
        ['"0001-01-01T00:00+14:00"', '0000-12-31T10:00:00.000Z'],
        ['"9999-12-31T23:59:59-12:00"', '9999-12-31T23:59:59.000Z'],
        ['"1704067200"', '2024-01-01T00:00:00.000Z'],
        ['"1704067200.25"', '2024-01-01T00:00:00.250Z'],
        ['"1704067200123"', '2024-01-01T00:00:00.123Z'],
        ['"2024"', '1970-01-01T00:33:44.000Z'],
        ['"-1"', '1969-12-31T23:59:59.000Z'],
        ['1704067200', '2024-01-01T00:00:00.000Z'],
        ['1704067200.25', '2024-01-01T00:00:00.250Z'],
        ['20000000001', '1970-08-20T11:33:20.001Z'],
      ] as const
    ).map(([json, iso]) => [json, new Date(iso)] as const),
    [
      ['""', ...date('input is too short')],
      ['"x"', ...date('input is too short')],
      ['"2024-1-1"', ...date('input is too short')],
      ['"abcd-01-01"', ...date('invalid character in year')],
      ['" 2024-01-01"', ...date('invalid character in year')],
      ['"2024-0a-01"', ...date('invalid character in month')],
      ['"2024-01-0a"', ...date('invalid character in day')],
      ['"2024-01-0é"', ...date('invalid character in day')],
      ['"2024/01/01"', ...separator],
      ['"2024-01/01"', ...separator],
      ['"20240101xx"', ...separator],
      ['"2024-13-01"', ...date('month value is outside expected range of 1-12')],
      ['"2024-00-01"', ...date('month value is outside expected range of 1-12')],
      ['"2023-02-29"', ...date('day value is outside expected range')],
      ['"1900-02-29"', ...date('day value is outside expected range')],
      ['"2024-04-31"', ...date('day value is outside expected range')],
      ['"2024-01-00"', ...date('day value is outside expected range')],
      ...[
        'T',
        'T25:00:00Z',
        'T10:60',
        'T10:20:60',
        'T10:20:30.',
        'T10',
        'X10:20',
        'T10:20:30 00:00',
        'T10:20:30+24:00',
      ].map((rest) => [`"2024-01-01${rest}"`, ...extra] as const),
      ...['T10:20:30+25:00', 'T10:20:30+02:60', 'T10:20:30+2', 'T10:20:30Zx', ' '].map(
        (rest) => [`"2024-01-01${rest}"`, ...extra] as const,
      ),
      ['"0000-01-01"', ...moment('year 0 is out of range')],
      ['"-62167219200000"', ...moment('year 0 is out of range')],
      ['"999999999999999"', ...date(late)],
      ['"-99999999999999"', ...date(early)],
      ['"99999999999999999999"', ...separator],
      ['999999999999999', ...moment(late)],
      ['-99999999999999', ...moment(early)],
      ['12345678901234567890123', ...moment(late)],
      ['null', ...notMoment],
      ['true', ...notMoment],
      ['[]', ...notMoment],
      ['{}', ...notMoment],
    ],
  );
});

describe('an array of texts', () => {
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

  it('names each wrong element by its index', () =>
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

describe('an object', () => {
  checkField(
    ObjectField(() => Reference),
    [],
    ['null', '5', '"s"', '[]', '[{"id":"a"}]', 'true'].map((json) => [json, ...notObject] as const),
  );

  it('becomes an instance of its class with its fields alone', () => {
    const { f } = accept(holder(ObjectField(() => Reference)), '{"f":{"type":"t","x":1,"id":"a","__proto__":{"y":1}}}');
    expect(f).toBeInstanceOf(Reference);
    expect(Object.entries(f as Reference)).toEqual([
      ['id', 'a'],
      ['type', 't'],
    ]);
  });

  it('may be null where that is said', () => {
    expect(accept(holder(ObjectField(() => Reference, { nullable: true })), '{"f":null}')).toEqual({ f: null });
  });

  it('says what is missing in it, with itself as input', () => {
    expect(refuse(holder(ObjectField(() => Reference)), '{"f":{"x":1,"type":5}}')).toStrictEqual([
      { type: 'missing', loc: ['body', 'f', 'id'], msg: 'Field required', input: { x: 1, type: 5 } },
      { type: 'string_type', loc: ['body', 'f', 'type'], msg: 'Input should be a valid string', input: 5 },
    ]);
  });
});

describe('an array of objects', () => {
  checkField(
    ObjectArrayField(() => Reference),
    [['[]', []]],
    ['null', '5', '"s"', '{}'].map((json) => [json, ...notList] as const),
  );

  it('names every fault by index and field', () => {
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

describe('texts by keys', () => {
  checkField(
    StringMapField(),
    [
      ['{}', new Map()],
      ['{"b":"x","10":"y","__proto__":"z"}', new Map(Object.entries({ b: 'x' })).set('10', 'y').set('__proto__', 'z')],
    ],
    [
      ...['null', '5', '"s"', '[]'].map((json) => [json, ...notDict] as const),
      ['{"a\\u0000":"x"}', ...unstorable],
      ['{"\\ud800":"x"}', ...unstorable],
    ],
  );

  it('stay in the order received, and so do their faults', () => {
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

describe('an object of any content', () => {
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
      ['{"a":[{"b":"\\u0000"}]}', ...unstorable],
      ['{"a":{"\\ud800":1}}', ...unstorable],
    ],
  );
});

describe('an array of objects of any content', () => {
  checkField(FreeObjectArrayField({ maxItems: 2 }), [['[{"a":1},{}]', [{ a: 1 }, {}]]], [['{}', ...notList]]);

  it('names elements that are none', () => {
    expect(refuse(holder(FreeObjectArrayField()), '{"f":[{},5]}')).toStrictEqual([
      { type: 'dict_type', loc: ['body', 'f', 1], msg: 'Input should be a valid dictionary', input: 5 },
    ]);
  });
});

describe('any value', () => {
  checkField(
    AnyField(),
    [
      ['null', null],
      ['5', 5],
      ['"s"', 's'],
      ['[{"a":[]}]', [{ a: [] }]],
    ],
    [['["\\u0000"]', ...unstorable]],
  );
});

describe('more faults than anybody reads', () => {
  const members = Array.from({ length: 200_000 }, (_, index) => index);

  it.each<[string, PropertyDecorator, string]>([
    ['an array', StringArrayField(), JSON.stringify(members)],
    ['a map', StringMapField(), JSON.stringify(Object.fromEntries(members.map((index) => [`k${index}`, index])))],
    ['an array of objects', ObjectArrayField(() => Reference), JSON.stringify(members.map(() => ({})))],
  ])('are told up to 10,000 in %s', (_, decorator, json) => {
    const inner = holder(decorator);
    expect(refuse(holder(ObjectField(() => inner)), `{"f":{"f":${json}}}`)).toHaveLength(10_000);
  });
});
