import type { Operation } from '../interface/interface.js';

/**
 * Every documented request with every wrong kind of value of every field, and what FastAPI says of it.
 *
 * Written by hand, like the table of the interface that it is compared with.
 */
export interface Fault {
  value: unknown;
  /** What is wrong with it, in order. */
  entries: Entry[];
}

export interface Entry {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
  /** Place inside the value, and what stands there; by default the value itself. */
  at?: (string | number)[];
  input?: unknown;
}

/** What a field takes and refuses. */
export interface Kind {
  fine: unknown[];
  faults: Fault[];
}

export interface Field extends Kind {
  required: boolean;
}

export interface Request {
  /** As in the table of the interface. */
  operation: Operation['name'];
  method: string;
  /** Below `/api/v1`, with `{project_id}`, `{skill}` and `{name}`. */
  path: string;
  part: 'body' | 'query';
  /** A request that is no failed validation; the string `{project_id}` stands for that project's id. */
  valid: Record<string, unknown>;
  /** In the order of declaration. */
  fields: Record<string, Field>;
}

type Reason = Pick<Entry, 'type' | 'msg' | 'ctx'>;
const refuse = (reason: Reason, ...values: unknown[]): Fault[] => values.map((value) => ({ value, entries: [reason] }));

const NOT_STRING: Reason = { type: 'string_type', msg: 'Input should be a valid string' };
const NOT_LIST: Reason = { type: 'list_type', msg: 'Input should be a valid list' };
const NOT_DICT: Reason = { type: 'dict_type', msg: 'Input should be a valid dictionary' };
const NOT_OBJECT: Reason = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
};
const NOT_BOOLEAN: Reason = { type: 'bool_type', msg: 'Input should be a valid boolean' };
const NO_BOOLEAN_TEXT: Reason = {
  type: 'bool_parsing',
  msg: 'Input should be a valid boolean, unable to interpret input',
};
const NOT_INTEGER: Reason = { type: 'int_type', msg: 'Input should be a valid integer' };
const NO_INTEGER_TEXT: Reason = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const FRACTION: Reason = {
  type: 'int_from_float',
  msg: 'Input should be a valid integer, got a number with a fractional part',
};
const UNSTORABLE: Reason = {
  type: 'value_error',
  msg: 'Value error, text must contain neither U+0000 nor lone surrogates',
  ctx: { error: {} },
};
const MISSING: Reason = { type: 'missing', msg: 'Field required' };

const required = (kind: Kind): Field => ({ ...kind, required: true });
const optional = (kind: Kind): Field => ({ ...kind, required: false });
const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

/** Text with bounds in code points; `fine` values are added to those at the bounds. */
function text({ min = 0, max, fine = [] }: { min?: number; max?: number; fine?: string[] } = {}): Kind {
  const short = {
    type: 'string_too_short',
    msg: `String should have at least ${characters(min)}`,
    ctx: { min_length: min },
  };
  const long = {
    type: 'string_too_long',
    msg: `String should have at most ${characters(max ?? 0)}`,
    ctx: { max_length: max },
  };
  return {
    fine: [
      ...fine,
      ...(max === undefined ? [] : ['😀'.repeat(max), 'e\u0301'.repeat(max / 2), '❤\ufe0f'.repeat(max / 2)]),
    ],
    faults: [
      ...refuse(NOT_STRING, null, 5, 1.5, true, [], ['a'], {}, { a: 'a' }),
      ...(min > 0 ? refuse(short, '', 'x'.repeat(min - 1)) : []),
      ...(max === undefined
        ? []
        : refuse(long, 'x'.repeat(max + 1), '😀'.repeat(max + 1), '❤\ufe0f'.repeat(max / 2 + 1))),
      ...refuse(UNSTORABLE, 'a\0b', 'a\ud800', '\udc00'),
    ],
  };
}

const orNull = ({ fine, faults }: Kind): Kind => ({
  fine: [...fine, null],
  faults: faults.filter(({ value }) => value !== null),
});

