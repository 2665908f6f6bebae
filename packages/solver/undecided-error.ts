/** Thrown if the solver found neither a plan nor a proof that none exists. The message is for users. */
export class UndecidedError extends Error {}
