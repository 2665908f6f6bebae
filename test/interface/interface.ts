/**
 * The documented interface, field by field, in the format of a FastAPI OpenAPI document. This file is written by hand
 * and never generated, because `openapi.json` is compared with it.
 *
 * "Design" in a comment marks a value that the documented interface leaves open and that this service has chosen.
 */
export type JsonSchema = Record<string, unknown>;

/** Property of a schema, or query parameter. */
export interface Field {
  schema: JsonSchema;
  required: boolean;
}

/** Properties of an object schema, or a component that is not an object (`enum`). */
export type Component = { fields: Record<string, Field> } | { schema: JsonSchema };

export interface Operation {
  name: string;
  method: 'get' | 'post' | 'put' | 'patch';
  /** Path of the operation. Each `{name}` in it is a required string parameter. */
  path: string;
  query: Record<string, Field>;
  /** Component of the request body. Omitted if the request has no body. */
  request?: string;
  /** Success status. */
  status: number;
  response: string;
}

interface StringBounds {
  minLength?: number;
  maxLength?: number;
}

const string = (bounds: StringBounds = {}): JsonSchema => ({ type: 'string', ...bounds });
const oneOf = (...values: string[]): JsonSchema => ({ type: 'string', enum: values });
const dateTime: JsonSchema = { type: 'string', format: 'date-time' };
const integer = (bounds: { minimum?: number; maximum?: number } = {}): JsonSchema => ({ type: 'integer', ...bounds });
const number: JsonSchema = { type: 'number' };
const boolean: JsonSchema = { type: 'boolean' };
const array = (items: JsonSchema, bounds: { maxItems?: number } = {}): JsonSchema => ({
  type: 'array',
  items,
  ...bounds,
});
const mapOf = (values: JsonSchema, bounds: { maxProperties?: number } = {}): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
  ...bounds,
});
/** Object with any keys. Used only where the interface says "free-form" (or, for summaries, "array of object"). */
const freeForm: JsonSchema = { type: 'object', additionalProperties: true };
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

const required = (schema: JsonSchema): Field => ({ schema, required: true });
const optional = (schema: JsonSchema, standard?: unknown): Field => ({
  schema: standard === undefined ? schema : { ...schema, default: standard },
  required: false,
});
/** Declares several fields with the same schema. */
const each = <Name extends string>(kind: typeof required, schema: JsonSchema, ...names: Name[]): Record<Name, Field> =>
  Object.fromEntries(names.map((name) => [name, kind(schema)])) as Record<Name, Field>;

/** Design: bounds and defaults of paginated listings. */
const page = {
  limit: optional(integer({ minimum: 1, maximum: 1000 }), 50),
  offset: optional(integer({ minimum: 0 }), 0),
};
const chatLimit = optional(integer({ minimum: 1, maximum: 1000 }), 200);
/** Design: negative offsets into the history are not allowed. */
const chatOffset = optional(integer({ minimum: 0 }), 0);
/** Design: limits for strings and lists from clients. */
const reference = string({ maxLength: 1_024 });
const conversation = optional(reference);
const label = string({ maxLength: 1_000 });

