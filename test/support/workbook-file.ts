import { strToU8, zipSync } from 'fflate';

/** Cell value, or the XML of the cell. */
export type SheetCell = string | number | boolean | null | { xml: string };

const STYLES = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1">
<numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/>
<xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="10"/></cellXfs></styleSheet>`;
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns a number cell with a style: 1 for a date, 2 for a date and time, 3 for a time, 4 for a percentage. */
export const styled = (value: number, style: 1 | 2 | 3 | 4): SheetCell => ({
  xml: `<c s="${style}"><v>${value}</v></c>`,
});

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function cellXml(cell: SheetCell): string {
  if (cell === null) return '<c/>';
  if (typeof cell === 'object') return cell.xml;
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c t="b"><v>${Number(cell)}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

export interface WorkbookParts {
  /** Shared strings for cells such as `<c t="s"><v>0</v></c>`. */
  shared?: string[];
  startsIn1904?: boolean;
  /** Names of hidden sheets. */
  hidden?: string[];
  /** Parts that replace generated parts, by name. */
  parts?: Record<string, string>;
}

/**
 * Returns an XLSX file with the given sheets. Each sheet is an array of rows that starts at row 1. Undefined rows are
 * omitted.
 */
export function workbookFile(
  sheets: Record<string, (SheetCell[] | undefined)[]>,
  { shared = [], startsIn1904 = false, hidden = [], parts = {} }: WorkbookParts = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships><Relationship Id="r" Type="${TYPE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns:r="${TYPE}"><workbookPr date1904="${Number(startsIn1904)}"/><sheets>${names
      .map((name, index) => {
        const state = hidden.includes(name) ? 'state="hidden"' : '';
        return `<sheet name="${escaped(name)}" sheetId="${index + 1}" ${state} r:id="s${index}"/>`;
      })
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names
      .map(
        (_, index) => `<Relationship Id="s${index}" Type="${TYPE}/worksheet" Target="worksheets/sheet${index}.xml"/>`,
      )
      .join('')}<Relationship Id="t" Type="${TYPE}/sharedStrings" Target="sharedStrings.xml"/>
<Relationship Id="y" Type="${TYPE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': STYLES,
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
  };
  for (const [index, rows] of Object.values(sheets).entries()) {
    const xml = rows.map((row, at) =>
      row === undefined ? '' : `<row r="${at + 1}">${row.map(cellXml).join('')}</row>`,
    );
    files[`xl/worksheets/sheet${index}.xml`] = `<worksheet><sheetData>${xml.join('')}</sheetData></worksheet>`;
  }
  return zipSync(
    Object.fromEntries(Object.entries({ ...files, ...parts }).map(([name, text]) => [name, strToU8(text)])),
  );
}
