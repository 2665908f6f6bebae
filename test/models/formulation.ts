import type { CsvRow, Dialect } from '../support/csv.js';
import type { Program } from '../support/program.js';

/** Returns the rows of a file in a problem's folder. A sheet is a file in a folder named after its workbook. */
export type ReadTable = (file: string, dialect?: Dialect) => CsvRow[];

/** Builds the program for a problem from its data alone. */
export type Formulation = (read: ReadTable) => Program;
