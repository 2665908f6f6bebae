/** Most columns of a table. */
export const MAX_COLUMNS = 2_000;
/** Most tables of a statement. */
export const MAX_TABLES = 20;
/** Longest statement, in characters; nobody writes more by hand. */
export const MAX_SQL = 100_000;
/** Most rows of an answer. */
export const MAX_ANSWER_ROWS = 10_000;
/** Most bytes of a cell, in UTF-8. */
export const MAX_CELL_BYTES = 1024 ** 2;
/** Most bytes of a row, in the file. */
export const MAX_ROW_BYTES = 16 * 1024 ** 2;
/** Most bytes of a table that has to be written anew as text: what a file says once may stand for much. */
export const MAX_TEXT_BYTES = 2 * 1024 ** 3;
/** Most rows of a table. */
export const MAX_ROWS = 100_000_000;
/** Number of digits that a double always holds. */
export const MAX_DIGITS = 15;
