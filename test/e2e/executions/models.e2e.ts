import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import type { ExecutionListResponse } from '../../../src/executions/executions.dto.js';
import type { FileContentResponse } from '../../../src/files/files.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Formulation, ReadTable } from '../../models/formulation.js';
import type { Client } from '../../support/client.js';
import { readCsv } from '../../support/csv.js';
import { member } from '../../support/program.js';
import { useSharedService } from '../../support/service.js';
import { type SheetCell, workbookFile } from '../../support/workbook-file.js';

const FOLDER = 'test/models';
const TOLERANCE = 1e-6;
/** Timeout in milliseconds for a few turns, uploads and a solve on a busy machine. */
const TIMEOUT = 60_000;

/** Problems in the table of test/models/README.md, with their known optima. */
const PROBLEMS = Array.from(
  readFileSync(`${FOLDER}/README.md`, 'utf8').matchAll(/^\| \[(?<name>[\w-]+)\].* (?<optimum>[\d.]+) \|$/gm),
  ({ groups }) => ({ name: groups?.['name'] ?? '', optimum: groups?.['optimum'] ?? '' }),
);

interface Solved {
  status: string;
  result: {
    status: string;
    objective_value: number;
    variables: Record<string, number>;
    table_paths: string[];
  };
}

const service = useSharedService();
let glpk: GLPK;
beforeAll(async () => {
  glpk = await Glpk();
});

/** Returns the data files of a problem by path. */
function dataFiles(problem: string): Map<string, Uint8Array> {
  const folder = `${FOLDER}/${problem}`;
  const files = new Map<string, Uint8Array>();
  const workbooks = new Map<string, Record<string, SheetCell[][]>>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.[ct]sv$/.test(path)) continue;
    const content = readFileSync(`${folder}/${path}`);
    const { workbook, sheet } = /^(?<workbook>.+\.xlsx)\/(?<sheet>.+)\.csv$/.exec(path)?.groups ?? {};
    if (workbook === undefined || sheet === undefined) files.set(path, content);
    else workbooks.set(workbook, { ...workbooks.get(workbook), [sheet]: cellsOf(content) });
  }
  for (const [path, sheets] of workbooks) files.set(path, workbookFile(sheets));
  return files;
}

/** Returns the cells in a sheet. Numeric cells become numbers. */
const cellsOf = (content: Uint8Array): SheetCell[][] =>
  Buffer.from(content)
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => (/^-?[\d.]+$/.test(cell) ? Number(cell) : cell)));

/** Posts the statements of a problem in a project that contains its files. Returns the solved execution. */
async function plan(client: Client, project: string, problem: string): Promise<Solved> {
  for (const [path, content] of dataFiles(problem))
    await makeFile(client, { source: 'workspace', project_id: project }, path, content);
  let answers = '';
  for (const content of readFileSync(`${FOLDER}/${problem}/statements.txt`, 'utf8').trim().split('\n\n')) {
    await client.post(`/projects/${project}/chat`, { content });
    const { messages } = await idle(client, project);
    answers += messages.at(-1)?.content;
  }
  const { executions } = await client.get<ExecutionListResponse>(`/projects/${project}/solve/executions`);
  const [newest] = executions;
  if (newest === undefined) throw new Error(`Nothing was solved: ${answers}`);
  expect(answers).not.toMatch(/could not use|no room/);
  return await client.get<Solved>(`/projects/${project}/solve/executions/${newest.id}`);
}

/**
 * Returns all values of a plan. Values of members come from the result tables, and all other values from the result.
 */
async function valuesOf(
  client: Client,
  project: string,
  { variables, table_paths }: Solved['result'],
): Promise<Map<string, number>> {
  const families = new Map<string, Map<string, number>>();
  for (const path of table_paths) {
    const name = /(?<name>[^/]+)\.csv$/.exec(path)?.groups?.['name'] ?? '';
    if (name === 'constraints') continue;
    const place = { source: 'workspace', project_id: project, path };
    const { text } = await client.post<FileContentResponse>('/files/content', place);
    const [titles = ''] = (text ?? '').split('\n');
    // The last two columns are value and reduced_cost.
    const keys = titles.split(',').slice(0, -2);
    const rows = readCsv(Buffer.from(text ?? ''));
    families.set(
      name,
      new Map(rows.map((row) => [member(name, ...keys.map((key) => row.text(key))), row.figure('value')])),
    );
  }
  const scalars = Object.entries(variables).filter(([name]) => !families.has(name));
  return new Map([...scalars, ...[...families.values()].flatMap((family) => [...family])]);
}

/** Returns the relative difference between two numbers. */
const distance = (one: number, other: number): number => Math.abs(one - other) / Math.max(1, Math.abs(other));

describe('planning problems', () => {
  it('are all documented in test/models/README.md', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(PROBLEMS.map(({ name }) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
    expect(PROBLEMS.length).toBeGreaterThanOrEqual(12);
  });

  it.each(PROBLEMS)(
    'include $name with the optimum $optimum and a feasible plan',
    async ({ name, optimum }) => {
      const { formulate } = (await import(`../../models/${name}/independent.js`)) as { formulate: Formulation };
      const read: ReadTable = (file, dialect) => readCsv(readFileSync(`${FOLDER}/${name}/${file}`), dialect);
      const program = formulate(read);
      const best = program.optimum(glpk);
      // Compares only the digits that the table contains.
      expect(best.toFixed(optimum.split('.')[1]?.length ?? 0)).toBe(optimum);

      const { client } = await service.session();
      const { id } = await makeProject(client);
      const { status, result } = await plan(client, id, name);
      expect({ status, result: result.status }).toEqual({ status: 'succeeded', result: 'optimal' });
      expect(distance(result.objective_value, best)).toBeLessThanOrEqual(TOLERANCE);

      const values = await valuesOf(client, id, result);
      expect(distance(program.objectiveOf(glpk, values, TOLERANCE), best)).toBeLessThanOrEqual(TOLERANCE);
    },
    TIMEOUT,
  );
});
