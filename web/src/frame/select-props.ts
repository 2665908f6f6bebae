import type { KeyboardEvent } from 'react';

/**
 * Props for a Select in a form. Enter only selects an option and never submits the form. Without these props, Enter could
 * submit the form, because Select may highlight an option before Enter can select it. An Autocomplete accepts any typed text
 * and does not need these props.
 */
export const selectProps = {
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key === 'Enter') event.preventDefault();
  },
};
