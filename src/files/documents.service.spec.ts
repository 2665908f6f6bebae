import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestEngine } from '../../test/support/data-engine.js';
import { LocalFiles } from '../../test/support/local-files.js';
import { workbookFile } from '../../test/support/workbook-file.js';
import { TaskProblem } from '../../packages/data-engine/tasks.js';
import { DocumentsService } from './documents.service.js';

const WORKBOOK = workbookFile({
  Costs: [
    ['item', 'price'],
    ['chair', 40],
  ],
  Notes: [['last', 'words']],
});

let files: LocalFiles;
let test: TestEngine;
let documents: DocumentsService;
beforeEach(async () => {
  files = await LocalFiles.open();
  test = await TestEngine.start();
  documents = new DocumentsService(files.copies, test.engine, files.config);
});
afterEach(async () => {
  await test.stop();
  await files.close();
});

describe('DocumentsService', () => {
  it('reads each selection of a document only once', async () => {
    const blob = await files.put(WORKBOOK);
    const whole = await documents.text(blob, 'xlsx');
    expect(whole.text).toBe('--- sheet Costs ---\nitem\tprice\nchair\t40\n--- sheet Notes ---\nlast\twords\n');
    const notes = await documents.text(blob, 'xlsx', { sheet: 'Notes' });
    expect(notes.text).toBe('--- sheet Notes ---\nlast\twords\n');
    test.engine.onApplicationShutdown();
    // The engine has stopped, so only cached text is available.
    expect(await documents.text(blob, 'xlsx')).toBe(whole);
    expect(await documents.text(blob, 'xlsx', { sheet: 'Notes' })).toBe(notes);
    await expect(documents.text(blob, 'xlsx', { sheet: 'Costs' })).rejects.toThrow();
  });

  it('truncates text at FILES_CONTENT_MAX_BYTES', async () => {
    files.config.FILES_CONTENT_MAX_BYTES = 30;
    expect(await documents.text(await files.put(WORKBOOK), 'xlsx')).toMatchObject({
      text: '--- sheet Costs ---\nitem\tprice',
      truncated: true,
    });
  });

  it('rejects files that are not documents and removes their local copies', async () => {
    const blob = await files.put('no workbook');
    await expect(documents.text(blob, 'xlsx')).rejects.toThrow(TaskProblem);
    await expect(documents.text(blob, 'pdf')).rejects.toThrow('The file is not a PDF');
    expect(await files.list('copies')).toEqual([]);
  });

  it('stops reading when the client disconnects', async () => {
    const blob = await files.put(WORKBOOK);
    const client = new AbortController();
    const reason = new Error('The client has gone');
    const reading = documents.text(blob, 'xlsx', {}, client.signal);
    client.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(await files.list('copies')).toEqual([]);
  });
});
