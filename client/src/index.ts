export type { Call, CallOptions, CallResult } from './calls.js';
export { type ClientOptions, WorkspaceClient } from './client.js';
export type { Conversation, FollowOptions, NewMessage } from './conversation.js';
export type { ChatMessage, ConversationState } from './conversation-state.js';
export type { TokenSource } from './credentials.js';
export { newId } from './transport.js';
export type { DownloadOptions, DownloadProgress } from './download.js';
export { ERROR_CODES, type ErrorCode, type ErrorStatus } from './error-codes.js';
export {
  AuthenticationError,
  BadRequestError,
  BudgetExhaustedError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  InsufficientStorageError,
  InternalServerError,
  NotFoundError,
  PreconditionFailedError,
  ServiceError,
  TooLargeError,
  TooManyRequestsError,
  UnavailableError,
  type ValidationEntry,
  ValidationError,
} from './errors.js';
export type { Execution, WaitOptions } from './executions.js';
export type { components, operations, paths } from './openapi.js';
export type { ItemOf, ListOptions, ListPath } from './listing.js';
export type { ProjectEventsOptions, Resync } from './project-events.js';
export type { Following, Retry, RetryPolicy } from './retry.js';
export type { ChatEvent, ProjectEvent, Schemas } from './schemas.js';
export {
  FileChangedError,
  type UploadOptions,
  type UploadProgress,
  type UploadState,
  type UploadTarget,
} from './upload.js';
export { verifyWebhook, type WebhookHeaders, type WebhookOptions, WebhookVerificationError } from './webhooks.js';
