import { describe, expect, it } from '@jest/globals';
import {
  checkField,
  type Expected,
  holder,
  notString,
  refuse,
  invalidText,
} from '../../../../test/support/validation.js';
import { EnumField, StringField } from '../fields.js';

describe('StringField', () => {
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
      ['"a\\u0000"', ...invalidText],
      ['"\\ud800"', ...invalidText],
    ],
  );
});

describe('StringField with length bounds', () => {
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

describe('StringField with a length of one', () => {
  const type = holder(StringField({ minLength: 1, maxLength: 1 }));
  it('uses the singular in error messages', () => {
    expect(refuse(type, '{"f":""}')[0]?.msg).toBe('String should have at least 1 character');
    expect(refuse(type, '{"f":"ab"}')[0]?.msg).toBe('String should have at most 1 character');
  });
});

describe('StringField with a pattern', () => {
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

describe('a field with its own check', () => {
  checkField(
    StringField({ check: (value) => (value.startsWith('/') ? 'a path must be relative' : undefined) }),
    [['"a"', 'a']],
    [
      ['"/a"', 'value_error', 'Value error, a path must be relative', { error: {} }],
      ['null', ...notString],
    ],
  );
});

describe('EnumField', () => {
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
  ])('lists the values %j as %s in the error message', (values, text) =>
    expect(refuse(holder(EnumField(values)), '{"f":1}')[0]?.msg).toBe(`Input should be ${text}`),
  );
});
