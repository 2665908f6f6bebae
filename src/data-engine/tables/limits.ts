/** Most columns of a table. */
export const MAX_COLUMNS = 2_000;
/** Most bytes of a cell, in UTF-8. */
export const MAX_CELL_BYTES = 1024 ** 2;
/** Most bytes of a row, in the file. */
export const MAX_ROW_BYTES = 16 * 1024 ** 2;
/** Most rows of a table. */
export const MAX_ROWS = 100_000_000;
