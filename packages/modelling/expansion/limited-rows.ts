import { type Frame, passing, pick } from './frame.js';
import type { Rows } from './relations.js';
import { Terms } from './terms.js';

/** Removes the rows without a bound. They do not limit anything. */
export function limitedRows(rows: Rows, frame: Frame): { rows: Rows; frame: Frame } {
  const { terms, starts, lower, upper, decisions } = rows;
  const mask = Uint8Array.from(lower, (bound, row) => (bound === -Infinity && upper[row] === Infinity ? 0 : 1));
  if (!mask.includes(0)) return { rows, frame };
  const kept = passing(mask);
  const keptTerms = new Terms(terms.size, terms.isMerged);
  const keptStarts = new Int32Array(kept.length + 1);
  for (const [at, row] of kept.entries()) {
    for (let place = starts[row]!; place < starts[row + 1]!; place += 1)
      keptTerms.push(at, terms.columns[place]!, terms.coefficients[place]!);
    keptStarts[at + 1] = keptTerms.size;
  }
  const keptBounds = (bounds: Float64Array): Float64Array => Float64Array.from(kept, (row) => bounds[row]!);
  return {
    rows: {
      terms: keptTerms,
      starts: keptStarts,
      lower: keptBounds(lower),
      upper: keptBounds(upper),
      ...(decisions !== undefined && {
        decisions: decisions.map(({ variables, value }) => ({
          variables: Int32Array.from(kept, (row) => variables[row]!),
          value,
        })),
      }),
    },
    frame: pick(frame, kept),
  };
}
