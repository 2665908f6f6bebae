declare const checked: unique symbol;

/**
 * Id of an existing resource whose owner was verified by a query. Repositories create these ids from rows. Ids sent by clients
 * are plain strings, so unchecked ids cannot reach a function that takes a `CheckedId`.
 */
type CheckedId<Resource extends string> = string & { readonly [checked]: Resource };

export type ProjectId = CheckedId<'Project'>;
export type ConversationId = CheckedId<'Conversation'>;
export type CardId = CheckedId<'Card'>;
export type ExecutionId = CheckedId<'Execution'>;
export type ScenarioId = CheckedId<'Scenario'>;
export type UploadId = CheckedId<'Upload'>;

/** Start value for iterating over all ids in ascending order. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
