import type { CardContent, Checklist, FileStates } from '../canvas/index.js';
import type { Message, WorkspaceChange, WorkspaceFile, WorkspaceSummary } from '../conversation/index.js';

/** Everything that the guide knows when a turn starts. */
export interface Turn {
  /** The newest part of the conversation, oldest message first. */
  messages: readonly Message[];
  workspace: WorkspaceSummary;
  /** The files of the messages to answer, by the id or path that names them. Those that do not exist are missing. */
  attachments: ReadonlyMap<string, WorkspaceFile>;
  changes: readonly WorkspaceChange[];
  cards: readonly StoredCard[];
  checklist: Checklist;
  /** What is mounted for the turn. */
  configuration: { instructions: string | null; skills: readonly { name: string; scope: string }[] };
  /** Aborted when the turn is over. */
  signal: AbortSignal;
  /** Reads the files that data cards name. Files that cannot be read now stay unread. */
  readFiles: (cards: readonly Pick<CardContent, 'card_type' | 'data'>[]) => Promise<FileStates>;
}

/** A card of the canvas. Cards of unknown types are left alone. */
export interface StoredCard {
  id: string;
  version: number;
  card_type: string;
  label: string;
  data: Record<string, unknown>;
}
