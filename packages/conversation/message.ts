import type { QuestionAnswer } from './ask-user-question.js';
import type { ToolCall } from './tool-call.js';

/** One message of a conversation, as an agent sees it. */
export interface Message {
  role: 'user' | 'assistant' | 'system';
  content: string;
  user_name: string | null;
  tool_calls: ToolCall[];
  /** The choice that a user sent with the message. */
  answer: QuestionAnswer | null;
  /** Ids or paths of workspace files. */
  file_ids: string[];
  /** What the message was written about. */
  context: { id: string; type: string }[];
  /** Whether it is one of the messages that this turn answers. */
  to_answer: boolean;
  /** The turn that answers or wrote the message. */
  turn_id?: string | null;
  /** Texts and calls of the agent in their order. */
  parts?: (string | ToolCall)[];
}

/** A file that came or went in the name of the conversation since the previous turn. */
export interface WorkspaceChange {
  kind: 'uploaded' | 'deleted';
  path: string;
}

/** The top of the workspace. `total` counts all entries, the lists may be cut. */
export interface WorkspaceSummary {
  directories: string[];
  files: WorkspaceFile[];
  total: number;
}

export interface WorkspaceFile {
  path: string;
  /** In bytes. */
  size: number;
}
