import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { Intents } from './intents';

/** Headers of the requests of one action. */
export type IntentHeaders = Record<'idempotency-key', string>;

type Options<Result, Action> = Omit<UseMutationOptions<Result, Error, Action>, 'mutationFn'> & {
  mutationFn: (action: Action, headers: IntentHeaders) => Promise<Result>;
};

/**
 * A mutation that is sent once, however often people press its button, and that stays the same when they retry it. `mutate` takes
 * everything that its requests depend on.
 */
export function useIntent<Result, Action = void>({ mutationFn, ...options }: Options<Result, Action>) {
  const [intents] = useState(() => new Intents());
  const mutation: UseMutationResult<Result, Error, Action> = useMutation({
    ...options,
    mutationFn: async (action) => {
      let hasSucceeded = false;
      try {
        const result = await mutationFn(action, { 'idempotency-key': intents.key });
        hasSucceeded = true;
        return result;
      } finally {
        intents.end(hasSucceeded);
      }
    },
  });
  const { mutate: send } = mutation;
  const mutate: typeof send = useCallback(
    (...args) => {
      if (intents.begins(args[0])) send(...args);
    },
    [intents, send],
  );
  return { ...mutation, mutate };
}

/** Headers of one of several requests of an action. */
export const headersOfPart = (headers: IntentHeaders, part: number): IntentHeaders => ({
  'idempotency-key': `${headers['idempotency-key']}-${part}`,
});
