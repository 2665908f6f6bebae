import type { Json } from '../../../../packages/json/index.js';
import { type Kind, refuse, type Rejected, type Schema } from '../kind.js';

export interface NumberBounds {
  minimum?: number;
  maximum?: number;
}

/**
 * Maximum length of a number in characters, the same as in Python. Longer strings are never matched against the other patterns.
 */
const MAX_LENGTH = 4300;
const INTEGER_64 = 2 ** 63;
/** Integer as accepted by pydantic: leading zeros, single `_` between digits, and a fraction of zeros. */
const INTEGER_TEXT = /^[+-]?(?:(?:0[0_]*)?[1-9]\d*(?:_\d+)*|0(?:[0_]*0)?)(?:\.0+)?$/;
const NOT_NUMERIC = /[^\d_.+-]/;
const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Underscores that pydantic rejects in a number. */
const STRAY_UNDERSCORES = /^_|_$|__/;
const FALSE_TEXTS = new Set(['0', 'f', 'n', 'no', 'off', 'false']);
const TRUE_TEXTS = new Set(['1', 't', 'y', 'yes', 'on', 'true']);

/**
 * Field kind for integers. Also accepts input that pydantic converts to an integer. Values beyond 2^53 become the nearest
 * exactly representable integer.
 */
export function integerKind(bounds: NumberBounds): Kind<number> {
  return {
    schema: { type: 'integer', ...schemaBounds(bounds) },
    read: (input) => withinBounds(toInteger(input), input, bounds),
  };
}

/** Field kind for finite numbers. Also accepts input that pydantic converts to a number. */
export function numberKind(bounds: NumberBounds): Kind<number> {
  return {
    schema: { type: 'number', ...schemaBounds(bounds) },
    read: (input) => withinBounds(toNumber(input), input, bounds),
  };
}

/** Field kind for booleans. Also accepts input that pydantic converts to a boolean. */
export const booleanKind: Kind<boolean> = { schema: { type: 'boolean' }, read: toBoolean };

const schemaBounds = ({ minimum, maximum }: NumberBounds): Schema => ({
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});

function withinBounds(value: number | Rejected, input: Json, { minimum, maximum }: NumberBounds): number | Rejected {
  if (typeof value !== 'number') return value;
  if (minimum !== undefined && value < minimum) {
    return refuse('greater_than_equal', `Input should be greater than or equal to ${minimum}`, input, { ge: minimum });
  }
  if (maximum !== undefined && value > maximum) {
    return refuse('less_than_equal', `Input should be less than or equal to ${maximum}`, input, { le: maximum });
  }
  return value;
}

function toInteger(input: Json): number | Rejected {
  if (typeof input === 'boolean') return Number(input);
  if (typeof input === 'bigint') return nearestSafe(Number(input));
  if (typeof input === 'number') {
    if (!Number.isInteger(input)) {
      return refuse('int_from_float', 'Input should be a valid integer, got a number with a fractional part', input);
    }
    return Math.abs(input) < INTEGER_64 ? nearestSafe(input) : tooLarge(input);
  }
  if (typeof input !== 'string') return refuse('int_type', 'Input should be a valid integer', input);
  const text = input.trim();
  if (text.length > MAX_LENGTH) return NOT_NUMERIC.test(text) ? noInteger(input) : tooLarge(input);
  return INTEGER_TEXT.test(text) ? nearestSafe(Number(text.replaceAll('_', ''))) : noInteger(input);
}

const noInteger = (input: Json): Rejected =>
  refuse('int_parsing', 'Input should be a valid integer, unable to parse string as an integer', input);

const tooLarge = (input: Json): Rejected =>
  refuse('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size', input);

const nearestSafe = (value: number): number =>
  Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

function toNumber(input: Json): number | Rejected {
  if (typeof input === 'number') return input;
  if (typeof input === 'boolean' || typeof input === 'bigint') return finite(Number(input), input);
  if (typeof input !== 'string') return refuse('float_type', 'Input should be a valid number', input);
  const text = input.includes('_') && !STRAY_UNDERSCORES.test(input) ? input.replaceAll('_', '') : input.trim();
  if (text.length > MAX_LENGTH || !NUMBER_TEXT.test(text)) {
    return refuse('float_parsing', 'Input should be a valid number, unable to parse string as a number', input);
  }
  return finite(Number(text), input);
}

const finite = (value: number, input: Json): number | Rejected =>
  Number.isFinite(value) ? value : refuse('finite_number', 'Input should be a finite number', input);

function toBoolean(input: Json): boolean | Rejected {
  if (typeof input === 'boolean') return input;
  if (input === 0 || input === 1) return input === 1;
  const text = typeof input === 'string' ? input.toLowerCase() : '';
  if (FALSE_TEXTS.has(text)) return false;
  if (TRUE_TEXTS.has(text)) return true;
  if (typeof input === 'string' || isInteger64(input)) {
    return refuse('bool_parsing', 'Input should be a valid boolean, unable to interpret input', input);
  }
  return refuse('bool_type', 'Input should be a valid boolean', input);
}

const isInteger64 = (input: Json): boolean =>
  typeof input === 'bigint'
    ? BigInt.asIntN(64, input) === input
    : Number.isInteger(input) && Math.abs(Number(input)) < INTEGER_64;
