import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  docxParts,
  makeArchive,
  makePdf,
  paragraph,
  pdfObjects,
  pdfPage,
  shown,
  table,
  xlsxParts,
} from '../../../test/support/documents.js';
import type { TextAnswer, TextTask } from '../tasks.js';
import { documentText } from './text.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

type Options = Partial<Omit<TextTask, 'kind' | 'from' | 'format'>>;

let files = 0;
async function read(format: TextTask['format'], bytes: Uint8Array, options: Options = {}): Promise<TextAnswer> {
  const from = join(folder, String((files += 1)));
  await writeFile(from, bytes);
  return await documentText({ kind: 'text', from, format, maxBytes: 1_000_000, ...options });
}
const refusal = async (format: TextTask['format'], bytes: Uint8Array, options?: Options): Promise<unknown> =>
  await read(format, bytes, options).then(
    () => 'read',
    ({ code, message }: { code?: string; message: string }) => `${code ?? 'fault'}: ${message}`,
  );

const refuses = async (format: TextTask['format'], bytes: Uint8Array, sentence: string): Promise<void> => {
  expect(await refusal(format, bytes)).toBe(`unreadable: ${sentence}`);
};

describe('PDF text extraction', () => {
  const three = makePdf(
    pdfObjects([
      shown([['\xdcbersicht der Nachfrage'], ['Gr\xf6\xdfe 12,50 \x80']]),
      '0 0 100 100 re f',
      shown([
        ['Product', 'Hours', 'Price'],
        ['Oak chair', '1.5', '45.00'],
        ['Pine table', '3.25', '120.00'],
      ]),
    ]),
  );

  it('returns the pages line by line, with tabs between table cells', async () => {
    expect(await read('pdf', three)).toEqual({
      text:
        '--- page 1 ---\nÜbersicht der Nachfrage\nGröße 12,50 €\n' +
        '--- page 3 ---\nProduct\tHours\tPrice\nOak chair\t1.5\t45.00\nPine table\t3.25\t120.00\n',
      truncated: false,
      pages: 3,
      sheets: null,
    });
  });

  it('returns a range of pages and rejects a range beyond the last page', async () => {
    const page = async (first: number, last: number) => (await read('pdf', three, { pages: { first, last } })).text;
    expect(await page(1, 1)).toBe('--- page 1 ---\nÜbersicht der Nachfrage\nGröße 12,50 €\n');
    expect(await page(2, 2)).toBe('');
    expect(await page(3, 99)).toMatch(/^--- page 3 ---\nProduct/);
    expect(await refusal('pdf', three, { pages: { first: 4, last: 4 } })).toBe(
      'unreadable: The PDF has 3 pages, so there is no page 4',
    );
  });

  it('splits ligatures into letters and keeps rotated text on one line', async () => {
    const map =
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def 1 begincodespacerange <00> <ff> ' +
      'endcodespacerange 3 beginbfchar <41> <fb01> <42> <0066> <43> <fb04> endbfchar endcmap end end';
    const objects = pdfObjects([
      'BT /F1 20 Tf 50 700 Td <42414243> Tj ET BT /F1 10 Tf 0 1 -1 0 500 100 Tm <424242> Tj ET',
    ]);
    objects.set(
      3,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R /FirstChar 65 /LastChar 67 /Widths [500 300 800] >>',
    );
    objects.set(5, { stream: Buffer.from(map) });
    expect((await read('pdf', makePdf(objects))).text).toMatch(/^--- page 1 ---\nffifffl\nfff\n$/);
  });

  it('returns filled form fields below the text of their page', async () => {
    const objects = pdfObjects([shown([['Order']]), '']);
    const fields = [
      ['/FT /Tx /T (qty) /TU (Quantity) /V (12)', '/FT /Tx /T (note) /V ()', '/FT /Tx /Ff 8192 /T (pin) /V (1234)'],
      [
        '/FT /Btn /T (express) /V /Yes /AS /Yes /AP << /N << /Yes 9 0 R /Off 9 0 R >> >>',
        '/FT /Btn /T (gift) /V /Off /AS /Off /AP << /N << /Yes 9 0 R /Off 9 0 R >> >>',
        '/FT /Ch /T (wood) /Opt [[(o) (Oak)] [(p) (Pine)]] /V (p)',
      ],
    ];
    objects.set(9, { stream: Buffer.alloc(0), entries: '/Type /XObject /Subtype /Form /BBox [0 0 9 9]' });
    for (const [page, entries] of fields.entries()) {
      const number = 12 + 2 * page;
      const widgets = entries.map((entry) => `<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] ${entry} >>`).join(' ');
      objects.set(number, pdfPage(`${number - 1} 0 R /Annots [${widgets}]`));
    }
    objects.set(1, '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] >> >>');
    expect((await read('pdf', makePdf(objects))).text).toBe(
      '--- page 1 ---\nOrder\nQuantity: 12\n--- page 2 ---\nexpress: Yes\nwood: Pine\n',
    );
  });

  it('truncates text only between characters', async () => {
    const { text, truncated } = await read('pdf', three, { maxBytes: 16 });
    expect([text, truncated]).toEqual(['--- page 1 ---\n', true]);
    expect((await read('pdf', three, { maxBytes: 17 })).text).toBe('--- page 1 ---\nÜ');
  });

  it('rejects files that are broken, encrypted or not PDF', async () => {
    await refuses('pdf', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'The file is not a PDF');
    await refuses('pdf', Buffer.alloc(0), 'The file is not a PDF');
    await refuses('pdf', three.subarray(0, 60), 'The PDF is broken');
    const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) >>`;
    await refuses(
      'pdf',
      makePdf(pdfObjects(['']), `${lock} /ID [(0123456789abcdef) (0123456789abcdef)]`),
      'The PDF needs a password',
    );
  });

  it('does not hang on cyclic or extremely deep structures', async () => {
    const loop = makePdf(
      new Map([
        [1, '<< /Type /Catalog /Pages 2 0 R >>'],
        [2, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>'],
      ]),
    );
    await refuses('pdf', loop, 'The PDF is broken');
    const deep = new Map([[1, '<< /Type /Catalog /Pages 2 0 R >>']]);
    for (let at = 2; at < 20_000; at += 1) deep.set(at, `<< /Type /Pages /Kids [${at + 1} 0 R] /Count 1 >>`);
    deep.set(20_000, pdfPage('[]'));
    expect(await refusal('pdf', makePdf(deep))).toMatch(/^read$|^unreadable: /);
    const self = pdfObjects(['/X Do /X Do']);
    self.set(
      12,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Contents 11 0 R >>',
    );
    self.set(5, {
      stream: Buffer.from('/X Do /X Do'),
      entries: '/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X 5 0 R >> >>',
    });
    expect((await read('pdf', makePdf(self))).text).toBe('');
  });

  it('ignores scripts in the document', async () => {
    const objects = pdfObjects([shown([['plain']])]);
    objects.set(1, '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>');
    expect((await read('pdf', makePdf(objects))).text).toBe('--- page 1 ---\nplain\n');
  });

  it('returns at most 1,000 of 2,000 pages at a time and the remaining pages by range', async () => {
    const objects = pdfObjects(Array.from({ length: 2_000 }, () => ''));
    const bytes = makePdf(objects);
    expect(await read('pdf', bytes)).toEqual({ text: '', truncated: true, pages: 2_000, sheets: null });
    expect(await read('pdf', bytes, { pages: { first: 1_999, last: 2_000 } })).toMatchObject({ truncated: false });
  });

  it('stops when the signal aborts', async () => {
    const from = join(folder, 'aborted.pdf');
    await writeFile(from, three);
    const task = { kind: 'text', format: 'pdf', from, maxBytes: 100 } as const;
    await expect(documentText(task, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('DOCX text extraction', () => {
  it('returns paragraphs as lines, table cells separated by tabs, and notes at the end', async () => {
    const body =
      paragraph('Übersicht &amp; Öl &#8364;') +
      '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>' +
      '<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>' +
      '<w:p><w:r><mc:AlternateContent><mc:Choice><w:t>box</w:t></mc:Choice><mc:Fallback><w:t>box</w:t></mc:Fallback>' +
      '</mc:AlternateContent></w:r></w:p>' +
      table([
        ['Product', 'Hours'],
        ['Oak chair', '1.5'],
      ]) +
      `<w:tbl><w:tr><w:tc>${paragraph('outer')}${table([['in', 'ner']])}</w:tc><w:tc>${paragraph('last')}</w:tc></w:tr></w:tbl>`;
    const parts = docxParts(body);
    parts['word/footnotes.xml'] =
      `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote>${paragraph('A note')}</w:footnote></w:footnotes>`;
    expect(await read('docx', makeArchive(parts))).toEqual({
      text: 'Übersicht & Öl €\na\tb\nc\nbox\nProduct\tHours\nOak chair\t1.5\nouter in ner\tlast\nA note\n',
      truncated: false,
      pages: null,
      sheets: null,
    });
  });

  it('finds the main part by its relationship and decodes UTF-16', async () => {
    const { '_rels/.rels': root = '', 'word/document.xml': main = '' } = docxParts(paragraph('Größe'));
    const moved = {
      '_rels/.rels': root.replace('word/document.xml', '/word/document2.xml'),
      'word/document2.xml': Buffer.from(`\ufeff${main.replace('UTF-8', 'UTF-16')}`, 'utf16le'),
    };
    expect((await read('docx', makeArchive(moved))).text).toBe('Größe\n');
  });

  it('stops at the size limit without reading the rest of the document', async () => {
    const bytes = makeArchive(docxParts(paragraph('é'.repeat(50)).repeat(20_000)));
    const { text, truncated } = await read('docx', bytes, { maxBytes: 1_001 });
    expect([Buffer.byteLength(text), truncated]).toEqual([1_001, true]);
    expect(text).toMatch(/^é{50}\n/);
  });

  it('rejects files that are not DOCX', async () => {
    const noZip = 'The content of the file does not match its name, or the file is broken';
    const whole = makeArchive(docxParts(paragraph('text')));
    await refuses('docx', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), noZip);
    await refuses('docx', Buffer.alloc(0), noZip);
    await refuses('docx', whole.subarray(0, whole.length - 30), noZip);
    await refuses('docx', makeArchive({ 'a.txt': 'text' }), 'The file is not a DOCX document');
    await refuses('docx', makeArchive(xlsxParts({ Sheet: [['a']] })), 'The file is not a DOCX document');
    const locked = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    await refuses('docx', locked, 'The file is encrypted, or comes from a version of Office before 2007');
    const broken = Buffer.from(whole);
    broken.fill(0xff, broken.indexOf('word/document.xml') + 17, broken.indexOf('word/document.xml') + 60);
    expect(await refusal('docx', broken)).toMatch(/^unreadable: The part word\/document.xml of the file is broken$/);
    await refuses('docx', makeArchive(docxParts('<w:p>')), 'The part word/document.xml of the file is not valid XML');
  });
});

describe('the reader of hostile archives', () => {
  const named = (name: string, part: string | Uint8Array) => makeArchive({ ...docxParts(''), [name]: part });

  it('rejects parts whose unpacked size is too large before unpacking them', async () => {
    const began = process.memoryUsage().rss;
    const bomb = named('word/document.xml', Buffer.alloc(20 * 1024 ** 2, ' '));
    expect(bomb.length).toBeLessThan(40_000);
    await refuses('docx', bomb, 'The part word/document.xml of the file is too large when unpacked');
    // Declare a size that is too small.
    const lying = Buffer.from(bomb);
    for (let at = lying.indexOf('PK\x01\x02'); at >= 0; at = lying.indexOf('PK\x01\x02', at + 1)) {
      if (lying.readUInt32LE(at + 24) > 1024 ** 2) lying.writeUInt32LE(1_000, at + 24);
    }
    await refuses('docx', lying, 'The part word/document.xml of the file is broken');
    expect(process.memoryUsage().rss - began).toBeLessThan(200 * 1024 ** 2);
  });

  it('rejects an archive with too many parts', async () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`p${index}`, '']));
    await refuses('docx', makeArchive(many, 0), 'The file has more than 10000 parts');
  });

  it('rejects part names that lead outside the archive', async () => {
    for (const name of ['../../etc/passwd', '/etc/passwd', 'C:/x']) {
      await refuses('docx', named(name, 'x'), 'The list of parts in the file is broken');
    }
  });

  it('rejects document type declarations and unknown entities', async () => {
    const laughs =
      '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>' +
      '<w:document xmlns:w="w"><w:t>&c;</w:t></w:document>';
    const refused = 'The part word/document.xml of the file has a document type declaration, which is not allowed';
    await refuses('docx', named('word/document.xml', laughs), refused);
    const external = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><w:document xmlns:w="w"/>';
    await refuses('docx', named('word/document.xml', external), refused);
    const undefined_ = '<w:document xmlns:w="w"><w:t>&nbsp;</w:t></w:document>';
    await refuses(
      'docx',
      named('word/document.xml', undefined_),
      'The part word/document.xml of the file is not valid XML',
    );
  });

  it('rejects deeply nested elements and overlong text or tags', async () => {
    const deep = named('word/document.xml', '<w:p>'.repeat(100_000));
    await refuses('docx', deep, 'The part word/document.xml of the file has more than 1000 nested elements');
    const long = 'x'.repeat(5_000_000);
    for (const xml of [
      `<w:p a="${long}"/>`,
      `<w:p>${long}</w:p>`,
      `<w:p><!--${long}--></w:p>`,
      `<w:${long}/>`,
      `<!DOCTYPE ${long}`,
    ])
      await refuses(
        'docx',
        named('word/document.xml', xml),
        'The part word/document.xml of the file has a text or a tag that is too long',
      );
  });
});

describe('XLSX text extraction', () => {
  const parts = xlsxParts({
    Costs: [
      ['Product', 'Since', 'Price'],
      ['Oak  chair', { xml: '<c s="1"><v>45292</v></c>' }, 45.5],
      [],
      [
        'Öl &amp; Fett',
        { xml: '<c s="2"><v>45292.354166666664</v></c>' },
        { xml: '<c><f>0.1+0.2</f><v>0.30000000000000004</v></c>' },
      ],
    ],
    Empty: [],
    'Lanes &amp; more': [
      [{ xml: '<c r="C1" t="inlineStr"><is><t>in</t><rPh><t>no</t></rPh><r><t>line</t></r></is></c>' }],
      [
        { xml: '<c t="b"><v>1</v></c>' },
        { xml: '<c t="e"><v>#DIV/0!</v></c>' },
        { xml: '<c t="str"><f>A1</f><v>x</v></c>' },
      ],
    ],
  });

  it('returns rows as lines below the name of their sheet', async () => {
    expect(await read('xlsx', makeArchive(parts))).toEqual({
      text:
        '--- sheet Costs ---\nProduct\tSince\tPrice\nOak chair\t2024-01-01\t45.5\nÖl & Fett\t2024-01-01 08:30:00\t0.3\n' +
        '--- sheet Lanes & more ---\n\t\tinline\ntrue\t#DIV/0!\tx\n',
      truncated: false,
      pages: null,
      sheets: ['Costs', 'Empty', 'Lanes & more'],
    });
  });

  it('returns a single sheet and rejects the name of a missing sheet', async () => {
    const { text } = await read('xlsx', makeArchive(parts), { sheet: 'Lanes & more' });
    expect(text).toBe('--- sheet Lanes & more ---\n\t\tinline\ntrue\t#DIV/0!\tx\n');
    expect(await refusal('xlsx', makeArchive(parts), { sheet: 'None' })).toBe(
      'unknown_sheet: There is no sheet "None"; the workbook has "Costs", "Empty", "Lanes & more"',
    );
  });

  it('rejects files that are not XLSX, and truncates long text', async () => {
    await refuses(
      'xlsx',
      makeArchive(docxParts('')),
      'The file is not an XLSX workbook. Save it as .xlsx in a spreadsheet program',
    );
    await refuses(
      'xlsx',
      makeArchive({ 'a.txt': '' }),
      'The file is not an XLSX workbook. Save it as .xlsx in a spreadsheet program',
    );
    const broken = {
      ...parts,
      'xl/worksheets/sheet1.xml': '<worksheet><row r="0"><c r="A0"><v>1</v></c></row></worksheet>',
    };
    await refuses('xlsx', makeArchive(broken), 'The sheet "Costs" has a row without a valid number');
    expect(await read('xlsx', makeArchive(parts), { maxBytes: 30 })).toMatchObject({ truncated: true });
    const wide = {
      ...parts,
      'xl/worksheets/sheet1.xml': `<worksheet>${'<row><c r="XFD1"><v>1</v></c></row>'.repeat(50_000)}</worksheet>`,
    };
    const { text } = await read('xlsx', makeArchive(wide), { sheet: 'Costs', maxBytes: 100_000 });
    expect(text.length).toBe(100_000);
  });

  it('converts dates of the 1900 and 1904 calendars', async () => {
    const dates = [0.5, 1, 59, 60, 61, 2958465].map((days) => ({ xml: `<c s="1"><v>${days}</v></c>` }));
    const both = xlsxParts({ Days: [dates] });
    expect((await read('xlsx', makeArchive(both))).text.split('\n')[1]).toBe(
      '12:00:00\t1900-01-01\t1900-02-28\t1900-02-29\t1900-03-01\t9999-12-31',
    );
    both['xl/workbook.xml'] = both['xl/workbook.xml']!.replace('<sheets>', '<workbookPr date1904="1"/><sheets>');
    expect((await read('xlsx', makeArchive(both))).text.split('\n')[1]).toMatch(/^12:00:00\t1904-01-02\t/);
  });
});
