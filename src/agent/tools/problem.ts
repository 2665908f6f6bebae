import type { z } from 'zod';

/** A check of a value by a function that answers what is wrong with it in words; undefined is fine. */
export const refusing =
  <Value>(problemOf: (value: Value) => string | undefined) =>
  (value: Value, context: z.core.$RefinementCtx<Value>): void => {
    const message = problemOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
