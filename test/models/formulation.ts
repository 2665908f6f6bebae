import type { CsvRow, Dialect } from '../support/csv.js';
import type { Program } from '../support/program.js';

/** The rows of a file in the folder of a problem; a sheet is a file in the folder that is called like its workbook. */
export type ReadTable = (file: string, dialect?: Dialect) => CsvRow[];

/** Builds the program of a problem from its data alone. */
export type Formulation = (read: ReadTable) => Program;
