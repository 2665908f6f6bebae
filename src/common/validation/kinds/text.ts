import { codePoints, isValidText } from '../../../../packages/json/index.js';
import { counted, type Kind, refuse, rejectValue } from '../kind.js';

export const INVALID_TEXT = 'text must contain neither U+0000 nor lone surrogates';

/** Bounds of a string. Lengths are in code points. */
export interface TextBounds {
  minLength?: number;
  maxLength?: number;
  pattern?: RegExp;
}

/** Field kind for strings. Other values are never converted. */
export function textKind({ minLength, maxLength, pattern }: TextBounds): Kind<string> {
  return {
    schema: {
      type: 'string',
      ...(minLength !== undefined && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern && { pattern: pattern.source }),
    },
    read(input) {
      if (typeof input !== 'string') return refuse('string_type', 'Input should be a valid string', input);
      const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(input);
      if (minLength !== undefined && length < minLength) {
        const msg = `String should have at least ${counted(minLength, 'character')}`;
        return refuse('string_too_short', msg, input, { min_length: minLength });
      }
      if (maxLength !== undefined && length > maxLength) {
        const msg = `String should have at most ${counted(maxLength, 'character')}`;
        return refuse('string_too_long', msg, input, { max_length: maxLength });
      }
      if (pattern !== undefined && !pattern.test(input)) {
        const msg = `String should match pattern '${pattern.source}'`;
        return refuse('string_pattern_mismatch', msg, input, { pattern: pattern.source });
      }
      return isValidText(input) ? input : rejectValue(INVALID_TEXT, input);
    },
  };
}

/** Names of punctuation characters for code generators, which cannot derive a name from them. */
const SIGNS: Record<string, string> = {
  '': 'none',
  ' ': 'space',
  '.': 'period',
  ',': 'comma',
  "'": 'apostrophe',
  '"': 'quote',
};

/** Field kind for strings from a fixed set of values, compared exactly. `enumName` gives it a separate schema in the document. */
export function enumKind<Value extends string>(values: readonly Value[], enumName?: string): Kind<Value> {
  const allowed = new Set<unknown>(values);
  const quoted = values.map((value) => `'${value}'`);
  const expected = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or ');
  return {
    schema: {
      type: 'string',
      enum: [...values],
      ...(values.some((value) => value in SIGNS) && {
        'x-enum-varnames': values.map((value) => SIGNS[value] ?? value),
      }),
      ...(enumName !== undefined && { enumName }),
    },
    read: (input) =>
      allowed.has(input)
        ? (input as Value)
        : refuse('literal_error', `Input should be ${expected}`, input, { expected }),
  };
}
