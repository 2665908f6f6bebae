import type { ArgumentMetadata, Type } from '@nestjs/common';
import { describe, expect, it, jest } from '@jest/globals';
import {
  ArrayUnique,
  IsDefined,
  IsEmail,
  IsIn,
  IsOptional,
  IsUppercase,
  Matches,
  MaxLength,
  MinLength,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
  type ValidationError,
  Validator,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { type ErrorEntry, Invalid, invalidValue, missing } from '../errors/errors.js';
import { parseQuery } from '../http/configure-http.js';
import { type Json, parseJson, toJsonText } from '../../../packages/json/index.js';
import { DateTimeField, IntegerField, ObjectArrayField, ObjectField, StringArrayField, StringField } from './fields.js';
import { Rule } from './field.js';
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

describe('a request body', () => {
  it('becomes an instance of its class that contains only converted values and defaults', () => {
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

  it('gets its own copy of each default', () => {
    accept(Request, json('{"name":"a","place":null}')).tags.push('x');
    expect(accept(Request, json('{"name":"a","place":null}')).tags).toEqual([]);
  });

  it.each([[undefined], [null]])('is reported as missing if it is %p', (body) =>
    expect(refuse(Request, body)).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]),
  );

  it.each(['[]', '[{"name":"a"}]', '"s"', '5', '1.5', 'true'])('is rejected if it is %s instead of an object', (text) =>
    expect(refuse(Request, json(text))).toEqual([
      {
        type: 'model_attributes_type',
        loc: ['body'],
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input: JSON.parse(text) as unknown,
      },
    ]),
  );

  it('is rejected with separate errors for absent, null and invalid values, in the order of declaration', () => {
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

  it('is rejected with errors that repeat integers exactly', () => {
    const text = '{"name":12345678901234567890,"place":null}';
    expect(() => accept(Request, json(text))).toThrow(Invalid);
    try {
      accept(Request, json(text));
    } catch (error) {
      expect(toJsonText((error as Invalid).detail)).toContain('"input":12345678901234567890}');
    }
  });
});

describe('query validation', () => {
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
  ])('accepts %s', (text, value) => expect({ ...query(text) }).toEqual(value));

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
  ])('rejects %s', (text, entries) =>
    expect(refuse(Query, parseQuery(text), 'query').map(({ type, loc, input }) => [type, ...loc, input])).toEqual(
      entries.map(([type, name, input]) => [type, 'query', name, input]),
    ),
  );
});

