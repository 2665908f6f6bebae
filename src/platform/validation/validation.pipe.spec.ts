import type { ArgumentMetadata, Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { IsIn, MinLength } from 'class-validator';
import { type ErrorEntry, Invalid, invalidValue, missing } from '../errors/errors.js';
import { parseQuery } from '../http/configure-http.js';
import { type Json, toJsonText } from '../json/json.js';
import { parseJson } from '../json/parse-json.js';
import { IntegerField, ObjectArrayField, ObjectField, StringArrayField, StringField } from './fields.js';
import { Rule } from './rule.js';
import { ValidationPipe } from './validation.pipe.js';

const pipe = new ValidationPipe();

const accept = <Value>(metatype: Type<Value>, value: unknown, type: ArgumentMetadata['type'] = 'body'): Value =>
  pipe.transform(value, { type, metatype }) as Value;

function refuse(metatype: Type, value: unknown, type: ArgumentMetadata['type'] = 'body'): ErrorEntry[] {
  try {
    accept(metatype, value, type);
  } catch (error) {
    if (error instanceof Invalid) return JSON.parse(toJsonText(error.detail)) as ErrorEntry[];
    throw error;
  }
  throw new Error('The value was accepted');
}

class Item {
  @StringField()
  id!: string;

  @IntegerField({ optional: true })
  count?: number;
}

class Request {
  @StringField({ minLength: 1 })
  name!: string;

  @StringField({ nullable: true, optional: true })
  note?: string | null;

  @StringField({ nullable: true })
  place!: string | null;

  @IntegerField({ default: 50, maximum: 100 })
  limit!: number;

  @StringArrayField({ default: [] })
  tags!: string[];

  @ObjectArrayField(() => Item, { optional: true })
  items?: Item[];
}

const json = (text: string): Json => parseJson(text);

describe('a body', () => {
  it('becomes an instance of its class with converted values, defaults, and nothing else', () => {
    const request = accept(Request, json('{"zzz":1,"limit":"7","place":null,"name":"a","__proto__":{"note":"x"}}'));
    expect(request).toBeInstanceOf(Request);
    expect(Object.entries(request)).toEqual([
      ['name', 'a'],
      ['place', null],
      ['limit', 7],
      ['tags', []],
    ]);
    expect(request.note).toBeUndefined();
  });

  it('has its own copy of a default', () => {
    accept(Request, json('{"name":"a","place":null}')).tags.push('x');
    expect(accept(Request, json('{"name":"a","place":null}')).tags).toEqual([]);
  });

  it.each([[undefined], [null]])('that is %p is missing', (body) =>
    expect(refuse(Request, body)).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]),
  );

  it.each(['[]', '[{"name":"a"}]', '"s"', '5', '1.5', 'true'])('that is %s is no object', (text) =>
    expect(refuse(Request, json(text))).toEqual([
      {
        type: 'model_attributes_type',
        loc: ['body'],
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input: JSON.parse(text) as unknown,
      },
    ]),
  );

  it('tells absent, null and wrong apart, and reports everything in the order of declaration', () => {
    const body = '{"items":[{"count":"x","id":5},{}],"tags":null,"limit":101,"note":5,"name":""}';
    const entries = refuse(Request, json(body));
    expect(entries.map(({ type, loc }) => [type, ...loc.slice(1)])).toEqual([
      ['string_too_short', 'name'],
      ['string_type', 'note'],
      ['missing', 'place'],
      ['less_than_equal', 'limit'],
      ['list_type', 'tags'],
      ['string_type', 'items', 0, 'id'],
      ['int_parsing', 'items', 0, 'count'],
      ['missing', 'items', 1, 'id'],
    ]);
    expect(entries[2]?.input).toEqual(JSON.parse(body));
    expect(entries[7]?.input).toEqual({});
  });

  it('echoes integers exactly', () => {
    const text = '{"name":12345678901234567890,"place":null}';
    expect(() => accept(Request, json(text))).toThrow(Invalid);
    try {
      accept(Request, json(text));
    } catch (error) {
      expect(toJsonText((error as Invalid).detail)).toContain('"input":12345678901234567890}');
    }
  });
});

describe('a query', () => {
  class Query {
    @StringField({ nullable: true, optional: true })
    conversation_id?: string | null;

    @IntegerField({ default: 200, minimum: 1, maximum: 1000 })
    limit!: number;

    @StringField()
    needed!: string;
  }
  const query = (text: string): Query => accept(Query, parseQuery(text), 'query');

  it.each([
    ['needed=a', { limit: 200, needed: 'a' }],
    ['needed=a&limit=5', { limit: 5, needed: 'a' }],
    ['limit=0&limit=5&needed=a', { limit: 5, needed: 'a' }],
    ['limit=1.0&needed=', { limit: 1, needed: '' }],
    ['needed=a&conversation_id=', { conversation_id: '', limit: 200, needed: 'a' }],
    ['needed=a&LIMIT=0&limit[]=0&zzz=1', { limit: 200, needed: 'a' }],
    ['needed=a+b%2Bc%FF;d', { limit: 200, needed: 'a b+c\ufffd;d' }],
    ['needed=a&__proto__=1&constructor=2&__proto__[limit]=0', { limit: 200, needed: 'a' }],
  ])('%s is read', (text, value) => expect({ ...query(text) }).toEqual(value));

  it.each([
    ['', [['missing', 'needed', null]]],
    ['limit=0&needed=a', [['greater_than_equal', 'limit', '0']]],
    ['limit=&needed=a', [['int_parsing', 'limit', '']]],
    ['limit&needed=a', [['int_parsing', 'limit', '']]],
    ['limit=null&needed=a', [['int_parsing', 'limit', 'null']]],
    [
      'limit=5;needed=a',
      [
        ['int_parsing', 'limit', '5;needed=a'],
        ['missing', 'needed', null],
      ],
    ],
    [
      'limit=5&limit=1001',
      [
        ['less_than_equal', 'limit', '1001'],
        ['missing', 'needed', null],
      ],
    ],
    ['needed=%00', [['value_error', 'needed', '\0']]],
  ])('%s is refused', (text, entries) =>
    expect(refuse(Query, parseQuery(text), 'query').map(({ type, loc, input }) => [type, ...loc, input])).toEqual(
      entries.map(([type, name, input]) => [type, 'query', name, input]),
    ),
  );
});