export const operations: Operation[] = [
  {
    name: 'List projects',
    method: 'get',
    path: '/api/v1/projects',
    query: page,
    status: 200,
    response: 'ProjectSummaryListResponse',
  },
  {
    name: 'Get project',
    method: 'get',
    path: '/api/v1/projects/{project_id}',
    query: {},
    status: 200,
    response: 'ProjectResponse',
  },
  {
    name: 'Update project',
    method: 'patch',
    path: '/api/v1/projects/{project_id}',
    query: {},
    request: 'ProjectUpdate',
    status: 200,
    response: 'ProjectResponse',
  },
  {
    name: 'List solve executions',
    method: 'get',
    path: '/api/v1/projects/{project_id}/solve/executions',
    query: page,
    status: 200,
    response: 'ExecutionListResponse',
  },
  {
    name: 'Post chat message',
    method: 'post',
    path: '/api/v1/projects/{project_id}/chat',
    query: {},
    request: 'ChatMessageCreate',
    status: 202,
    response: 'ChatResponse',
  },
  {
    name: 'Get chat history',
    method: 'get',
    path: '/api/v1/projects/{project_id}/chat',
    query: { conversation_id: conversation, limit: chatLimit, offset: chatOffset },
    status: 200,
    response: 'ChatMessageListResponse',
  },
  {
    name: 'Get chat sync',
    method: 'get',
    path: '/api/v1/projects/{project_id}/chat/sync',
    query: { conversation_id: conversation, limit: chatLimit },
    status: 200,
    response: 'ConversationSyncResponse',
  },
  {
    name: 'Put project skill',
    method: 'put',
    path: '/api/v1/projects/{project_id}/skills/{skill}',
    query: {},
    request: 'SkillWriteRequest',
    status: 200,
    response: 'SkillSummary',
  },
  {
    name: 'Get project skill',
    method: 'get',
    path: '/api/v1/projects/{project_id}/skills/{skill}',
    query: {},
    status: 200,
    response: 'ProjectSkillDetail',
  },
  {
    name: 'Pull agent config',
    method: 'post',
    path: '/api/v1/projects/{project_id}/agent-config/pull',
    query: {},
    request: 'AgentConfigPullRequest',
    status: 200,
    response: 'AgentConfigPullResponse',
  },
  {
    name: 'Put deployment instructions',
    method: 'put',
    path: '/api/v1/deployments/{name}/instructions',
    query: {},
    request: 'AgentInstructionsRequest',
    status: 200,
    response: 'AgentInstructionsResponse',
  },
  {
    name: 'List deployments',
    method: 'get',
    path: '/api/v1/deployments',
    query: page,
    status: 200,
    response: 'DeploymentListResponse',
  },
  {
    name: 'Create deployment',
    method: 'post',
    path: '/api/v1/deployments',
    query: {},
    request: 'DeploymentCreateRequest',
    // Design: apart from uploads, this is the only documented operation that creates a resource, and it returns 201.
    status: 201,
    response: 'DeploymentResponse',
  },
  {
    name: 'Complete upload',
    method: 'post',
    path: '/api/v1/files/upload/complete',
    query: {},
    request: 'UploadCompleteRequest',
    status: 200,
    response: 'FileEntry',
  },
  {
    name: 'Make directory',
    method: 'post',
    path: '/api/v1/files/mkdir',
    query: {},
    request: 'MkdirRequest',
    status: 200,
    response: 'MkdirResponse',
  },
  {
    name: 'Read content',
    method: 'post',
    path: '/api/v1/files/content',
    query: {},
    request: 'FileContentRequest',
    status: 200,
    response: 'FileContentResponse',
  },
  {
    name: 'Delete file',
    method: 'post',
    path: '/api/v1/files/delete',
    query: {},
    request: 'FileDeleteRequest',
    status: 200,
    response: 'DeleteResponse',
  },
  {
    name: 'Batch move',
    method: 'post',
    path: '/api/v1/files/batch-move',
    query: {},
    request: 'BatchMoveRequest',
    status: 200,
    response: 'BatchMoveResponse',
  },
  {
    name: 'Batch delete',
    method: 'post',
    path: '/api/v1/files/batch-delete',
    query: {},
    request: 'BatchDeleteRequest',
    status: 200,
    response: 'DeleteResponse',
  },
  {
    name: 'List usage by user',
    method: 'get',
    path: '/api/v1/usage/users',
    query: page,
    status: 200,
    response: 'UserUsageListResponse',
  },
];

/** Fields that every listing has: `limit`, `offset` and `total`. */
const listing = each(required, integer(), 'limit', 'offset', 'total');

