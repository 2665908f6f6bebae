import { Body, Controller, Get, type INestApplication, Module, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiResponse, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AnyField,
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectArrayField,
  FreeObjectField,
  IntegerField,
  NumberField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
  StringMapField,
} from './fields.js';

class Part {
  @StringField()
  name!: string;

  @ObjectArrayField(() => Part, { nullable: true, optional: true })
  children?: Part[] | null;
}

class Whole {
  @StringField({ minLength: 1, maxLength: 100, description: 'What it is called', example: 'a' })
  short_name!: string;

  @StringField({ nullable: true, optional: true, minLength: 1, maxLength: 100, description: 'x', extension: true })
  note?: string | null;

  @StringField({ pattern: /^[a-z]+$/ })
  slug!: string;

  @IntegerField({ default: 200, minimum: 1, maximum: 1000 })
  limit!: number;

  @NumberField({ default: 0 })
  credits!: number;

  @BooleanField({ optional: true })
  flag?: boolean;

  @EnumField(['define', 'run'], { default: 'define' })
  mode!: 'define' | 'run';

  @EnumField(['define', 'run'], { nullable: true, optional: true })
  other_mode?: 'define' | 'run' | null;

  @EnumField(['draft', 'complete'], { schemaName: 'WholeStatus' })
  status!: 'draft' | 'complete';

  @DateTimeField({ nullable: true })
  ended_at!: Date | null;

  @StringArrayField({ maxItems: 1000, itemMinLength: 1 })
  paths!: string[];

  @StringArrayField({ nullable: true, optional: true })
  tags?: string[] | null;

  @ObjectField(() => Part)
  part!: Part;

  @ObjectField(() => Part, { description: 'The part', optional: true, extension: true })
  described_part?: Part;

  @ObjectField(() => Part, { nullable: true, optional: true, description: 'Or none' })
  nullable_part?: Part | null;

  @ObjectArrayField(() => Part, { maxItems: 3 })
  parts!: Part[];

  @StringMapField()
  files!: Map<string, string>;

  @FreeObjectField()
  data!: Record<string, unknown>;

  @FreeObjectField({ nullable: true })
  extra!: Record<string, unknown> | null;

  @FreeObjectArrayField({ default: [] })
  components!: Record<string, unknown>[];

  @AnyField({ nullable: true, optional: true })
  result?: unknown;

  @AnyField()
  anything!: unknown;
}

class WholeQuery {
  @IntegerField({ default: 50, minimum: 1, maximum: 1000, description: 'Most rows' })
  limit!: number;

  @StringField({ optional: true, extension: true })
  q?: string;

  @EnumField(['define', 'run'], { optional: true })
  mode?: 'define' | 'run';

  @DateTimeField({ optional: true })
  since?: Date;

  @StringField()
  needed!: string;
}

@Controller('wholes')
class WholesController {
  @Post()
  @ApiResponse({ status: 200, type: Whole })
  post(@Body() body: Whole): Whole {
    return body;
  }

  @Get()
  list(@Query() query: WholeQuery): WholeQuery {
    return query;
  }
}

@Module({ controllers: [WholesController] })
class WholesModule {}

let app: INestApplication;
let document: OpenAPIObject;
beforeAll(async () => {
  app = await NestFactory.create(WholesModule, { logger: false, preview: true });
  document = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build());
});
afterAll(() => app.close());

const $ref = '#/components/schemas/Part';
const schemaOf = (name: string) =>
  document.components?.schemas?.[name] as { properties: Record<string, unknown>; required: string[] };

describe('the OpenAPI schema of a class', () => {
  it.each([
    [
      'short_name',
      {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        title: 'Short Name',
        description: 'What it is called',
        example: 'a',
      },
    ],
    [
      'note',
      {
        anyOf: [{ type: 'string', minLength: 1, maxLength: 100 }, { type: 'null' }],
        title: 'Note',
        description: 'x',
        'x-extension': true,
      },
    ],
    ['slug', { type: 'string', pattern: '^[a-z]+$', title: 'Slug' }],
    ['limit', { type: 'integer', minimum: 1, maximum: 1000, title: 'Limit', default: 200 }],
    ['credits', { type: 'number', title: 'Credits', default: 0 }],
    ['flag', { type: 'boolean', title: 'Flag' }],
    ['mode', { type: 'string', enum: ['define', 'run'], title: 'Mode', default: 'define' }],
    ['other_mode', { anyOf: [{ type: 'string', enum: ['define', 'run'] }, { type: 'null' }], title: 'Other Mode' }],
    ['status', { allOf: [{ $ref: '#/components/schemas/WholeStatus' }] }],
    ['ended_at', { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], title: 'Ended At' }],
    ['paths', { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 1000, title: 'Paths' }],
    ['tags', { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }], title: 'Tags' }],
    ['part', { $ref }],
    ['described_part', { allOf: [{ $ref }], description: 'The part', 'x-extension': true }],
    ['nullable_part', { anyOf: [{ $ref }, { type: 'null' }], description: 'Or none' }],
    ['parts', { type: 'array', items: { $ref }, maxItems: 3, title: 'Parts' }],
    ['files', { type: 'object', additionalProperties: { type: 'string' }, title: 'Files' }],
    ['data', { type: 'object', additionalProperties: true, title: 'Data' }],
    ['extra', { anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }], title: 'Extra' }],
    [
      'components',
      { type: 'array', items: { type: 'object', additionalProperties: true }, title: 'Components', default: [] },
    ],
    ['result', { anyOf: [{}, { type: 'null' }], title: 'Result' }],
    ['anything', { anyOf: [{}], title: 'Anything' }],
  ])('documents %s', (name, expected) => expect(schemaOf('Whole').properties[name]).toEqual(expected));

  it('marks properties as required unless they are optional or have a default', () => {
    const required = [
      'short_name',
      'slug',
      'status',
      'ended_at',
      'paths',
      'part',
      'parts',
      'files',
      'data',
      'extra',
      'anything',
    ];
    expect(schemaOf('Whole').required).toEqual(required);
  });

  it('supports a property whose type is its own class', () => {
    expect(schemaOf('Part').properties['children']).toEqual({
      anyOf: [{ type: 'array', items: { $ref } }, { type: 'null' }],
      title: 'Children',
    });
  });

  it('adds only the schemas that properties refer to', () =>
    expect(Object.keys(document.components?.schemas ?? {}).sort()).toEqual(['Part', 'Whole', 'WholeStatus']));
});

it('documents each parameter of a query class', () => {
  expect(document.paths['/wholes']?.get?.parameters).toEqual([
    {
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Most rows',
      schema: { type: 'integer', minimum: 1, maximum: 1000, title: 'Limit', default: 50 },
    },
    { name: 'q', in: 'query', required: false, 'x-extension': true, schema: { type: 'string', title: 'Q' } },
    { name: 'mode', in: 'query', required: false, schema: { type: 'string', enum: ['define', 'run'], title: 'Mode' } },
    { name: 'since', in: 'query', required: false, schema: { type: 'string', format: 'date-time', title: 'Since' } },
    { name: 'needed', in: 'query', required: true, schema: { type: 'string', title: 'Needed' } },
  ]);
});
