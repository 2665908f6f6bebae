/** Maximum number of columns in a table. */
export const MAX_COLUMNS = 2_000;
/** Maximum number of tables in a statement. */
export const MAX_TABLES = 20;
/** Maximum number of characters in a statement. Handwritten statements are shorter. */
export const MAX_SQL = 100_000;
/** Maximum number of rows in a query result. */
export const MAX_ANSWER_ROWS = 10_000;
/** Maximum size of a cell in UTF-8 bytes. */
export const MAX_CELL_BYTES = 1024 ** 2;
/** Maximum size of a row in a file, in bytes. */
export const MAX_ROW_BYTES = 16 * 1024 ** 2;
/** Maximum size, in bytes, of a table that must be rewritten as text. The text can be much larger than the original file. */
export const MAX_TEXT_BYTES = 2 * 1024 ** 3;
/** Maximum number of rows in a table. */
export const MAX_ROWS = 100_000_000;
/** Number of decimal digits that a double always holds exactly. */
export const MAX_DIGITS = 15;
