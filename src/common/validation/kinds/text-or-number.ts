import { type Kind, refuse } from '../kind.js';
import { numberKind } from './numbers.js';
import { type TextBounds, textKind } from './text.js';

/** Field kind for strings and numbers. Values are not converted. */
export function textOrNumberKind(bounds: TextBounds): Kind<string | number> {
  const [text, number] = [textKind(bounds), numberKind({})];
  return {
    schema: { anyOf: [text.schema, number.schema] },
    read(input) {
      if (typeof input === 'string') return text.read(input);
      if (typeof input === 'number' || typeof input === 'bigint') return number.read(input);
      return refuse('string_type', 'Input should be a valid string or number', input);
    },
  };
}
