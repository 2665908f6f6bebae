import { Body, Controller, Get, type INestApplication, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { ApiResponse, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

it('x', () => {
  console.log(JSON.stringify(document.components, null, 1));
  console.log(JSON.stringify(document.paths, null, 1));
  expect(1).toBe(1);
});
