import type { DateOrder } from '../tasks.js';
import { type DateForm, DAY_FIRST_FORMS, DOTTED_FORMS, formBit, MONTH_FIRST_FORMS } from './date-forms.js';

/** Rule for converting a column's text to values. */
export type Reading =
  | { type: 'text' | 'boolean' | 'json' }
  | { type: 'integer' | 'number'; decimal: '.' | ','; thousands: string; isPercent: boolean }
  | { type: 'date'; form: DateForm }
  | { type: 'timestamp'; form: DateForm; hasZone: boolean; hasHalf: boolean }
  | { type: 'time'; hasHalf: boolean };

/** Decimal separator, thousands separator and date order of a table. */
interface TableSigns {
  /** Null if the columns differ. This also applies to `thousands`. */
  decimal: '.' | ',' | null;
  thousands: string | null;
  /** Null if no column has dates, or if the columns differ. */
  date_order: DateOrder | null;
}

/** Readings of the columns, and the table settings that were ambiguous. */
export interface TableReadings extends TableSigns {
  readings: Reading[];
  uncertain: ('decimal' | 'date_order')[];
}

/**
 * Describes the decimal separator, the thousands separator and the date order of all columns. Sending the description back as
 * options gives the same table.
 *
 * @param decimal decimal separator for a table without numbers
 */
export function signsOf(
  readings: readonly Reading[],
  decimal: '.' | ',',
): TableSigns & { uncertain: TableReadings['uncertain'] } {
  const numbers = readings.filter((reading) => 'thousands' in reading);
  const hasSign = (reading: Reading): boolean =>
    reading.type === 'number' || ('thousands' in reading && reading.thousands !== '');
  const decimals = new Set(numbers.filter(hasSign).map((reading) => reading.decimal));
  const thousands = new Set(numbers.map((reading) => reading.thousands).filter(Boolean));
  const orders = new Set(readings.flatMap((reading) => ('form' in reading ? orderOf(reading.form) : [])));
  return {
    decimal: singleValue(decimals, decimal),
    thousands: decimals.size > 1 ? null : singleValue(thousands, ''),
    date_order: singleValue(orders, null),
    uncertain: [
      ...(decimals.size > 1 ? (['decimal'] as const) : []),
      ...(orders.size > 1 ? (['date_order'] as const) : []),
    ],
  };
}

function singleValue<Value>(values: ReadonlySet<Value>, none: Value | null): Value | null {
  const [first] = values;
  return values.size > 1 ? null : (first ?? none);
}

function orderOf(form: DateForm): DateOrder[] {
  if ((formBit(form) & MONTH_FIRST_FORMS) !== 0) return ['month_first'];
  return (formBit(form) & (DAY_FIRST_FORMS | DOTTED_FORMS)) !== 0 ? ['day_first'] : [];
}
