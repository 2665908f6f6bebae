import type { FormulaProblem } from '../formula.js';

/** Thrown to abort an expansion. */
export class ExpansionRefusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

/** @throws ExpansionRefusal */
export function refuse(problem: string, position?: number): never {
  throw new ExpansionRefusal({ problem, ...(position !== undefined && { position }) });
}
