import type { QuestionAnswer } from './ask-user-question.js';
import type { ToolCall } from './tool-call.js';

/** Message in a conversation, as passed to an agent. */
export interface Message {
  role: 'user' | 'assistant' | 'system';
  content: string;
  user_name: string | null;
  tool_calls: ToolCall[];
  /** Choices that the user sent with the message. */
  answer: QuestionAnswer | null;
  /** Ids or paths of workspace files. */
  file_ids: string[];
  /** Other objects that the message refers to. */
  context: { id: string; type: string }[];
  /** Whether this turn answers the message. */
  to_answer: boolean;
  /** Id of the turn that wrote the message or answers it. */
  turn_id?: string | null;
  /** The agent's text and tool calls, in order. */
  parts?: (string | ToolCall)[];
}

/** File that the conversation added or removed since the previous turn. */
export interface WorkspaceChange {
  kind: 'uploaded' | 'deleted';
  path: string;
}

/** Top level of the workspace. `total` counts all entries, but the lists may be truncated. */
export interface WorkspaceSummary {
  directories: string[];
  files: WorkspaceFile[];
  total: number;
}

export interface WorkspaceFile {
  path: string;
  /** Size in bytes. */
  size: number;
}
