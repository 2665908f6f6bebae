import '@mantine/core/styles.css';
import './frame/page.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { Boundary } from './frame/boundary';
import { cssVariables, theme } from './frame/theme';

const root = document.getElementById('page');
if (root === null) throw new Error('index.html has no element with the id "page"');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Boundary>
        <App />
      </Boundary>
    </MantineProvider>
  </StrictMode>,
);
