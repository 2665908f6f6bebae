import type { TextAnswer, TextTask } from '../tasks.js';
import type { WorkbookCell } from '../sheet-cells.js';
import { Workbook } from '../workbook.js';
import { BoundedText } from './bounded-text.js';

/**
 * Returns the rows of an XLSX file, with tabs between cells. Each sheet starts with a line such as `--- sheet Costs ---`. Rows
 * and sheets without values are left out. Numbers are written as stored, not as displayed. Dates are ISO 8601. A formula
 * without a stored result appears as `=A1+B1`.
 *
 * @throws TaskProblem `unknown_sheet`, `unreadable`
 */
export async function xlsxText(task: TextTask, signal?: AbortSignal): Promise<TextAnswer> {
  const workbook = await Workbook.open(task.from, signal);
  try {
    const text = new BoundedText(task.maxBytes);
    for (const sheet of task.sheet === undefined ? workbook.sheets : [task.sheet]) {
      if (text.isCut) break;
      let isEmpty = true;
      const row = (_number: number, cells: (WorkbookCell | undefined)[]): void => {
        if (isEmpty) text.add(`--- sheet ${sheet} ---\n`);
        isEmpty = false;
        text.add(`${cells.map(cellText).join('\t')}\n`);
      };
      // In a shared formula, only the first cell contains the formula text.
      const formulaText = (formula: string): string => `=${formula === '' ? '(shared formula)' : formula}`;
      await workbook.read(sheet, { row, isDone: () => text.isCut, formulaText }, signal);
    }
    return { text: text.toString(), truncated: text.isCut, pages: null, sheets: workbook.sheets };
  } finally {
    workbook.close();
  }
}

function cellText(cell: WorkbookCell | undefined): string {
  if (cell === undefined) return '';
  // Excel shows at most 15 digits, so the rounding error of 0.1 + 0.2 is dropped.
  if (typeof cell === 'number') return String(Number(cell.toPrecision(15)));
  if (typeof cell === 'object') return 'date' in cell ? cell.date.replace('T', ' ') : cell.error;
  return String(cell).trim().replace(/\s+/g, ' ');
}
