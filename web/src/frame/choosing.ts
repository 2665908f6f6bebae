import type { KeyboardEvent } from 'react';

/**
 * Properties of a list of choices in a form: Enter there chooses, and never sends the form, although the list says of a choice
 * that it is marked before Enter chooses it. An Autocomplete takes what is typed and has no need of it.
 */
export const choosing = {
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key === 'Enter') event.preventDefault();
  },
};
