export { ASK_USER_QUESTION, type Question, type QuestionAnswer, questionsOf } from './ask-user-question.js';
export type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from './message.js';
export type { ToolCall } from './tool-call.js';