function choice(fine: string[], ...values: string[]): Kind {
  const quoted = values.map((value) => `'${value}'`);
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  const reason = { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
  const [first = ''] = values;
  return { fine, faults: refuse(reason, 'x', '', first.toUpperCase(), ` ${first}`, null, 5, 0, true, [], [first], {}) };
}

const boolean: Kind = {
  fine: [true, false, 0, 1, '0', '1', 't', 'F', 'y', 'N', 'yes', 'NO', 'On', 'off', 'true', 'FALSE'],
  faults: [
    ...refuse(NO_BOOLEAN_TEXT, 'x', '', ' true', 'true ', '2', 'null', 2, -1),
    ...refuse(NOT_BOOLEAN, null, 1.5, [], [true], {}),
  ],
};

const integer: Kind = {
  fine: [1, '1', ' 1 ', '+1', '001', '1.0', '1_0', true],
  faults: [
    ...refuse(NO_INTEGER_TEXT, 'x', '', ' ', '1.5', '1.', '.0', '1e3', '0x1', '1__0', '_1', '1_', '--1', '١', 'true'),
    ...refuse(NOT_INTEGER, null, [], [1], {}),
    ...refuse(FRACTION, 1.5, -0.1),
  ],
};

const inside = (at: string | number, { value, entries }: Fault, wrap: (value: unknown) => unknown): Fault => ({
  value: wrap(value),
  entries: entries.map((entry) => ({ input: value, ...entry, at: [at, ...(entry.at ?? [])] })),
});

/** An array; `example` is an element that is fine. */
function list({ faults }: Kind, example: unknown, { max }: { max?: number } = {}): Kind {
  const long = (length: number): Reason => ({
    type: 'too_long',
    msg: `List should have at most ${max} items after validation, not ${length}`,
    ctx: { field_type: 'List', max_length: max, actual_length: length },
  });
  return {
    fine: [[], [example], ...(max === undefined ? [] : [Array.from({ length: max }, () => example)])],
    faults: [
      ...refuse(NOT_LIST, null, 5, true, 'a', '', {}, { 0: example }),
      ...faults.flatMap((fault) => [
        inside(0, fault, (value) => [value, example]),
        inside(2, fault, (value) => [example, example, value]),
      ]),
      {
        value: faults.slice(0, 3).map(({ value }) => value),
        entries: faults.slice(0, 3).flatMap((fault, index) => inside(index, fault, (value) => value).entries),
      },
      ...(max === undefined
        ? []
        : refuse(
            long(max + 1),
            Array.from({ length: max + 1 }, () => example),
          )),
    ],
  };
}

/** An object with fields; `example` is one that is fine. */
function object(fields: Record<string, Field>, example: Record<string, unknown>): Kind {
  const named = Object.entries(fields);
  const lacking = (names: string[]): Fault => {
    const value = Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)));
    return { value, entries: names.map((name) => ({ ...MISSING, at: [name], input: value })) };
  };
  const needed = named.filter(([, field]) => field.required).map(([name]) => name);
  return {
    fine: [example, { ...example, unknown: { a: [1] } }],
    faults: [
      ...refuse(NOT_OBJECT, null, 5, true, 's', [], [example]),
      ...named.flatMap(([name, { faults }]) =>
        faults.map((fault) => inside(name, fault, (value) => ({ ...example, [name]: value }))),
      ),
      ...(needed.length > 0 ? [...needed.map((name) => lacking([name])), lacking(needed)] : []),
    ],
  };
}

/** Texts by any keys. */
function texts(example: Record<string, string>): Kind {
  return {
    fine: [example],
    faults: [
      ...refuse(NOT_DICT, null, 5, true, 's', [], [example]),
      ...text().faults.map((fault) => inside('a/b', fault, (value) => ({ ...example, 'a/b': value }))),
      {
        value: { b: 1, 10: null, '': [], ok: 'ok', 2: {} },
        // Keys that look like indexes come first in the object that the test builds, and so in the JSON it sends.
        entries: (['2', '10', 'b', ''] as const).map((key) => ({
          ...NOT_STRING,
          at: [key],
          input: { b: 1, 10: null, '': [], 2: {} }[key],
        })),
      },
      ...refuse(UNSTORABLE, { ...example, 'a\0': 'x' }, { ...example, '\ud800': 'x' }),
    ],
  };
}

