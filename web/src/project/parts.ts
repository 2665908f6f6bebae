import type { Schemas } from '@project-workspace/client';
import { type ComponentType, lazy } from 'react';

/** Props of every part of a project. */
export interface PartProps {
  project: Schemas['ProjectResponse'];
  /** Whether the user may change the project. */
  mayWrite: boolean;
}

/** Parts of a project other than the conversation. Each part is loaded when it is opened. */
export const PARTS = {
  canvas: { label: 'Canvas', component: lazy(async () => await import('../canvas/canvas-part')) },
  files: { label: 'Files', component: lazy(async () => await import('../files/files-part')) },
  runs: { label: 'Runs', component: lazy(async () => await import('../runs/runs-part')) },
} as const satisfies Record<string, { label: string; component: ComponentType<PartProps> }>;

export type PartName = keyof typeof PARTS;

export const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);

// The parts themselves import `pathOf` from `./paths`, because importing it from this file would create a cycle.
export { pathOf } from './paths';
