import type { PartName } from './parts';

/** Returns the URL of a project part. Default: the conversation. */
export const pathOf = (projectId: string, part?: PartName): string =>
  part === undefined ? `/projects/${projectId}` : `/projects/${projectId}/${part}`;
