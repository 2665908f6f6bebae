declare const checked: unique symbol;

/**
 * An id of which a look-up has proved that it is there and whose it is. Repositories make them, by answering rows; what a
 * client has sent is a plain string. So what takes one cannot be reached with an id that nobody has looked at.
 */
type CheckedId<Resource extends string> = string & { readonly [checked]: Resource };

export type ProjectId = CheckedId<'Project'>;
export type ConversationId = CheckedId<'Conversation'>;
export type CardId = CheckedId<'Card'>;
export type ExecutionId = CheckedId<'Execution'>;
export type ScenarioId = CheckedId<'Scenario'>;
export type UploadId = CheckedId<'Upload'>;

/** Where a walk through all ids begins. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
