import type { KeyboardEvent } from 'react';

/**
 * Properties of a list of choices in a form: Enter there chooses, and never sends the form, although the list says of a choice
 * that it is marked before Enter chooses it.
 */
export const choosing = {
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key === 'Enter') event.preventDefault();
  },
};
