import { expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';

const files = new TableFiles();

it.each([
  ['03/04/2025', '05/06/2025'],
  ['3.4.2025', '13.4.2025'],
  ['03-04-2025', '05-06-2025'],
  ['2025/03/04', '2025/05/06'],
  ['2025-3-4', '2025-5-6'],
  ['14-Mar-2025', '1-Dec-2024'],
  ['9:30', '10:15'],
  ['9:30 PM', '12:05am'],
  [' 2025-03-14', '2025-03-15'],
])('keeps the JSON string %s as text', async (first, second) => {
  const table = await files.convert(JSON.stringify([{ date: first }, { date: second }]), 'json');
  expect(table).toMatchObject({ columns: ['date text'], rows: [[first], [second]] });
});

it.each([
  ['2025-03-14', 'date', '2025-03-14'],
  ['2025-03-14T09:30', 'timestamp', '2025-03-14T09:30:00'],
  ['2025-03-14T09:30:15.25', 'timestamp', '2025-03-14T09:30:15.25'],
  ['2025-03-14T09:30:00Z', 'timestamp', '2025-03-14T09:30:00'],
  ['2025-03-14T09:30:00+02:00', 'timestamp', '2025-03-14T07:30:00'],
  ['2025-03-14 09:30:00', 'timestamp', '2025-03-14T09:30:00'],
  ['09:30', 'time', '09:30:00'],
  ['20250314', 'date', '2025-03-14'],
])('reads the JSON string %s as an ISO 8601 date or time', async (text, type, value) => {
  const table = await files.convert(JSON.stringify([{ date: text, n: 1 }]), 'json');
  expect(table).toMatchObject({ columns: [`date ${type}`, 'n integer'], rows: [[value, 1]] });
});
