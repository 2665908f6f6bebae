import type { DateOrder } from '../tasks.js';
import type { DateForm } from './date-forms.js';

/** How the texts of a column become values. */
export type Reading =
  | { type: 'text' | 'boolean' | 'json' }
  | { type: 'integer' | 'number'; decimal: '.' | ','; thousands: string; isPercent: boolean }
  | { type: 'date'; form: DateForm }
  | { type: 'timestamp'; form: DateForm; hasZone: boolean; hasHalf: boolean }
  | { type: 'time'; hasHalf: boolean };

/** How the columns of a table are read, and what several readings fit. */
export interface TableReadings {
  readings: Reading[];
  decimal: '.' | ',';
  thousands: string;
  date_order: DateOrder | null;
  uncertain: ('decimal' | 'date_order')[];
}
