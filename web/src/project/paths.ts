import type { PartName } from './parts';

/** Where a part of a project is; without a name: its conversation. */
export const pathOf = (projectId: string, part?: PartName): string =>
  part === undefined ? `/projects/${projectId}` : `/projects/${projectId}/${part}`;
