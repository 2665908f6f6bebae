import { TaskProblem } from '../../packages/data-engine/index.js';
import { type ErrorEntry, Invalid, invalidValue } from '../common/errors/errors.js';
import { TableProblem } from './table-reader.service.js';

type Location = ErrorEntry['loc'];

/** Locations of tables and queries in a request. */
export interface RequestPlaces {
  /** Location of the SQL statement or the structured query. */
  query: Location;
  /** Returns the locations of the table with this name, or of the only table without a name. */
  table: (name: string | undefined) => { file: Location; sheet: Location; dialect: Location };
}

/**
 * Converts a problem to an error entry at its location in the request.
 *
 * @param inputAt returns the value at a location in the request
 */
function toInvalid(problem: TaskProblem, places: RequestPlaces, inputAt: (place: Location) => unknown): Invalid {
  const { code, message, place } = problem;
  const { file, sheet, dialect } = places.table(problem instanceof TableProblem ? problem.table : undefined);
  const entry = (loc: Location): ErrorEntry => invalidValue(loc, message, inputAt(loc));
  switch (code) {
    case 'unreadable':
      return new Invalid([entry(file)]);
    case 'unknown_sheet':
      return new Invalid([entry(sheet)]);
    case 'invalid_dialect':
      return new Invalid([entry([...dialect, ...(place.loc ?? [])])]);
    case 'ragged_row':
      return new Invalid([
        { ...entry(file), ctx: { error: {}, row: place.row ?? null, column: place.column ?? null } },
      ]);
    case 'unknown_column':
    case 'invalid_query':
    case 'invalid_sql':
    case 'engine_failed':
      return new Invalid([entry([...places.query, ...(place.loc ?? [])])]);
    case 'query_timeout':
    case 'out_of_memory':
      return new Invalid([{ type: code, loc: places.query, msg: message, input: inputAt(places.query) }]);
  }
}

/** Runs the work and converts its problems with {@link toInvalid}. */
export async function explained<Value>(
  body: object,
  places: RequestPlaces,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TaskProblem)) throw error;
    throw toInvalid(error, places, (place) => valueAt(body, place));
  }
}

/** Returns the value at a location in a validated body, for an entry's `input`. */
function valueAt(body: object, [, ...steps]: Location): unknown {
  let value: unknown = body;
  for (const step of steps) {
    if (value instanceof Map) value = value.get(step);
    else if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[step];
    else break;
  }
  return value instanceof Map ? Object.fromEntries(value) : (value ?? null);
}
