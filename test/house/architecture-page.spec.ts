import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { assertComplete } from '../support/hand-written-list.js';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

describe('docs/architecture.md', () => {
  it('shows all modules from the import rules in its first diagram', () => {
    const [, rows = ''] = /^const rows = \[\n(.*?)^\];/ms.exec(read('.dependency-cruiser.cjs')) ?? [];
    const modules = Array.from(rows.matchAll(/'([\w-]+)'/g), ([, name = '']) => name);
    const [, diagram = ''] = /```mermaid\n(.*?)```/s.exec(read('docs/architecture.md')) ?? [];
    const shown = Array.from(diagram.matchAll(/<b>([^<]+)<\/b>/g), ([, names = '']) => names.split(', ')).flat();
    expect(modules.length).toBeGreaterThan(15);
    assertComplete(
      'The first diagram of docs/architecture.md',
      shown.filter((name) => name !== 'packages'),
      modules,
    );
  });
});
