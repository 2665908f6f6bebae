import { describe, expect, it } from '@jest/globals';
import { refusal, TableFiles } from '../../../test/support/converted-table.js';
import { eastAsianPdf, makePdf, pdfObjects, pdfPage } from '../../../test/support/documents.js';

const files = new TableFiles();

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');

it.each<[font: string, ordering: string, characterMap: string, line: Buffer, text: string]>([
  ['HeiseiMin-W3', 'Japan1', 'UniJIS-UCS2-H', utf16('需要計画ABC12'), '需要計画ABC12'],
  ['HeiseiMin-W3', 'Japan1', 'UniJIS-UTF16-H', utf16('月次レポート'), '月次レポート'],
  ['HeiseiKakuGo-W5', 'Japan1', '90ms-RKSJ-H', hex('90bb956931'), '製品1'],
  ['STSong-Light', 'GB1', 'UniGB-UCS2-H', utf16('需求计划AB'), '需求计划AB'],
  ['STSong-Light', 'GB1', 'GBK-EUC-H', hex('b2fac6b7'), '产品'],
  ['MSung-Light', 'CNS1', 'UniCNS-UCS2-H', utf16('需求計劃'), '需求計劃'],
  ['MSung-Light', 'CNS1', 'ETen-B5-H', hex('b2a3ab7e'), '產品'],
  ['MSung-Light', 'CNS1', 'UniGB-UCS2-H', utf16('產品需求 100'), '產品需求 100'],
  ['MSung-Light', 'CNS1', 'GBK-EUC-H', hex('b2fac6b7'), '产品'],
  ['MHei-Medium', 'CNS1', 'UniJIS-UCS2-H', utf16('需要計画'), '需要計画'],
  ['HeiseiMin-W3', 'Japan1', 'UniGB-UCS2-H', utf16('需求计划'), '需求计划'],
  ['HYSMyeongJo-Medium', 'Korea1', 'UniKS-UCS2-H', utf16('수요계획AB'), '수요계획AB'],
  ['HYGothic-Medium', 'Korea1', 'KSCms-UHC-H', hex('c1a6c7b0'), '제품'],
])('reads text in %s (%s) with the character map %s', async (font, ordering, characterMap, line, text) => {
  const answer = await files.text(eastAsianPdf(font, ordering, characterMap, line), 'pdf');
  expect(answer.text).toBe(`--- page 1 ---\n${text}\n`);
});

describe('PDF text extraction with character maps', () => {
  it.each([
    ['a custom name', 'Custom-Map-H', '"Custom-Map-H"'],
    ['a misspelled name', 'UniJIS-UCS3-H', '"UniJIS-UCS3-H"'],
    ['a path', '..#2F..#2Fpackage', '"../../package"'],
    ['a long name', 'A'.repeat(90), `"${'A'.repeat(40)}"`],
  ])('names an unknown character map in the error for a rejected document: %s', async (_, characterMap, name) => {
    const pdf = eastAsianPdf('STSong-Light', 'GB1', characterMap, utf16('AB'));
    expect(await refusal(files.text(pdf, 'pdf'))).toBe(
      `Text of the PDF cannot be read because of an unknown character map (${name}). Save the PDF with embedded fonts, or save its text`,
    );
  });

  it('names an unknown character map above text that uses other fonts', async () => {
    const objects = pdfObjects(['BT /F1 10 Tf 50 780 Td (plain) Tj /F2 10 Tf 0 -20 Td <00410042> Tj ET']);
    objects.set(12, pdfPage('11 0 R').replace('/F1 3 0 R', '/F1 3 0 R /F2 20 0 R'));
    objects.set(
      20,
      '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /My-Map /DescendantFonts [21 0 R] >>',
    );
    const system = '<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >>';
    objects.set(
      21,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo ${system} /DW 1000 /FontDescriptor 22 0 R >>`,
    );
    objects.set(
      22,
      '<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [0 -200 1000 900] /Ascent 800 >>',
    );
    const { text } = await files.text(makePdf(objects), 'pdf');
    expect(text).toMatch(
      /^--- Text of the PDF cannot be read because of an unknown character map \("My-Map"\)\. .* ---\n--- page 1 ---\nplain/,
    );
  });

  it('restores console.warn after reading a PDF', async () => {
    const output: { warn: unknown } = globalThis.console;
    const { warn } = output;
    await files.text(eastAsianPdf('STSong-Light', 'GB1', 'UniGB-UCS2-H', utf16('AB')), 'pdf');
    expect(output.warn).toBe(warn);
  });
});
