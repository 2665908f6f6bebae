import { expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';
import { makePdf, pdfObjects } from '../../../test/support/documents.js';

const files = new TableFiles();

const NOTE =
  '--- Letters of the PDF may be wrong because a font does not name them. Compare the text with the pages ---\n';
const DESCRIPTOR =
  '<< /Type /FontDescriptor /FontName /ABCDEF+Own /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 ' +
  '/Descent -200 /CapHeight 700 /StemV 80 >>';

/** Returns the extracted text of a two-page PDF that shows a string in the given font. */
async function textIn(font: string, string: string, others: Record<number, string | Uint8Array> = {}): Promise<string> {
  const page = `BT /F1 10 Tf 50 780 Td ${string} Tj ET`;
  const objects = pdfObjects([page, page]);
  objects.set(3, font).set(5, DESCRIPTOR);
  for (const [number, object] of Object.entries(others))
    objects.set(Number(number), typeof object === 'string' ? object : { stream: object });
  return (await files.text(makePdf(objects), 'pdf')).text;
}

/** Returns a composite font whose character codes are glyph numbers. */
const composite = (entries = ''): string =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /ABCDEF+Own /Encoding /Identity-H /DescendantFonts [4 0 R] ${entries} >>`;
const GLYPHS =
  '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /ABCDEF+Own /CIDToGIDMap /Identity /DW 600 /FontDescriptor 5 0 R ' +
  '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>';
const simple = (type: string, entries: string): string =>
  `<< /Type /Font /Subtype /${type} /BaseFont /ABCDEF+Own /FirstChar 1 /LastChar 2 /Widths [500 500] ${entries} >>`;
const differences = (names: string): string =>
  `/FontDescriptor 5 0 R /Encoding << /Type /Encoding /Differences [1 ${names} 71 /G 101 /e 114 /r] >>`;
const toUnicode = (...ranges: string[]): Buffer =>
  Buffer.from(
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def ' +
      '1 begincodespacerange <0000> <ffff> endcodespacerange ' +
      `${ranges.length} beginbfrange ${ranges.join(' ')} endbfrange endcmap end end`,
  );

it.each([
  ['glyph numbers without a Unicode map', composite(), '<00270048>', "'H", { 4: GLYPHS }],
  ['the font ZapfDingbats', '<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>', '(4n3)', '4n3', {}],
  ['glyph names without meaning', simple('Type1', differences('/g129 /g130')), '(Gr\\001\\002e)', 'Gr\x01\x02e', {}],
  [
    'glyph names without meaning in TrueType',
    simple('TrueType', differences('/g129 /g130')),
    '(Gr\\001\\002e)',
    'Gr\x01\x02e',
    {},
  ],
  [
    'a Unicode map that lacks some codes',
    composite('/ToUnicode 6 0 R'),
    '<00270049>',
    'DI',
    { 4: GLYPHS, 6: toUnicode('<0027> <0028> <0044>') },
  ],
])('adds a warning above text whose letters may be wrong: %s', async (_, font, string, line, others) => {
  expect(await textIn(font, string, others)).toBe(`${NOTE}--- page 1 ---\n${line}\n--- page 2 ---\n${line}\n`);
});

it.each([
  [
    'a complete Unicode map',
    composite('/ToUnicode 6 0 R'),
    '<00270048>',
    'De',
    { 4: GLYPHS, 6: toUnicode('<0027> <0028> <0044>', '<0048> <0048> <0065>') },
  ],
  ['glyph names', simple('Type1', differences('/odieresis /germandbls')), '(Gr\\001\\002e)', 'Größe', {}],
  ['the font Symbol', '<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>', '(abc)', 'αβχ', {}],
  ['a standard font', '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>', "(Plan - 'x')", 'Plan - ’x’', {}],
])('does not warn about fonts that map their codes to letters: %s', async (_, font, string, line, others) => {
  expect(await textIn(font, string, others)).toBe(`--- page 1 ---\n${line}\n--- page 2 ---\n${line}\n`);
});
