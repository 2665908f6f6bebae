import type { CardContent, Checklist, FileStates } from '../canvas/index.js';
import type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from '../conversation/index.js';

/** The guide's input for a turn. */
export interface Turn {
  /** Latest part of the conversation, oldest message first. */
  messages: readonly Message[];
  workspace: WorkspaceSummary;
  /** Files attached to the messages to answer, by the id or path in the message. Missing files have no entry. */
  attachments: ReadonlyMap<string, WorkspaceFile>;
  changes: readonly WorkspaceChange[];
  cards: readonly StoredCard[];
  checklist: Checklist;
  /** Instructions and skills mounted for the turn. */
  configuration: { instructions: string | null; skills: readonly { name: string; scope: string }[] };
  /** Aborted when the turn ends. */
  signal: AbortSignal;
  /** Reads the files that data cards refer to. Files that are currently unavailable remain unread. */
  readFiles: (cards: readonly Pick<CardContent, 'card_type' | 'data'>[]) => Promise<FileStates>;
}

/** Card on the canvas. Cards of unknown types are ignored. */
export interface StoredCard {
  id: string;
  version: number;
  card_type: string;
  label: string;
  data: Record<string, unknown>;
}
