import { strToU8, zipSync } from 'fflate';

/*
 * Builders for small documents. Text is inserted unchanged. The caller must avoid XML markup and, in a PDF, characters
 * outside Latin-1.
 */

/** Returns a ZIP archive with the given parts. */
export const makeArchive = (parts: Record<string, string | Uint8Array>, level: 0 | 9 = 9): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
      ),
      { level },
    ),
  );

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Returns a `.rels` part that refers to targets by id and type. */
const relations = (entries: [id: string, type: string, target: string][]): string =>
  `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

export const paragraph = (text: string): string => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
export const table = (rows: string[][]): string =>
  `<w:tbl><w:tblPr/>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc><w:tcPr/>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

/** Returns the parts of a DOCX file whose body is the given WordprocessingML. */
export const docxParts = (body: string): Record<string, string> => ({
  '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
  '_rels/.rels': relations([['rId1', 'officeDocument', 'word/document.xml']]),
  'word/document.xml':
    `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
    `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>${body}</w:body></w:document>`,
});

/** Cell value. Strings become shared strings, and `{ xml }` is the complete cell element. */
type Cell = string | number | { xml: string };

/**
 * Returns the parts of an XLSX file with the given sheets. Style 1 is a date, and style 2 is a date in a custom format.
 */
export function xlsxParts(sheets: Record<string, Cell[][]>): Record<string, string> {
  const texts: string[] = [];
  const cell = (value: Cell): string => {
    if (typeof value === 'object') return value.xml;
    if (typeof value === 'number') return `<c><v>${value}</v></c>`;
    return `<c t="s"><v>${texts.push(value) - 1}</v></c>`;
  };
  const names = Object.keys(sheets);
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const bodies = Object.values(sheets).map(
    (rows, index) =>
      [
        `xl/worksheets/sheet${index + 1}.xml`,
        `${XML}<worksheet ${main}><sheetData>${rows
          .map((cells) => `<row>${cells.map(cell).join('')}</row>`)
          .join('')}</sheetData></worksheet>`,
      ] as const,
  );
  return {
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${XML}<workbook ${main} xmlns:r="${RELATIONS}"><sheets>${names
      .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, index): [string, string, string] => [
        `rId${index + 1}`,
        'worksheet',
        `worksheets/sheet${index + 1}.xml`,
      ]),
      ['rIdTexts', 'sharedStrings', 'sharedStrings.xml'],
      ['rIdStyles', 'styles', '/xl/styles.xml'],
    ]),
    ...Object.fromEntries(bodies),
    'xl/sharedStrings.xml': `${XML}<sst ${main}>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/styles.xml':
      `${XML}<styleSheet ${main}><numFmts><numFmt numFmtId="164" formatCode="dd&quot;.&quot;mm\\.yyyy hh:mm"/></numFmts>` +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  };
}

/** PDF object: a dictionary, or a stream with additional dictionary entries. */
type PdfObject = string | { stream: Uint8Array; entries?: string };

/** Returns a PDF with the given numbered objects. Object 1 is the catalog. */
export function makePdf(objects: ReadonlyMap<number, PdfObject>, trailer = ''): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets = new Map<number, number>();
  let length = 9;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const [number, object] of objects) {
    offsets.set(number, length);
    add(Buffer.from(`${number} 0 obj\n`));
    if (typeof object === 'string') add(Buffer.from(object, 'latin1'));
    else {
      add(Buffer.from(`<< /Length ${object.stream.length} ${object.entries ?? ''} >>\nstream\n`));
      add(Buffer.from(object.stream));
      add(Buffer.from('\nendstream'));
    }
    add(Buffer.from('\nendobj\n'));
  }
  const start = length;
  const size = Math.max(...objects.keys()) + 1;
  const lines = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  add(Buffer.from(`xref\n0 ${size}\n${lines.join('')}`));
  add(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(pieces);
}

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
export const pdfPage = (contents: string): string =>
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> ' +
  `/Contents ${contents} >>`;

/**
 * Returns the objects of a PDF whose pages have the given content streams. Page n is object 10 + 2n, and its content is
 * the preceding object.
 */
export function pdfObjects(pages: (string | { stream: Uint8Array; entries?: string })[]): Map<number, PdfObject> {
  const kids = pages.map((_, index) => `${12 + 2 * index} 0 R`);
  const objects = new Map<number, PdfObject>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`],
    [3, FONT],
  ]);
  pages.forEach((page, index) => {
    const content = typeof page === 'string' ? { stream: Buffer.from(page, 'latin1') } : page;
    objects.set(11 + 2 * index, content);
    objects.set(12 + 2 * index, pdfPage(`${11 + 2 * index} 0 R`));
  });
  return objects;
}

/** Returns a PDF with a single line in a font that is not embedded and uses the given character map. */
export function eastAsianPdf(font: string, ordering: string, characterMap: string, line: Uint8Array): Buffer {
  const objects = pdfObjects([`BT /F1 10 Tf 50 780 Td <${Buffer.from(line).toString('hex')}> Tj ET`]);
  objects.set(
    3,
    `<< /Type /Font /Subtype /Type0 /BaseFont /${font} /Encoding /${characterMap} /DescendantFonts [4 0 R] >>`,
  );
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  objects.set(
    4,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${font} /CIDSystemInfo ${system} /DW 1000 /FontDescriptor 5 0 R >>`,
  );
  objects.set(
    5,
    `<< /Type /FontDescriptor /FontName /${font} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 ` +
      '/Descent -200 /CapHeight 700 /StemV 80 >>',
  );
  return makePdf(objects);
}

/** Returns the operators that draw the lines from top to bottom. The cells of a line are 150 points apart. */
export const shown = (lines: string[][]): string =>
  lines
    .flatMap((cells, line) =>
      cells.map((cell, index) => `BT /F1 10 Tf ${50 + 150 * index} ${780 - 14 * line} Td (${cell}) Tj ET`),
    )
    .join('\n');
