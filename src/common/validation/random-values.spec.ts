import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accept } from '../../../test/support/validation.js';
import { type ErrorEntry, Invalid } from '../errors/errors.js';
import { toJsonText } from '../../../packages/json/index.js';
import {
  AnyField,
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
  StringMapField,
} from './fields.js';

class Item {
  @StringField()
  id!: string;

  @IntegerField({ optional: true })
  count?: number;
}

describe('validation of arbitrary JSON', () => {
  class Everything {
    @StringField({ optional: true, minLength: 1, maxLength: 5 })
    text?: string;

    @IntegerField({ minimum: 0, nullable: true })
    integer!: number | null;

    @NumberField({ optional: true })
    number?: number;

    @BooleanField({ default: true })
    flag!: boolean;

    @EnumField(['a', 'b'], { optional: true })
    kind?: string;

    @DateTimeField({ optional: true })
    moment?: Date;

    @StringArrayField({ maxItems: 3, optional: true })
    texts?: string[];

    @ObjectField(() => Item, { nullable: true, optional: true })
    item?: Item | null;

    @ObjectArrayField(() => Item, { optional: true })
    items?: Item[];

    @StringMapField({ optional: true })
    map?: Map<string, string>;

    @FreeObjectField({ optional: true })
    free?: Record<string, unknown>;

    @AnyField({ optional: true })
    any?: unknown;
  }

  const names = ['text', 'integer', 'number', 'flag', 'kind', 'moment', 'texts', 'item', 'items', 'map', 'free', 'any'];
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: 'binary' }),
    fc.constantFrom('a', '3', '2024-01-01', 'yes', '9'.repeat(20)),
    fc.array(fc.record({ id: fc.jsonValue(), count: fc.jsonValue() }, { requiredKeys: [] })),
    fc.record({ id: fc.jsonValue(), count: fc.jsonValue() }, { requiredKeys: [] }),
  );
  const body = fc.oneof(
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 12 }),
    fc.jsonValue(),
  );

  it('returns an instance or reports errors in exactly the documented format', () => {
    fc.assert(
      fc.property(body, (given) => {
        let entries: ErrorEntry[];
        try {
          const accepted = accept(Everything, JSON.stringify(given));
          expect(Object.keys(accepted).filter((name) => !names.includes(name))).toEqual([]);
          return;
        } catch (error) {
          if (!(error instanceof Invalid)) throw error;
          entries = JSON.parse(toJsonText(error.detail)) as ErrorEntry[];
        }
        expect(entries.length).toBeGreaterThan(0);
        for (const entry of entries) {
          expect(Object.keys(entry).filter((key) => key !== 'ctx')).toEqual(['type', 'loc', 'msg', 'input']);
          expect(entry.type).toMatch(/^[a-z_]+$/);
          expect(entry.loc[0]).toBe('body');
          expect(entry.loc.every((step) => typeof step === 'string' || Number.isInteger(step))).toBe(true);
          expect(entry.msg).not.toBe('');
          if (entry.type !== 'missing' && entry.type !== 'value_error') {
            expect(entry.input).toEqual(entry.loc.slice(1).reduce<unknown>(step, JSON.parse(JSON.stringify(given))));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  const step = (inside: unknown, key: string | number): unknown => (inside as Record<string | number, unknown>)[key];
});
