import '@mantine/core/styles.css';
import './frame/page.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { Boundary } from './frame/boundary';
import { readable, theme } from './frame/theme';

const place = document.getElementById('page');
if (place === null) throw new Error('index.html has no element with the id "page"');
createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={readable} defaultColorScheme="auto">
      <Boundary>
        <App />
      </Boundary>
    </MantineProvider>
  </StrictMode>,
);