/** A query parameter that is an integer. */
function count({ min, max }: { min: number; max?: number }): Kind {
  const less = { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${min}`, ctx: { ge: min } };
  const more = { type: 'less_than_equal', msg: `Input should be less than or equal to ${max}`, ctx: { le: max } };
  return {
    fine: [
      String(min),
      `${min + 1}.0`,
      ' 5 ',
      '+5',
      '005',
      '1_0',
      ...(max === undefined ? ['9'.repeat(30)] : [String(max)]),
    ],
    faults: [
      ...refuse(
        NO_INTEGER_TEXT,
        'abc',
        '',
        ' ',
        'null',
        'true',
        '1.',
        '.5',
        '1.5',
        '1e3',
        '0x10',
        '1__0',
        '_1',
        'Infinity',
        '5;a=1',
        '١',
      ),
      ...refuse(less, String(min - 1), `${min - 1}.0`, '-5', '-99999999999999999999'),
      ...(max === undefined ? [] : refuse(more, String(max + 1), `${max + 1}.00`, '9'.repeat(30))),
    ],
  };
}

/** A query parameter that is a moment. */
function moment(): Kind {
  const wrong = (error: string, ...values: string[]): Fault[] =>
    refuse(
      { type: 'datetime_from_date_parsing', msg: `Input should be a valid datetime or date, ${error}`, ctx: { error } },
      ...values,
    );
  return {
    fine: [
      '2024-01-01',
      '2024-01-01T00:00',
      '2024-01-01 00:00:00.5',
      '2024-01-01T00:00:00+02:00',
      '2024-01-01T00:00:00Z',
      '1704067200',
    ],
    faults: [
      ...wrong('input is too short', '', 'x', 'null', '2024-1-1'),
      ...wrong('invalid character in year', 'abcd-01-01', ' 2024-01-01'),
      ...wrong('invalid character in month', '2024-0a-01'),
      ...wrong('invalid character in day', '2024-01-0a'),
      ...wrong('invalid date separator, expected `-`', '2024/01/01', '20240101T00'),
      ...wrong('month value is outside expected range of 1-12', '2024-13-01', '2024-00-01'),
      ...wrong('day value is outside expected range', '2023-02-29', '2024-01-32'),
      ...wrong(
        'unexpected extra characters at the end of the input',
        '2024-01-01T25:00:00Z',
        '2024-01-01T',
        '2024-01-01T00:00 00:00',
      ),
      ...wrong('dates after 9999 are not supported as unix timestamps', '999999999999999'),
    ],
  };
}

/** A query parameter that is text: whatever stands there is one. */
const word: Kind = { fine: [''], faults: refuse(UNSTORABLE, 'a\0') };

const source = required(choice(['workspace'], 'deployment', 'workspace', 'snapshot'));
const identifier = optional(orNull(text()));
/** `project_id` names the workspace here, so it cannot be null. */
const identifiers = {
  deployment_name: identifier,
  project_id: { ...identifier, fine: [] },
  snapshot_id: identifier,
};
const workspace = { source: 'workspace', project_id: '{project_id}' };
const path = required(text({ min: 1 }));
const name = text({ min: 1, max: 100, fine: [' '] });
const page = { limit: optional(count({ min: 1, max: 1000 })), offset: optional(count({ min: 0 })) };
const conversation = optional(word);

export const requests: Request[] = [
  { operation: 'List projects', method: 'GET', path: '/projects', part: 'query', valid: {}, fields: page },
  {
    operation: 'Update project',
    method: 'PATCH',
    path: '/projects/{project_id}',
    part: 'body',
    valid: {},
    fields: {
      name: optional(orNull(name)),
      description: optional(orNull(text({ fine: [''] }))),
      short_description: optional(orNull(text({ fine: [''] }))),
      workspace_mode: optional(orNull(choice(['define', 'run'], 'define', 'run'))),
    },
  },
  {
    operation: 'List solve executions',
    method: 'GET',
    path: '/projects/{project_id}/solve/executions',
    part: 'query',
    valid: {},
    fields: page,
  },
  {
    operation: 'Post chat message',
    method: 'POST',
    path: '/projects/{project_id}/chat',
    part: 'body',
    valid: { content: 'Hello' },
    fields: {
      content: required(text({ max: 100_000, fine: [''] })),
      conversation_id: optional(orNull(text())),
      client_msg_id: optional(orNull(text())),
      file_ids: optional(list(text(), 'a')),
      context: optional(
        list(object({ id: required(text()), type: required(text()) }, { id: 'a', type: 'b' }), { id: 'a', type: 'b' }),
      ),
      // What `selections` can be depends on the question that is open.
      answer: optional(orNull(object({ other_text: optional(text()) }, { other_text: 'a' }))),
    },
  },
  {
    operation: 'Get chat history',
    method: 'GET',
    path: '/projects/{project_id}/chat',
    part: 'query',
    valid: {},
    fields: { conversation_id: conversation, ...page },
  },
  {
    operation: 'Get chat sync',
    method: 'GET',
    path: '/projects/{project_id}/chat/sync',
    part: 'query',
    valid: {},
    fields: { conversation_id: conversation, limit: page.limit },
  },
  {
    operation: 'Put project skill',
    method: 'PUT',
    path: '/projects/{project_id}/skills/{skill}',
    part: 'body',
    valid: { files: { 'SKILL.md': 'A skill.' } },
    fields: { files: required(texts({ 'SKILL.md': 'A skill.' })) },
  },
  {
    operation: 'Pull agent config',
    method: 'POST',
    path: '/projects/{project_id}/agent-config/pull',
    part: 'body',
    valid: {},
    fields: { from_deployment: optional(text()), instructions: optional(boolean), skills: optional(boolean) },
  },
  {
    operation: 'Put deployment instructions',
    method: 'PUT',
    path: '/deployments/{name}/instructions',
    part: 'body',
    valid: { content: 'Instructions.' },
    fields: { content: required(text({ min: 1, fine: [' ', '😀'] })) },
  },
  { operation: 'List deployments', method: 'GET', path: '/deployments', part: 'query', valid: {}, fields: page },
  {
    operation: 'Create deployment',
    method: 'POST',
    path: '/deployments',
    part: 'body',
    valid: { name: 'A deployment' },
    fields: { name: required(name) },
  },
  {
    operation: 'Complete upload',
    method: 'POST',
    path: '/files/upload/complete',
    part: 'body',
    valid: { ...workspace, upload_token: 'none' },
    fields: {
      source,
      upload_token: required(text({ min: 1, fine: [' '] })),
      parts: optional(
        list(object({ etag: required(text()), part_number: required(integer) }, { etag: 'e', part_number: 1 }), {
          etag: 'e',
          part_number: 1,
        }),
      ),
      conversation_id: identifier,
      ...identifiers,
    },
  },
  {
    operation: 'Make directory',
    method: 'POST',
    path: '/files/mkdir',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path: required(text({ fine: [''] })), ...identifiers },
  },
  {
    operation: 'Read content',
    method: 'POST',
    path: '/files/content',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path, ...identifiers },
  },
  {
    operation: 'Delete file',
    method: 'POST',
    path: '/files/delete',
    part: 'body',
    valid: { ...workspace, path: 'a' },
    fields: { source, path, recursive: optional(boolean), conversation_id: identifier, ...identifiers },
  },
  {
    operation: 'Batch move',
    method: 'POST',
    path: '/files/batch-move',
    part: 'body',
    valid: { ...workspace, moves: [] },
    fields: {
      source,
      moves: required(
        list(
          object({ source_path: path, dest_path: path }, { source_path: 'a', dest_path: 'b' }),
          { source_path: 'a', dest_path: 'b' },
          { max: 1000 },
        ),
      ),
      ...identifiers,
    },
  },
  {
    operation: 'Batch delete',
    method: 'POST',
    path: '/files/batch-delete',
    part: 'body',
    valid: { ...workspace, paths: [] },
    fields: { source, paths: optional(list(text(), 'a', { max: 1000 })), ...identifiers },
  },
  {
    operation: 'List usage by user',
    method: 'GET',
    path: '/usage/users',
    part: 'query',
    valid: {},
    fields: { ...page, since: optional(moment()), until: optional(moment()) },
  },
];
