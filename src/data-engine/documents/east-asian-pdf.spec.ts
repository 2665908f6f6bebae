import { expect, it } from '@jest/globals';
import { TableFiles } from '../../../test/support/converted-table.js';
import { eastAsianPdf } from '../../../test/support/documents.js';

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
  ['HYSMyeongJo-Medium', 'Korea1', 'UniKS-UCS2-H', utf16('수요계획AB'), '수요계획AB'],
  ['HYGothic-Medium', 'Korea1', 'KSCms-UHC-H', hex('c1a6c7b0'), '제품'],
])('reads text in %s (%s) with the character map %s', async (font, ordering, characterMap, line, text) => {
  const answer = await files.text(eastAsianPdf(font, ordering, characterMap, line), 'pdf');
  expect(answer.text).toBe(`--- page 1 ---\n${text}\n`);
});

it('reads no file that a character map names', async () => {
  const answer = await files.text(eastAsianPdf('STSong-Light', 'GB1', '..#2F..#2Fpackage', utf16('AB')), 'pdf');
  expect(answer.text).toBe('');
});
