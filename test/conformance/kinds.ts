/** Invalid value for a field, with FastAPI's response. */
export interface Fault {
  value: unknown;
  /** Expected validation entries, in order. */
  entries: Entry[];
}

export interface Entry {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
  /** Location of the invalid part, with its value. Defaults to the whole value. */
  at?: (string | number)[];
  input?: unknown;
}

/** Values that a field accepts and values that it rejects. */
export interface Kind {
  fine: unknown[];
  faults: Fault[];
}

export interface Field extends Kind {
  required: boolean;
}

type Reason = Pick<Entry, 'type' | 'msg' | 'ctx'>;
const refuse = (reason: Reason, ...values: unknown[]): Fault[] => values.map((value) => ({ value, entries: [reason] }));

const NOT_STRING: Reason = { type: 'string_type', msg: 'Input should be a valid string' };
const NOT_LIST: Reason = { type: 'list_type', msg: 'Input should be a valid list' };
const NOT_DICT: Reason = { type: 'dict_type', msg: 'Input should be a valid dictionary' };
const NOT_OBJECT: Reason = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
};
const NOT_BOOLEAN: Reason = { type: 'bool_type', msg: 'Input should be a valid boolean' };
const NO_BOOLEAN_TEXT: Reason = {
  type: 'bool_parsing',
  msg: 'Input should be a valid boolean, unable to interpret input',
};
const NOT_INTEGER: Reason = { type: 'int_type', msg: 'Input should be a valid integer' };
const NO_INTEGER_TEXT: Reason = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const FRACTION: Reason = {
  type: 'int_from_float',
  msg: 'Input should be a valid integer, got a number with a fractional part',
};
const INVALID_TEXT: Reason = {
  type: 'value_error',
  msg: 'Value error, text must contain neither U+0000 nor lone surrogates',
  ctx: { error: {} },
};
const MISSING: Reason = { type: 'missing', msg: 'Field required' };

export const required = (kind: Kind): Field => ({ ...kind, required: true });
export const optional = (kind: Kind): Field => ({ ...kind, required: false });
const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

/**
 * Returns the kind of a string with bounds in code points. `fine` values are added to strings whose lengths equal the
 * bounds.
 */
export function text({ min = 0, max, fine = [] }: { min?: number; max?: number; fine?: string[] } = {}): Kind {
  const short = {
    type: 'string_too_short',
    msg: `String should have at least ${characters(min)}`,
    ctx: { min_length: min },
  };
  const long = {
    type: 'string_too_long',
    msg: `String should have at most ${characters(max ?? 0)}`,
    ctx: { max_length: max },
  };
  return {
    fine: [
      ...fine,
      ...(max === undefined ? [] : ['😀'.repeat(max), 'e\u0301'.repeat(max / 2), '❤\ufe0f'.repeat(max / 2)]),
    ],
    faults: [
      ...refuse(NOT_STRING, null, 5, 1.5, true, [], ['a'], {}, { a: 'a' }),
      ...(min > 0 ? refuse(short, '', 'x'.repeat(min - 1)) : []),
      ...(max === undefined
        ? []
        : refuse(long, 'x'.repeat(max + 1), '😀'.repeat(max + 1), '❤\ufe0f'.repeat(max / 2 + 1))),
      ...refuse(INVALID_TEXT, 'a\0b', 'a\ud800', '\udc00'),
    ],
  };
}

export const orNull = ({ fine, faults }: Kind): Kind => ({
  fine: [...fine, null],
  faults: faults.filter(({ value }) => value !== null),
});

export function choice(fine: string[], ...values: string[]): Kind {
  const quoted = values.map((value) => `'${value}'`);
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  const reason = { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
  const [first = ''] = values;
  return { fine, faults: refuse(reason, 'x', '', first.toUpperCase(), ` ${first}`, null, 5, 0, true, [], [first], {}) };
}

export const boolean: Kind = {
  fine: [true, false, 0, 1, '0', '1', 't', 'F', 'y', 'N', 'yes', 'NO', 'On', 'off', 'true', 'FALSE'],
  faults: [
    ...refuse(NO_BOOLEAN_TEXT, 'x', '', ' true', 'true ', '2', 'null', 2, -1),
    ...refuse(NOT_BOOLEAN, null, 1.5, [], [true], {}),
  ],
};

export const integer: Kind = {
  fine: [1, '1', ' 1 ', '+1', '001', '1.0', '1_0', true],
  faults: [
    ...refuse(NO_INTEGER_TEXT, 'x', '', ' ', '1.5', '1.', '.0', '1e3', '0x1', '1__0', '_1', '1_', '--1', '١', 'true'),
    ...refuse(NOT_INTEGER, null, [], [1], {}),
    ...refuse(FRACTION, 1.5, -0.1),
  ],
};

const inside = (at: string | number, { value, entries }: Fault, wrap: (value: unknown) => unknown): Fault => ({
  value: wrap(value),
  entries: entries.map((entry) => ({ input: value, ...entry, at: [at, ...(entry.at ?? [])] })),
});

/** Returns the kind of an array. `example` is a valid element. */
export function list({ faults }: Kind, example: unknown, { max }: { max?: number } = {}): Kind {
  const long = (length: number): Reason => ({
    type: 'too_long',
    msg: `List should have at most ${max} items after validation, not ${length}`,
    ctx: { field_type: 'List', max_length: max, actual_length: length },
  });
  return {
    fine: [[], [example], ...(max === undefined ? [] : [Array.from({ length: max }, () => example)])],
    faults: [
      ...refuse(NOT_LIST, null, 5, true, 'a', '', {}, { 0: example }),
      ...faults.flatMap((fault) => [
        inside(0, fault, (value) => [value, example]),
        inside(2, fault, (value) => [example, example, value]),
      ]),
      {
        value: faults.slice(0, 3).map(({ value }) => value),
        entries: faults.slice(0, 3).flatMap((fault, index) => inside(index, fault, (value) => value).entries),
      },
      ...(max === undefined
        ? []
        : refuse(
            long(max + 1),
            Array.from({ length: max + 1 }, () => example),
          )),
    ],
  };
}

/** Returns the kind of an object. `example` is a valid object. */
export function object(fields: Record<string, Field>, example: Record<string, unknown>): Kind {
  const named = Object.entries(fields);
  const lacking = (names: string[]): Fault => {
    const value = Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)));
    return { value, entries: names.map((name) => ({ ...MISSING, at: [name], input: value })) };
  };
  const needed = named.filter(([, field]) => field.required).map(([name]) => name);
  return {
    fine: [example, { ...example, unknown: { a: [1] } }],
    faults: [
      ...refuse(NOT_OBJECT, null, 5, true, 's', [], [example]),
      ...named.flatMap(([name, { faults }]) =>
        faults.map((fault) => inside(name, fault, (value) => ({ ...example, [name]: value }))),
      ),
      ...(needed.length > 0 ? [...needed.map((name) => lacking([name])), lacking(needed)] : []),
    ],
  };
}

