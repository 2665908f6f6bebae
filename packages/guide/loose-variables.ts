import { listFirst } from '../modelling/index.js';
import type { LooseVariable } from '../canvas/index.js';
import { quote } from './quote.js';
import type { SketchCard } from './sketch.js';

const MAX_SHOWN = 5;

/** Formats a warning about a variable whose limits have no effect. */
export const describeLoose = ({ name, limits }: LooseVariable<SketchCard>): string =>
  `${quote(name, 60)} is only used to loosen a limit (${listFirst(
    limits.map((label) => quote(label, 60)),
    MAX_SHOWN,
  )}) and costs nothing, so the plan can make it as large as it needs and the limit has no effect. If it is a known value, write ${quote(`remove ${name}`)} and enter its numbers. If this is intended, write ${quote(`set ${name} confirmed: yes`)}.`;
