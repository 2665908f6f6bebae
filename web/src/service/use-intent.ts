import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { Intents } from './intents';

/** Headers for the requests of an action. */
export type IntentHeaders = Record<'idempotency-key', string>;

type Options<Result, Action> = Omit<UseMutationOptions<Result, Error, Action>, 'mutationFn'> & {
  mutationFn: (action: Action, headers: IntentHeaders) => Promise<Result>;
};

/**
 * Mutation that is sent once, even if the user presses its button repeatedly. Retries of the same action reuse the idempotency
 * key. Pass everything that affects the requests to `mutate`.
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
      if (intents.tryBegin(args[0])) send(...args);
    },
    [intents, send],
  );
  return { ...mutation, mutate };
}

/** Returns the headers for one of several requests of an action. */
export const headersOfPart = (headers: IntentHeaders, part: number): IntentHeaders => ({
  'idempotency-key': `${headers['idempotency-key']}-${part}`,
});
