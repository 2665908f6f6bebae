import type { Schemas } from '@project-workspace/client';
import { type ComponentType, lazy } from 'react';

/** What each part of a project is given. */
export interface PartProps {
  project: Schemas['ProjectResponse'];
  /** Whether the one who is signed in may change something in it. */
  mayWrite: boolean;
}

/** What is made in a project, beside the conversation; each is loaded when it is opened. */
export const PARTS = {
  canvas: { label: 'Canvas', component: lazy(async () => await import('../canvas/canvas-part')) },
  files: { label: 'Files', component: lazy(async () => await import('../files/files-part')) },
  runs: { label: 'Runs', component: lazy(async () => await import('../runs/runs-part')) },
} as const satisfies Record<string, { label: string; component: ComponentType<PartProps> }>;

export type PartName = keyof typeof PARTS;

export const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);

// Parts import it from there: a part must not import what names all parts.
export { pathOf } from './paths';