/** Fields that select the container of a file operation. */
const container = {
  source: required(oneOf('deployment', 'workspace', 'snapshot')),
  ...each(optional, nullable(string()), 'deployment_name', 'project_id', 'snapshot_id'),
};
const path = required(string({ minLength: 1 }));
/** Design: maximum number of items in a batch. */
const batch = { maxItems: 1000 };

/** Fields that recorded tool calls and content segments have in common. All of them are nullable. */
const callDetails = {
  ...each(
    optional,
    nullable(string()),
    'card_id',
    'error',
    'error_code',
    'execution_source',
    'file_path',
    'owner_id',
    'owner_type',
    'panel_key',
    'parent_tool_use_id',
    'scope',
    'stream_id',
    'summary',
    'turn_id',
  ),
  ...each(optional, nullable(dateTime), 'completed_at', 'started_at'),
  ...each(optional, nullable(freeForm), 'error_details', 'input'),
  duration_ms: optional(nullable(integer())),
  children: optional(nullable(array(ref('ToolCallData')))),
  // The interface does not show the type of a tool call's result. It can be any JSON value, including null.
  result: optional({}),
};

export const components: Record<string, Component> = {
  HTTPValidationError: { fields: { detail: optional(array(ref('ValidationError'))) } },
  ValidationError: {
    fields: {
      loc: required(array({ anyOf: [{ type: 'string' }, { type: 'integer' }] })),
      msg: required(string()),
      type: required(string()),
      input: optional({}),
      ctx: optional({ type: 'object' }),
    },
  },

  FileEntry: {
    fields: {
      path: required(string()),
      size: required(integer()),
      content_type: optional(nullable(string())),
      modified: optional(nullable(dateTime)),
      source: optional(nullable(string())),
    },
  },
  CompletedPart: { fields: { etag: required(string()), part_number: required(integer()) } },
  MkdirResponse: { fields: { created: required(boolean), path: required(string()) } },
  BatchMoveResponse: { fields: { moved: required(integer()), errors: optional(array(ref('BatchMoveError'))) } },
  BatchMoveError: { fields: each(required, string(), 'error', 'source_path') },
  DeleteResponse: { fields: { deleted: required(integer()) } },
  FileContentResponse: { fields: each(optional, nullable(string()), 'text', 'base64', 'content_type') },
  // The interface lists the fields in the bodies of file operations, but the names of these seven types were chosen by
  // this service.
  UploadCompleteRequest: {
    fields: {
      ...container,
      upload_token: required(string({ minLength: 1 })),
      parts: optional(array(ref('CompletedPart'), { maxItems: 10_000 })),
      conversation_id: optional(nullable(string())),
    },
  },
  MkdirRequest: { fields: { ...container, path: required(string()) } },
  FileContentRequest: { fields: { ...container, path } },
  FileDeleteRequest: {
    fields: { ...container, path, recursive: optional(boolean), conversation_id: optional(nullable(string())) },
  },
  BatchMoveRequest: { fields: { ...container, moves: required(array(ref('MovePair'), batch)) } },
  MovePair: { fields: each(required, string({ minLength: 1 }), 'source_path', 'dest_path') },
  BatchDeleteRequest: { fields: { ...container, paths: optional(array(string(), batch)) } },

  ChatMessageCreate: {
    fields: {
      // Design: maximum length of a message.
      content: required(string({ maxLength: 100_000 })),
      conversation_id: optional(nullable(reference)),
      client_msg_id: optional(nullable(string({ maxLength: 100_000 }))),
      file_ids: optional(array(reference, { maxItems: 1_000 })),
      context: optional(array(ref('ContextRef'), { maxItems: 1_000 })),
      answer: optional(nullable(ref('AskUserQuestionAnswer'))),
    },
  },
  ContextRef: { fields: each(required, reference, 'id', 'type') },
  AskUserQuestionAnswer: {
    fields: {
      other_text: optional(string({ maxLength: 10_000 })),
      // Design: each value is a chosen label or an array of labels.
      selections: optional(mapOf({ anyOf: [label, array(label, { maxItems: 100 })] }, { maxProperties: 100 })),
    },
  },
  ChatResponse: {
    fields: { message: required(ref('ChatMessageResponse')), canvas_snapshot: optional(array(ref('CardResponse'))) },
  },
  CardResponse: {
    fields: {
      ...each(required, string(), 'id', 'project_id', 'card_type', 'label'),
      status: required(ref('CardStatus')),
      version: required(integer()),
      data: required(freeForm),
      gaps: required(array(ref('GapInfo'))),
      ...each(required, dateTime, 'created_at', 'updated_at'),
      instance_data: optional(freeForm),
    },
  },
  // Design: the interface defines the type name but not the values.
  CardStatus: { schema: oneOf('draft', 'needs_input', 'complete') },
  GapInfo: { fields: each(required, string(), 'field', 'message', 'severity') },
  ChatMessageResponse: {
    fields: {
      ...each(required, string(), 'id', 'project_id', 'content'),
      role: required(oneOf('user', 'assistant', 'system')),
      sequence: required(integer()),
      created_at: required(dateTime),
      affected_card_ids: required(array(string())),
      is_partial: optional(boolean),
      file_ids: optional(nullable(array(string()))),
      ...each(
        optional,
        nullable(string()),
        'conversation_id',
        'client_msg_id',
        'api_key_name',
        'api_key_prefix',
        'user_id',
        'user_name',
        'user_avatar_url',
      ),
      content_segments: optional(nullable(array(ref('ContentSegmentData')))),
      tool_calls: optional(nullable(array(ref('ToolCallData')))),
    },
  },
  ContentSegmentData: {
    fields: {
      ...callDetails,
      type: required(oneOf('text', 'tool_call', 'tool_summary', 'recording')),
      ...each(optional, nullable(string()), 'content', 'id', 'label', 'meeting_id', 'source', 'status', 'tool'),
      ...each(optional, nullable(integer()), 'failure_count', 'tool_count'),
      has_failures: optional(nullable(boolean)),
    },
  },
  ToolCallData: {
    fields: {
      ...callDetails,
      ...each(required, string(), 'id', 'tool'),
      status: required(oneOf('running', 'completed', 'failed', 'unknown')),
    },
  },
  ChatMessageListResponse: { fields: { ...listing, messages: required(array(ref('ChatMessageResponse'))) } },
  ConversationSyncResponse: {
    fields: {
      conversation_id: required(string()),
      messages: required(array(ref('ChatMessageResponse'))),
      turn: required(ref('TurnStateResponse')),
    },
  },
  TurnStateResponse: {
    fields: {
      state: required(oneOf('idle', 'dispatched', 'streaming')),
      ...each(optional, nullable(string()), 'message_id', 'turn_id'),
      next_seq: optional(integer(), 0),
    },
  },

  ProjectCreator: {
    fields: { ...each(required, string(), 'display_name', 'id'), avatar_url: optional(nullable(string())) },
  },
  CompletenessResponse: {
    fields: {
      all_constraints_classified: optional(boolean, false),
      all_variables_provided: optional(boolean, false),
      data_available: optional(boolean, false),
      kpis_defined: optional(boolean, false),
      objective_drafted: optional(boolean, false),
      objectives_defined: optional(boolean, false),
      production_requirements_defined: optional(boolean, false),
      feasibility_result: optional(oneOf('pass', 'fail', 'unchecked'), 'unchecked'),
      overall: optional(oneOf('incomplete', 'complete'), 'incomplete'),
    },
  },
  ProjectUpdate: {
    fields: {
      name: optional(nullable(string({ minLength: 1, maxLength: 100 }))),
      ...each(optional, nullable(string({ maxLength: 20_000 })), 'description', 'short_description'),
      workspace_mode: optional(nullable(oneOf('define', 'run'))),
    },
  },
  ProjectResponse: {
    fields: {
      ...each(required, string(), 'id', 'name'),
      ...each(required, nullable(string()), 'description', 'short_description'),
      ...each(required, dateTime, 'created_at', 'updated_at'),
      created_by: optional(nullable(ref('ProjectCreator'))),
      completeness: optional(ref('CompletenessResponse')),
      objective_components: optional(array(freeForm), []),
      objective_confirmed: optional(boolean, false),
      ...each(
        optional,
        nullable(string()),
        'current_snapshot_id',
        'objective_description',
        'objective_type',
        'origin_deployment_handle',
        'run_setup_status',
      ),
      total_credits: optional(number, 0),
      workspace_mode: optional(oneOf('define', 'run'), 'define'),
    },
  },
  ProjectSummary: {
    fields: {
      ...each(required, string(), 'id', 'name'),
      ...each(required, dateTime, 'created_at', 'updated_at'),
      created_by: optional(nullable(ref('ProjectCreator'))),
      card_count: optional(integer()),
      completeness: optional(ref('CompletenessResponse')),
      objective_components: optional(array(freeForm)),
      objective_confirmed: optional(boolean),
      total_credits: optional(number),
      ...each(optional, string(), 'status', 'workspace_mode'),
    },
  },
  ProjectSummaryListResponse: { fields: { ...listing, projects: required(array(ref('ProjectSummary'))) } },

  SkillWriteRequest: { fields: { files: required(mapOf(string(), { maxProperties: 200 })) } },
  SkillSummary: { fields: { ...each(required, string(), 'name', 'description'), files: required(array(string())) } },
  ProjectSkillDetail: {
    fields: {
      scope: optional(oneOf('project', 'deployment')),
      // Design: fields that the interface does not show.
      ...each(required, string(), 'name', 'description'),
      files: required(mapOf(string())),
      shadows: required(boolean),
    },
  },
  AgentInstructionsRequest: { fields: { content: required(string({ minLength: 1 })) } },
  AgentInstructionsResponse: { fields: { content: required(string()) } },
  AgentConfigPullRequest: {
    fields: {
      from_deployment: optional(reference),
      instructions: optional(boolean, true),
      skills: optional(boolean, true),
    },
  },
  AgentConfigPullResponse: { fields: { from_deployment: optional(string()), objects: optional(integer()) } },

  DeploymentResponse: {
    fields: {
      ...each(required, string(), 'id', 'name', 'handle'),
      ...each(required, dateTime, 'created_at', 'updated_at'),
    },
  },
  DeploymentCreateRequest: { fields: { name: required(string({ minLength: 1, maxLength: 100 })) } },
  DeploymentListResponse: { fields: { ...listing, deployments: required(array(ref('DeploymentResponse'))) } },

  UserUsageListResponse: {
    fields: {
      ...listing,
      users: required(array(ref('UserUsageResponse'))),
      ...each(optional, dateTime, 'since', 'until'),
    },
  },
  // Design: which fields are required or nullable, and the type name of the totals.
  UserUsageResponse: {
    fields: {
      ...each(required, string(), 'user_id', 'display_name'),
      email: required(nullable(string())),
      totals: required(ref('UsageTotals')),
    },
  },
  UsageTotals: { fields: { credits: required(number) } },

  ExecutionResponse: {
    fields: {
      ...each(required, string(), 'id', 'project_id', 'status', 'triggered_by'),
      created_at: required(dateTime),
      input_file_ids: optional(nullable(array(string()))),
      is_test: optional(boolean),
    },
  },
  ExecutionListResponse: { fields: { ...listing, executions: required(array(ref('ExecutionResponse'))) } },
};

/** Titles that differ from the property name in title case. */
export const titles: Record<string, string> = {
  'ValidationError.loc': 'Location',
  'ValidationError.msg': 'Message',
  'ValidationError.type': 'Error Type',
  'ValidationError.ctx': 'Context',
};