describe('a path', () => {
  class SkillPath {
    @StringField({ pattern: /^[a-z]+$/ })
    skill!: string;
  }

  it('is checked as well', () => {
    expect(refuse(SkillPath, { skill: 'A', project_id: 'x' }, 'param')).toEqual([
      {
        type: 'string_pattern_mismatch',
        loc: ['path', 'skill'],
        msg: "String should match pattern '^[a-z]+$'",
        input: 'A',
        ctx: { pattern: '^[a-z]+$' },
      },
    ]);
  });
});

describe('what is no request type', () => {
  it.each<[string, ArgumentMetadata]>([
    ['a single parameter', { type: 'param', metatype: String, data: 'id' }],
    ['a value of a decorator', { type: 'custom', metatype: Request }],
    ['a value without a type', { type: 'query', metatype: undefined }],
    ['a class without fields', { type: 'body', metatype: Object }],
  ])('passes as it is: %s', (_, metadata) => {
    const value = { any: 'thing' };
    expect(pipe.transform(value, metadata)).toBe(value);
  });
});

describe('a subclass', () => {
  class Page {
    @IntegerField({ default: 50 })
    limit!: number;

    @IntegerField({ default: 0 })
    offset!: number;
  }

  class Narrow extends Page {
    @StringField()
    q!: string;

    @IntegerField({ default: 5, maximum: 9 })
    declare limit: number;
  }

  it('has the fields of its parent first, and its own say on them', () => {
    expect(Object.entries(accept(Narrow, json('{"q":"a"}')))).toEqual([
      ['limit', 5],
      ['offset', 0],
      ['q', 'a'],
    ]);
    expect(refuse(Narrow, json('{"offset":"x","limit":10}')).map(({ loc }) => loc[1])).toEqual([
      'limit',
      'offset',
      'q',
    ]);
    expect(accept(Page, json('{"limit":10}')).limit).toBe(10);
  });
});

describe('a rule over several fields', () => {
  @Rule<Span>(({ from, to }) => (from > to ? [invalidValue([], 'from must not be above to', { from, to })] : []))
  @Rule<Span>(({ to, unit }, received) => (to > 9 && unit === undefined ? [missing(['unit'], received)] : []))
  class Span {
    @IntegerField()
    from!: number;

    @IntegerField()
    to!: number;

    @StringField({ optional: true })
    unit?: string;
  }

  class Spans {
    @ObjectArrayField(() => Span)
    spans!: Span[];
  }

  it('is looked at when every field is valid', () => {
    expect(refuse(Span, json('{"from":11,"to":10,"x":1}'))).toEqual([
      {
        type: 'value_error',
        loc: ['body'],
        msg: 'Value error, from must not be above to',
        input: { from: 11, to: 10 },
        ctx: { error: {} },
      },
      { type: 'missing', loc: ['body', 'unit'], msg: 'Field required', input: { from: 11, to: 10, x: 1 } },
    ]);
    expect(accept(Span, json('{"from":1,"to":2}'))).toEqual({ from: 1, to: 2 });
  });

  it('is not looked at otherwise', () =>
    expect(refuse(Span, json('{"from":11,"to":10,"unit":5}')).map(({ type }) => type)).toEqual(['string_type']));

  it('holds inside other objects, each by itself', () =>
    expect(
      refuse(Spans, json('{"spans":[{"from":1,"to":2},{"from":2,"to":1},{"from":"x","to":1}]}')).map(
        ({ type, loc }) => [type, ...loc],
      ),
    ).toEqual([
      ['value_error', 'body', 'spans', 1],
      ['int_parsing', 'body', 'spans', 2, 'from'],
    ]));
});

describe('decorators of class-validator beside a field', () => {
  class Inner {
    @StringField()
    @MinLength(3, { message: 'too short for us' })
    code!: string;
  }

  class Outer {
    @IntegerField()
    @IsIn([1, 2], { message: 'only one or two' })
    number!: number;

    @ObjectField(() => Inner)
    inner!: Inner;

    @StringField()
    last!: string;
  }

  it('are value errors in their place, on the converted value', () => {
    expect(accept(Outer, json('{"number":"2","inner":{"code":"abc"},"last":"x"}'))).toEqual({
      number: 2,
      inner: { code: 'abc' },
      last: 'x',
    });
    expect(
      refuse(Outer, json('{"number":"3","inner":{"code":"ab"}}')).map(({ type, loc, msg, input }) => [
        type,
        loc,
        msg,
        input,
      ]),
    ).toEqual([
      ['value_error', ['body', 'number'], 'Value error, only one or two', '3'],
      ['value_error', ['body', 'inner', 'code'], 'Value error, too short for us', 'ab'],
      ['missing', ['body', 'last'], 'Field required', { number: '3', inner: { code: 'ab' } }],
    ]);
  });

  it('say nothing of a value that the field refused', () =>
    expect(refuse(Outer, json('{"number":"x","inner":{"code":5},"last":"x"}')).map(({ type }) => type)).toEqual([
      'int_parsing',
      'string_type',
    ]));
});
