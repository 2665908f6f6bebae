import type { z } from 'zod';

/** Refines a value with a function that returns the problem as a phrase, or undefined if the value is valid. */
export const refusing =
  <Value>(problemOf: (value: Value) => string | undefined) =>
  (value: Value, context: z.core.$RefinementCtx<Value>): void => {
    const message = problemOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
