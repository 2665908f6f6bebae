import { Badge, createTheme, type CSSVariablesResolver } from '@mantine/core';

/** Fonts of the system: nothing is loaded. The shade of filled buttons is dark enough for white text on it. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 8,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: { Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 550 } }) },
});

/** Quiet text is still read: at least 4.5 to 1 against what is behind it. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-red-text': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
