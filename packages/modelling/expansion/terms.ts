/** Terms of many rows, stored by column: term k is `coefficients[k]` times the variable `columns[k]` in the row `rows[k]`. */
export class Terms {
  rows: Int32Array;
  columns: Int32Array;
  coefficients: Float64Array;
  size = 0;

  /** @param isMerged whether terms are sorted by row, with each variable at most once per row and without coefficients of 0 */
  constructor(
    capacity: number,
    public isMerged = false,
  ) {
    this.rows = new Int32Array(capacity);
    this.columns = new Int32Array(capacity);
    this.coefficients = new Float64Array(capacity);
  }

  push(row: number, column: number, coefficient: number): void {
    const at = this.size;
    this.rows[at] = row;
    this.columns[at] = column;
    this.coefficients[at] = coefficient;
    this.size = at + 1;
  }
}

/** Linear expression in each row of a frame. */
export interface Linear {
  constants: Float64Array;
  /** Merged terms. Absent for constants. */
  terms?: Terms;
}

/** Concatenates several lists of terms. */
export function concatenated(lists: readonly Terms[]): Terms {
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  const all = new Terms(lists.reduce((sum, { size }) => sum + size, 0));
  for (const { rows, columns, coefficients, size } of lists) {
    all.rows.set(rows.subarray(0, size), all.size);
    all.columns.set(columns.subarray(0, size), all.size);
    all.coefficients.set(coefficients.subarray(0, size), all.size);
    all.size += size;
  }
  return all;
}

/**
 * Sorts terms by row and combines the terms of each variable. Drops terms with a coefficient of 0. Variables keep the order of
 * their first occurrence in the row. Coefficients are added in their original order.
 *
 * @param places scratch array with -1 for each variable. It is restored before the function returns
 * @returns the terms, and the index of each row's first term followed by the total number of terms
 */
export function merged(terms: Terms, rows: number, places: Int32Array): { terms: Terms; starts: Int32Array } {
  const order = byRow(terms, rows);
  const result = new Terms(terms.size, true);
  const starts = new Int32Array(rows + 1);
  let at = 0;
  for (let row = 0; row < rows; row += 1) {
    const start = result.size;
    starts[row] = start;
    for (; at < terms.size && terms.rows[order[at]!] === row; at += 1) {
      const column = terms.columns[order[at]!]!;
      const coefficient = terms.coefficients[order[at]!]!;
      const place = places[column]!;
      if (place >= 0) {
        result.coefficients[place]! += coefficient;
      } else {
        places[column] = result.size;
        result.push(row, column, coefficient);
      }
    }
    for (let place = start; place < result.size; place += 1) places[result.columns[place]!] = -1;
    dropZeros(result, start);
  }
  starts[rows] = result.size;
  return { terms: result, starts };
}

/** Returns the indexes of the terms, sorted by row. The sort is stable. */
function byRow({ rows, size }: Terms, count: number): Int32Array {
  const next = startsOf({ rows, size }, count);
  const order = new Int32Array(size);
  for (let at = 0; at < size; at += 1) order[next[rows[at]!]!++] = at;
  return order;
}

/** Returns the index of each row's first term, followed by the total number of terms. Terms must be sorted by row. */
export function startsOf({ rows, size }: Pick<Terms, 'rows' | 'size'>, count: number): Int32Array {
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < size; at += 1) starts[rows[at]! + 1]! += 1;
  for (let row = 0; row < count; row += 1) starts[row + 1]! += starts[row]!;
  return starts;
}

/** Drops terms with a coefficient of 0, starting at `from`. */
function dropZeros(terms: Terms, from: number): void {
  let kept = from;
  for (let at = from; at < terms.size; at += 1) {
    if (terms.coefficients[at] === 0) continue;
    terms.columns[kept] = terms.columns[at]!;
    terms.rows[kept] = terms.rows[at]!;
    terms.coefficients[kept] = terms.coefficients[at]!;
    kept += 1;
  }
  terms.size = kept;
}

/** Multiplies the terms of each row in place. */
export function scale(terms: Terms, scales: Float64Array): void {
  const { rows, coefficients, size } = terms;
  let zeros = 0;
  for (let at = 0; at < size; at += 1) {
    coefficients[at]! *= scales[rows[at]!]!;
    if (coefficients[at] === 0) zeros += 1;
  }
  // Terms with a coefficient of 0 are dropped, so that a row without other terms is a constant and may be used as a divisor.
  if (zeros > 0) dropZeros(terms, 0);
}

/** Negates terms in place. */
export function negate({ coefficients, size }: Terms): void {
  for (let at = 0; at < size; at += 1) coefficients[at] = -coefficients[at]!;
}
