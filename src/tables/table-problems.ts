import { TaskProblem } from '../../packages/data-engine/index.js';
import { type ErrorEntry, Invalid, invalidValue } from '../common/errors/errors.js';
import { TableProblem } from './table-reader.service.js';

type Place = ErrorEntry['loc'];

/** Where in a request something is said of tables. */
export interface RequestPlaces {
  /** The statement or the structured query. */
  query: Place;
  /** The table of that name; without a name, the only one. */
  table: (name: string | undefined) => { file: Place; sheet: Place; dialect: Place };
}

/**
 * What a client is told of a problem: an entry at the place of the request that it is of.
 *
 * @param inputAt the value that the request has at a place
 */
function toInvalid(problem: TaskProblem, places: RequestPlaces, inputAt: (place: Place) => unknown): Invalid {
  const { code, message, place } = problem;
  const { file, sheet, dialect } = places.table(problem instanceof TableProblem ? problem.table : undefined);
  const entry = (loc: Place): ErrorEntry => invalidValue(loc, message, inputAt(loc));
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

/** Does the work and tells its problems as {@link toInvalid} does. */
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

/** What a validated body has at a place, for an entry's `input`. */
function valueAt(body: object, [, ...steps]: Place): unknown {
  let value: unknown = body;
  for (const step of steps) {
    if (value instanceof Map) value = value.get(step);
    else if (typeof value === 'object' && value !== null) value = (value as Record<string, unknown>)[step];
    else break;
  }
  return value instanceof Map ? Object.fromEntries(value) : (value ?? null);
}
