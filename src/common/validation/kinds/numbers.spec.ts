import { describe } from '@jest/globals';
import { checkField, type Expected } from '../../../../test/support/validation.js';
import { BooleanField, IntegerField, NumberField } from '../fields.js';

const notInteger: Expected = ['int_type', 'Input should be a valid integer'];
const integerText: Expected = ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'];
const integerSize: Expected = ['int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size'];
const fractional: Expected = ['int_from_float', 'Input should be a valid integer, got a number with a fractional part'];
const notBoolean: Expected = ['bool_type', 'Input should be a valid boolean'];
const booleanText: Expected = ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'];
const notNumber: Expected = ['float_type', 'Input should be a valid number'];
const numberText: Expected = ['float_parsing', 'Input should be a valid number, unable to parse string as a number'];

describe('IntegerField', () => {
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
      // These strings are too long for a regular expression.
      [`"${'1_'.repeat(4_000_000)}1"`, ...integerSize],
      [`"${'1_'.repeat(4_000_000)}x"`, ...integerText],
    ],
  );
});

describe('IntegerField with bounds', () => {
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

describe('NumberField', () => {
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

describe('BooleanField', () => {
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