/** Returns the kind of an object with arbitrary keys and string values. */
export function texts(example: Record<string, string>): Kind {
  return {
    fine: [example],
    faults: [
      ...refuse(NOT_DICT, null, 5, true, 's', [], [example]),
      ...text().faults.map((fault) => inside('a/b', fault, (value) => ({ ...example, 'a/b': value }))),
      {
        value: { b: 1, 10: null, '': [], ok: 'ok', 2: {} },
        // Keys that look like indexes come first in the object that the test builds, and therefore also in its JSON.
        entries: (['2', '10', 'b', ''] as const).map((key) => ({
          ...NOT_STRING,
          at: [key],
          input: { b: 1, 10: null, '': [], 2: {} }[key],
        })),
      },
      ...refuse(INVALID_TEXT, { ...example, 'a\0': 'x' }, { ...example, '\ud800': 'x' }),
    ],
  };
}

/** Returns the kind of an integer query parameter. */
export function count({ min, max }: { min: number; max?: number }): Kind {
  const less = { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${min}`, ctx: { ge: min } };
  const more = { type: 'less_than_equal', msg: `Input should be less than or equal to ${max}`, ctx: { le: max } };
  return {
    fine: [
      String(min),
      `${min + 1}.0`,
      ' 5 ',
      '+5',
      '005',
      '1_0',
      ...(max === undefined ? ['9'.repeat(30)] : [String(max)]),
    ],
    faults: [
      ...refuse(
        NO_INTEGER_TEXT,
        'abc',
        '',
        ' ',
        'null',
        'true',
        '1.',
        '.5',
        '1.5',
        '1e3',
        '0x10',
        '1__0',
        '_1',
        'Infinity',
        '5;a=1',
        '١',
      ),
      ...refuse(less, String(min - 1), `${min - 1}.0`, '-5', '-99999999999999999999'),
      ...(max === undefined ? [] : refuse(more, String(max + 1), `${max + 1}.00`, '9'.repeat(30))),
    ],
  };
}

/** Returns the kind of a date-time query parameter. */
export function moment(): Kind {
  const wrong = (error: string, ...values: string[]): Fault[] =>
    refuse(
      { type: 'datetime_from_date_parsing', msg: `Input should be a valid datetime or date, ${error}`, ctx: { error } },
      ...values,
    );
  return {
    fine: [
      '2024-01-01',
      '2024-01-01T00:00',
      '2024-01-01 00:00:00.5',
      '2024-01-01T00:00:00+02:00',
      '2024-01-01T00:00:00Z',
      '1704067200',
    ],
    faults: [
      ...wrong('input is too short', '', 'x', 'null', '2024-1-1'),
      ...wrong('invalid character in year', 'abcd-01-01', ' 2024-01-01'),
      ...wrong('invalid character in month', '2024-0a-01'),
      ...wrong('invalid character in day', '2024-01-0a'),
      ...wrong('invalid date separator, expected `-`', '2024/01/01', '20240101T00'),
      ...wrong('month value is outside expected range of 1-12', '2024-13-01', '2024-00-01'),
      ...wrong('day value is outside expected range', '2023-02-29', '2024-01-32'),
      ...wrong(
        'unexpected extra characters at the end of the input',
        '2024-01-01T25:00:00Z',
        '2024-01-01T',
        '2024-01-01T00:00 00:00',
      ),
      ...wrong('dates after 9999 are not supported as unix timestamps', '999999999999999'),
    ],
  };
}

/** Kind of a string query parameter. It accepts any value without invalid characters. */
export const word: Kind = { fine: [''], faults: refuse(INVALID_TEXT, 'a\0') };