describe('a path parameter', () => {
  class SkillPath {
    @StringField({ pattern: /^[a-z]+$/ })
    skill!: string;
  }

  it('is rejected if it does not match its pattern', () => {
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

describe('a value without a request type', () => {
  it.each<[string, ArgumentMetadata]>([
    ['a single parameter', { type: 'param', metatype: String, data: 'id' }],
    ['a custom decorator', { type: 'custom', metatype: Request }],
    ['a value without a type', { type: 'query', metatype: undefined }],
    ['a class without fields', { type: 'body', metatype: Object }],
  ])('passes through unchanged: %s', (_, metadata) => {
    const value = { any: 'thing' };
    expect(pipe.transform(value, metadata)).toBe(value);
  });
});

describe('a subclass of a request type', () => {
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

  it('lists the inherited fields first and can override them', () => {
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

describe('a rule for several fields', () => {
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

  it('runs if every field is valid', () => {
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

  it('does not run if any field is invalid', () =>
    expect(refuse(Span, json('{"from":11,"to":10,"unit":5}')).map(({ type }) => type)).toEqual(['string_type']));

  it('runs for each nested object separately', () =>
    expect(
      refuse(Spans, json('{"spans":[{"from":1,"to":2},{"from":2,"to":1},{"from":"x","to":1}]}')).map(
        ({ type, loc }) => [type, ...loc],
      ),
    ).toEqual([
      ['value_error', 'body', 'spans', 1],
      ['int_parsing', 'body', 'spans', 2, 'from'],
    ]));
});

describe('a class-validator decorator', () => {
  @ValidatorConstraint({ name: 'evenHours' })
  class EvenHours implements ValidatorConstraintInterface {
    validate(value: Date): boolean {
      return value.getUTCHours() % 2 === 0;
    }

    defaultMessage({ property }: ValidationArguments): string {
      return `${property} must be at an even hour`;
    }
  }

  class Contact {
    @StringField()
    @IsEmail()
    @Matches(/@example\.com$/, { message: '$property must be one of ours' })
    email!: string;

    @StringField({ optional: true, nullable: true })
    @MinLength(3, { message: ({ value }: ValidationArguments) => `${String(value)} is too short` })
    code?: string | null;
  }

  class Base {
    @IntegerField({ default: 1 })
    @IsIn([1, 2], { message: 'only one or two', groups: [] })
    version!: number;
  }

  class Booking extends Base {
    @StringField()
    constructor_name!: string;

    @ObjectField(() => Contact)
    owner!: Contact;

    @DateTimeField({ optional: true })
    @Validate(EvenHours)
    starts_at?: Date;

    @ObjectArrayField(() => Contact, { optional: true })
    @ArrayUnique((guest: Contact): string => guest.email)
    guests?: Contact[];

    @StringArrayField({ default: [] })
    @MaxLength(3, { each: true })
    tags!: string[];

    @StringField({ optional: true })
    @IsOptional()
    @ValidateIf(({ version }: Booking) => version === 2)
    @IsUppercase({ message: 'upper case from version two on' })
    room?: string;

    @StringField()
    last!: string;
  }

  const owner = { email: 'a@example.com' };
  const fine = { constructor_name: 'x', owner, last: 'x' };
  const at = (value: object): unknown[][] =>
    refuse(Booking, json(JSON.stringify(value))).map(({ loc, msg }) => [...loc, msg]);

  it('receives converted values but no null or absent values', () => {
    const body = { ...fine, version: '2', starts_at: '2026-01-01T10:00:00Z', guests: [{ ...owner, code: null }] };
    expect(accept(Booking, json(JSON.stringify(body)))).toEqual({
      ...fine,
      version: 2,
      starts_at: new Date('2026-01-01T10:00:00Z'),
      guests: [{ ...owner, code: null }],
      tags: [],
    });
  });

  it('reports errors in the format of FastAPI', () =>
    expect(refuse(Booking, json(JSON.stringify({ ...fine, version: '3' })))).toEqual([
      {
        type: 'value_error',
        loc: ['body', 'version'],
        msg: 'Value error, only one or two',
        input: '3',
        ctx: { error: {} },
      },
    ]));

  it('reports its errors together with field errors, in the order of declaration', () =>
    expect(
      at({
        tags: ['long one'],
        guests: [owner, owner],
        starts_at: 1_767_265_200,
        owner: { code: 'x', email: 'x' },
        constructor_name: 5,
        version: 3,
      }),
    ).toEqual([
      ['body', 'version', 'Value error, only one or two'],
      ['body', 'constructor_name', 'Input should be a valid string'],
      ['body', 'owner', 'email', 'Value error, email must be an email'],
      ['body', 'owner', 'email', 'Value error, email must be one of ours'],
      ['body', 'owner', 'code', 'Value error, x is too short'],
      ['body', 'starts_at', 'Value error, starts_at must be at an even hour'],
      ['body', 'guests', "Value error, All guests's elements must be unique"],
      ['body', 'tags', 'Value error, each value in tags must be shorter than or equal to 3 characters'],
      ['body', 'last', 'Field required'],
    ]));

  it('reports errors inside arrays', () =>
    expect(at({ ...fine, guests: [owner, { email: 'b' }, {}, { email: 'b@example.com', code: 'b' }] })).toEqual([
      ['body', 'guests', 1, 'email', 'Value error, email must be an email'],
      ['body', 'guests', 1, 'email', 'Value error, email must be one of ours'],
      ['body', 'guests', 2, 'email', 'Field required'],
      ['body', 'guests', 3, 'code', 'Value error, b is too short'],
    ]));

  it('does not receive a value that its field rejected', () =>
    expect(at({ ...fine, version: 'x', starts_at: 'noon', guests: 'x', owner: { email: 5 } })).toEqual([
      ['body', 'version', 'Input should be a valid integer, unable to parse string as an integer'],
      ['body', 'owner', 'email', 'Input should be a valid string'],
      ['body', 'starts_at', 'Input should be a valid datetime or date, input is too short'],
      ['body', 'guests', 'Input should be a valid list'],
    ]));

  it('can be conditional (`@ValidateIf`) without disabling the field’s own type check', () => {
    expect(accept(Booking, json(JSON.stringify({ ...fine, room: 'a' }))).room).toBe('a');
    expect(at({ ...fine, version: 2, room: 'a' })).toEqual([
      ['body', 'room', 'Value error, upper case from version two on'],
    ]);
    expect(at({ ...fine, version: 1, room: 5 })).toEqual([['body', 'room', 'Input should be a valid string']]);
  });

  it('can make the rules of an inherited field stricter', () => {
    class Strict extends Base {
      @IsIn([2])
      declare version: number;

      @StringField({ optional: true, nullable: true })
      @IsDefined()
      note?: string | null;
    }
    const messages = (text: string): string[] => refuse(Strict, json(text)).map(({ msg }) => msg);
    expect(messages('{"version":1,"note":null}')).toEqual([
      'Value error, version must be one of the following values: 2',
      'Value error, note should not be null or undefined',
    ]);
    expect(messages('{"version":"x","note":5}')).toEqual([
      'Input should be a valid integer, unable to parse string as an integer',
      'Input should be a valid string',
    ]);
  });

  const HOSTILE = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'];

  it.each(HOSTILE)('ignores the undeclared key `%s` like any other undeclared key', (key) => {
    for (const value of ['1', 'null', '"x"', '{"prototype":null}', '[]', '{"name":"Booking"}']) {
      const member = `${JSON.stringify(key)}:${value}`;
      const contact = `{"email":"a@example.com",${member}}`;
      const text = `{${member},"constructor_name":"x","owner":${contact},"guests":[${contact}],"last":"x"}`;
      const booking = accept(Booking, json(text));
      expect(booking).toBeInstanceOf(Booking);
      expect({ ...booking }).toEqual({ version: 1, ...fine, guests: [owner], tags: [] });
      expect(at(JSON.parse(text.replace('"last":"x"', '"last":5')) as object)).toEqual([
        ['body', 'last', 'Input should be a valid string'],
      ]);
      expect(accept(Base, parseQuery(`${key}=1`), 'query')).toEqual({ version: 1 });
    }
  });

  it('is rejected if its property has no field decorator, if it has no effect or if it is asynchronous', () => {
    class NoField {
      @IsEmail()
      email!: string;
    }
    class Nested {
      @ObjectField(() => Contact)
      @ValidateNested()
      contact!: Contact;
    }
    class Flagged {
      @StringField()
      @Validate(EvenHours, { always: true })
      at!: string;
    }
    class Waiting {
      @StringField()
      name!: string;
    }
    const validator = { validate: (): boolean => true };
    registerDecorator({ name: 'free', target: Waiting, propertyName: 'name', async: true, validator });
    @ValidatorConstraint()
    class Slow implements ValidatorConstraintInterface {
      async validate(): Promise<boolean> {
        return await Promise.resolve(false);
      }
    }
    class WaitingToo {
      @StringField()
      @Validate(Slow)
      name!: string;
    }
    const wrong: [Type<object>, string][] = [
      [NoField, 'NoField.email: a validated property needs a field'],
      [Nested, 'Nested.contact: objects are validated by their own fields'],
      [Flagged, 'Flagged.at: `always` has no effect'],
      [Waiting, 'Waiting.name: constraints cannot be asynchronous'],
      [WaitingToo, 'WaitingToo.name: constraints cannot be asynchronous'],
    ];
    for (const [type, message] of wrong) expect(() => accept(type, json('{"name":"x"}'))).toThrow(message);
  });
});

describe('class-validator', () => {
  class Plain {
    @StringField()
    name!: string;

    @IntegerField()
    count!: number;
  }

  it('runs even for requests without class-validator decorators', () => {
    const decided: ValidationError[] = [];
    const validated = jest.spyOn(Validator.prototype, 'validateSync');
    try {
      accept(Plain, json('{"name":"x","count":1}'));
      expect(() => accept(Plain, json('{"name":5}'))).toThrow(Invalid);
      accept(Plain, { name: 'x', count: '1' }, 'query');
      accept(Plain, { name: 'x', count: '1' }, 'param');
      expect(validated).toHaveBeenCalledTimes(4);
      decided.push(...(validated.mock.results[1]?.value as ValidationError[]));
    } finally {
      validated.mockRestore();
    }
    expect(decided.map(({ property, constraints }) => [property, constraints])).toEqual([
      ['name', { accepted: 'Input should be a valid string' }],
      ['count', { accepted: 'Field required' }],
    ]);
  });
});
