import type { Schemas } from '@project-workspace/client';

/** Returns the path of the workspace file that a data card reads, or an empty string. */
export const filePathOf = ({ card_type, data }: Pick<Schemas['CardResponse'], 'card_type' | 'data'>): string =>
  card_type === 'data' ? pathIn(data['file_path']) : '';

/** Returns the path of the file that a scenario uses instead of a set's file. Empty for other changes. */
export const filePathOfChange = ({ kind, to }: Schemas['ScenarioResponse']['changes'][number]): string =>
  kind === 'file' ? pathIn(to) : '';

/** Paths of workspace files may begin with a slash. */
const pathIn = (value: unknown): string =>
  typeof value === 'string' ? value.normalize('NFC').replace(/^\/+/, '') : '';
