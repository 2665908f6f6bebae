import type { Reading, Statement, TableComputation } from './statement.js';
import { without } from './words.js';

/*
 * Reads questions about tables in files: `show demand.csv`, `how many rows has demand.csv`,
 * `sum of quantity by region in demand.csv`. The file name at the end, which a sheet may follow, distinguishes these questions
 * from statements about the model.
 */

const QUOTES = `"'\``;
const ENDING = /\.(?:csv|tsv|tab|txt|json|ndjson|jsonl|parquet|xlsx|xlsm)["'`]?$/i;
const SHEET = ' sheet ';

const SHOW =
  /^(?:show|describe|open|preview|what is in|what does)(?: me)?(?: the)?(?: (?:file|table|columns of|rows of|data in))? /i;
const ROWS =
  /^(?:how many (?:rows|lines|records)(?: (?:has|are in|are there in|does|in|of))?|(?:count|number of)(?: the)? (?:rows|lines|records) (?:in|of)|rows (?:in|of))(?: the)?(?: file)? /i;
const COMPUTED: readonly [Exclude<TableComputation['function'], 'count'>, RegExp][] = [
  [
    'count_distinct',
    /^(?:what is the |how many |the )?(?:number of )?(?:different|distinct)(?: values of)?(?: the)? /i,
  ],
  ['sum', /^(?:what is the |the )?(?:sum|total)(?: of)?(?: the)? /i],
  ['avg', /^(?:what is the |the )?(?:average|mean|avg)(?: of)?(?: the)? /i],
  ['min', /^(?:what is the |the )?(?:minimum|lowest|least|smallest|min)(?: of)?(?: the)? /i],
  ['max', /^(?:what is the |the )?(?:maximum|highest|greatest|largest|max)(?: of)?(?: the)? /i],
];
const BY = / (?:by|per|for each|in each) /i;
const BEFORE_FILE = [' in ', ' of ', ' from '];

type TableStatement = Extract<Statement, { kind: 'table' }>;

/** Reads a question about a table. Returns undefined for other text. */
export function readTableQuestion(text: string): Reading | undefined {
  const said = without(text, ' .?!').replace(/ (?:contain|hold|have|has)$/i, '');
  const at = said.toLowerCase().lastIndexOf(SHEET);
  const sheet = at < 0 ? undefined : without(said.slice(at + SHEET.length).trim(), QUOTES);
  const question = at < 0 ? said : without(said.slice(0, at), ' ,');
  if (!ENDING.test(question)) return undefined;
  const about = (path: string): TableStatement => ({
    kind: 'table',
    of: { path: without(path.trim(), QUOTES), ...(sheet !== undefined && { sheet }) },
  });
  const rows = ROWS.exec(question);
  if (rows !== null) return { statement: { ...about(question.slice(rows[0].length)), compute: { function: 'count' } } };
  for (const [name, beginning] of COMPUTED) {
    const match = beginning.exec(question);
    if (match === null) continue;
    const rest = question.slice(match[0].length);
    const end = Math.max(...BEFORE_FILE.map((word) => rest.toLowerCase().lastIndexOf(word)));
    if (end < 0) continue;
    const [column = '', by] = rest.slice(0, end).split(BY, 2);
    const path = rest.slice(rest.indexOf(' ', end + 1)).replace(/^ (?:the )?(?:file )?/i, '');
    const compute = { function: name, column: bare(column), ...(by !== undefined && { by: bare(by) }) };
    return { statement: { ...about(path), compute } };
  }
  const show = SHOW.exec(question);
  return show === null ? undefined : { statement: about(question.slice(show[0].length)) };
}

const bare = (name: string): string => without(name.trim(), QUOTES);
