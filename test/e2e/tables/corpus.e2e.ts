import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testRun } from '../../support/run.js';

const COMMAND = 'test/corpus/corpus.mjs';
const hasPython =
  spawnSync(process.env['PYTHON'] ?? 'python3', ['-c', 'import pandas, openpyxl, pyarrow']).status === 0;

interface Report {
  totals: Record<string, number>;
  results: { name: string; outcome: string; detail?: string }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(testRun().directory, 'corpus-'));
  await mkdir(join(folder, 'tables', 'below'), { recursive: true });
  const files = {
    'good.csv': 'city;price\nOslo;1.234,5\nLyon;0,25\n',
    'below/lines.ndjson': '{"a":1,"b":"x"}\n{"a":2}\n',
    'ragged.csv': 'a,b\n1,2\n3,4,5\n6,7\n',
    'empty.csv': '',
    // The service converts this value to a time, but the other reader returns the string.
    'zone.json': '[{"at":"2025-03-14T00:00:00+02:00"}]',
    'notes.md': 'no table',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'tables', name), text);
});
afterAll(() => rm(folder, { recursive: true }));

function run(...args: string[]) {
  const { PATH, HOME, PYTHON } = process.env;
  const env = { PATH, HOME, ...(PYTHON !== undefined && { PYTHON }) };
  return spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env: { ...env } });
}

async function reportOf(...args: string[]): Promise<{ output: string; status: number | null; report: Report }> {
  const file = join(folder, 'report.json');
  const { stdout, stderr, status } = run(join(folder, 'tables'), '--report', file, ...args);
  if (status === null || stderr !== '') throw new Error(stderr);
  return { output: stdout, status, report: JSON.parse(await readFile(file, 'utf8')) as Report };
}

describe('the corpus command', () => {
  it('reports the outcome for each file in a folder, including rejections and differences from another reader', async () => {
    const { output, status, report } = await reportOf();
    const [read, differs] = hasPython ? ['same', 'differs'] : ['read', 'read'];
    expect(status).toBe(0);
    expect(report.totals).toEqual(hasPython ? { same: 2, differs: 1, refused: 2 } : { read: 3, refused: 2 });
    const outcomes = Object.fromEntries(report.results.map(({ name, ...result }) => [name, result]));
    expect(outcomes).toMatchObject({
      'good.csv': { outcome: read },
      'below/lines.ndjson': { outcome: read },
      'ragged.csv': { outcome: 'refused', detail: expect.stringContaining('Row 3 has 3 cells') },
      'empty.csv': { outcome: 'refused', detail: 'the file is empty' },
      'zone.json': { outcome: differs },
    });
    if (hasPython) expect(outcomes['zone.json']?.detail).toMatch(/^row 1 of the data, column "at": .*, other reader /);
    expect(output).toContain('5 files: ');
    expect(output.includes('NOT COMPARED')).toBe(!hasPython);
  }, 120_000);

  it('explains its arguments if no folder is given', () => {
    const { status, stderr } = run();
    expect(status).toBe(2);
    expect(stderr).toContain('Usage: npm run test:corpus -- <folder>');
  });
});
