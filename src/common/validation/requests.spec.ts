import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { IsLowercase } from 'class-validator';
import { type ErrorEntry, Invalid } from '../errors/errors.js';
import { parseJson, toJsonText } from '../../../packages/json/index.js';
import { EnumField, IntegerField, StringArrayField, StringField } from './fields.js';
import { ValidationPipe } from './validation.pipe.js';

const page = readFileSync('docs/requests.md', 'utf8');

/** Request type shown in docs/extending.md. The first test checks that both copies are identical. */
class StockCountRequest {
  @StringField({ minLength: 1, maxLength: 40, example: 'oak-chair' })
  @IsLowercase()
  product!: string;

  @IntegerField({ minimum: 0, description: 'Pieces on the shelf' })
  pieces!: number;

  @EnumField(['main', 'outlet'], { default: 'main' })
  store!: 'main' | 'outlet';

  @StringArrayField({ optional: true, maxItems: 10 })
  remarks?: string[];
}

const pipe = new ValidationPipe();
const read = (text: string): unknown => pipe.transform(parseJson(text), { type: 'body', metatype: StockCountRequest });

function refusal(text: string): { detail: ErrorEntry[] } {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Invalid) return JSON.parse(toJsonText({ detail: error.detail })) as { detail: ErrorEntry[] };
    throw error;
  }
  return { detail: [] };
}

describe('docs/requests.md', () => {
  const [faulty = '', ...shown] = [
    /`(\{"product".*\})` returns/.exec(page)?.[1],
    ...Array.from(page.matchAll(/```json\n([\s\S]*?)```/g), ([, json]) => json),
  ];

  it('uses the request type from docs/extending.md that this file tests', () => {
    const extending = readFileSync('docs/extending.md', 'utf8');
    const [source = ''] = /class StockCountRequest \{[\s\S]*?\n\}/.exec(extending) ?? [];
    const own = readFileSync(import.meta.filename, 'utf8');
    expect(source).not.toBe('');
    expect(own).toContain(source);
  });

  it('shows the error bodies that the service returns', () => {
    expect(shown).toHaveLength(2);
    expect(refusal(faulty)).toEqual(JSON.parse(shown[0] ?? ''));
    expect(refusal('{}')).toEqual(JSON.parse(shown[1] ?? ''));
  });

  it('describes the error of a class-validator decorator', () => {
    const entry = {
      type: 'value_error',
      loc: ['body', 'product'],
      msg: 'Value error, product must be a lowercase string',
      input: 'Oak',
      ctx: { error: {} },
    };
    expect(refusal('{"product": "Oak", "pieces": 1}')).toEqual({ detail: [entry] });
  });

  it('describes the values that a handler receives', () => {
    expect({ ...(read('{"product": "oak-chair", "pieces": "12", "other": 1}') as object) }).toEqual({
      product: 'oak-chair',
      pieces: 12,
      store: 'main',
    });
  });
});
