import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FileContentResponse } from '../../../src/files/files.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import type { Client, Wire } from '../../support/client.js';
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
} from '../../support/documents.js';
import { useService } from '../../support/service.js';

const LIMIT = 600_000;
const service = useService({
  settings: { FILES_CONTENT_MAX_BYTES: String(LIMIT), TABLES_FILE_MAX_BYTES: String(2 * LIMIT) },
});
let client: Client;
let project: string;

beforeAll(async () => {
  client = (await service.session()).client;
  project = (await makeProject(client)).id;
}, 30_000);

const upload = (path: string, content: string | Uint8Array) =>
  makeFile(client, { source: 'workspace', project_id: project }, path, content);
const named = (path: string) => ({ source: 'workspace', project_id: project, path });
const read = (path: string, query = '?as=text') =>
  client.post<FileContentResponse>(`/files/content${query}`, named(path));
const refused = async (path: string, query = '?as=text') => {
  const { status, body } = await client.send<{ detail: unknown }>('POST', `/files/content${query}`, {
    body: named(path),
  });
  return { status, detail: body.detail };
};

/** Returns the expected response for a document that cannot be read. */
const unreadable = (path: string, sentence: string) => ({
  status: 422,
  detail: [
    { type: 'value_error', loc: ['body', 'path'], msg: `Value error, ${sentence}`, input: path, ctx: { error: {} } },
  ],
});

describe('POST /files/content?as=text', () => {
  it('returns the text of documents, and the usual response for all other files', async () => {
    const pdf = makePdf(pdfObjects([shown([['Gr\xf6\xdfe', '12,50']]), shown([['Second page']])]));
    await upload('report.PDF', pdf);
    await upload('note.docx', makeArchive(docxParts(paragraph('Überschrift') + table([['a', 'b']]))));
    await upload('costs.xlsx', makeArchive(xlsxParts({ Costs: [['Öl', 1.5]] })));
    await upload('plain.txt', 'plain');
    await upload('picture.png', new Uint8Array([137, 80, 0, 1]));
    expect(await read('report.PDF')).toEqual({
      text: '--- page 1 ---\nGröße\t12,50\n--- page 2 ---\nSecond page\n',
      base64: null,
      content_type: 'application/pdf',
    });
    expect((await read('note.docx')).text).toBe('Überschrift\na\tb\n');
    expect((await read('costs.xlsx')).text).toBe('--- sheet Costs ---\nÖl\t1.5\n');
    const other = async (path: string): Promise<Wire<FileContentResponse>[]> => [
      await read(path),
      await read(path, ''),
    ];
    const [text, plain] = await other('plain.txt');
    expect(text).toEqual(plain);
    const [picture, bytes] = await other('picture.png');
    expect(picture).toEqual(bytes);
    expect(await read('report.PDF', '')).toEqual({
      text: null,
      base64: pdf.toString('base64'),
      content_type: 'application/pdf',
    });
  });

  it('rejects other values of `as`', async () => {
    expect(await refused('plain.txt', '?as=html')).toMatchObject({ status: 422, detail: [{ loc: ['query', 'as'] }] });
    expect((await refused('missing.pdf')).status).toBe(404);
  });

  it('returns text up to the content limit, even from a larger file', async () => {
    const lines = (count: number) => docxParts(paragraph('Zeile "ä"').repeat(count));
    await upload('long.docx', makeArchive(lines(40_000)));
    expect((await read('long.docx')).text).toBe('Zeile "ä"\n'.repeat(40_000));
    await upload('longer.docx', makeArchive(lines(60_000)));
    expect(await refused('longer.docx')).toEqual({
      status: 413,
      detail: 'The document has too much text for this response; use POST /api/v1/files/download',
    });
    // The file exceeds the content limit, but its text does not.
    await upload('large.docx', makeArchive({ ...docxParts(paragraph('small')), picture: new Uint8Array(LIMIT) }, 0));
    expect((await read('large.docx')).text).toBe('small\n');
    await upload('huge.docx', new Uint8Array(2 * LIMIT + 1));
    expect((await refused('huge.docx')).status).toBe(413);
  });

  it('explains why a document cannot be read', async () => {
    await upload('picture.pdf', new Uint8Array([137, 80, 78, 71]));
    expect(await refused('picture.pdf')).toEqual(unreadable('picture.pdf', 'The file is not a PDF'));
    await upload('other.xlsx', makeArchive(docxParts('')));
    expect(await refused('other.xlsx')).toEqual(
      unreadable('other.xlsx', 'The file is not an XLSX workbook. Save it as .xlsx in a spreadsheet program'),
    );
  });

  it('survives a PDF of a few kilobytes that expands to two gigabytes', async () => {
    // The content consists of runs of 128 spaces, compressed twice. It is in an array of streams, because a reader
    // unpacks such an array completely before it parses the content.
    const runs = Buffer.alloc(32 * 1024 ** 2, Buffer.from('8120', 'hex'));
    const stream = deflateSync(deflateSync(runs));
    const objects = pdfObjects([{ stream, entries: '/Filter [/FlateDecode /FlateDecode /RunLengthDecode]' }]);
    const bomb = makePdf(objects.set(12, pdfPage('[11 0 R]')));
    expect(bomb.length).toBeLessThan(16_000);
    await upload('bomb.pdf', bomb);
    const sentence = 'Reading the file needs too much memory';
    expect(await refused('bomb.pdf')).toEqual(unreadable('bomb.pdf', sentence));
    expect((await read('report.PDF')).text).toMatch(/^--- page 1/);
  }, 60_000);

  it('does not leave any temporary copies behind', async () => {
    expect(await readdir(join(service.environment.dataDir, 'copies'))).toEqual([]);
  });
});
