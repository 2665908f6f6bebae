import { open, stat } from 'node:fs/promises';
import type { ReadableStream } from 'node:stream/web';
import { getDocumentProxy } from 'unpdf';
import { TaskProblem, type TextAnswer, type TextTask } from '../tasks.js';
import { BoundedText } from './bounded-text.js';
import { CharacterMaps } from './character-maps.js';
import { FontFailures } from './font-failures.js';
import { FontLetters } from './font-letters.js';
import { filledFields } from './pdf-fields.js';

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Document['getPage']>>;

/** Maximum file size in bytes. The whole file is held in memory while it is read. */
const MAX_FILE_BYTES = 100 * 1024 ** 2;
/** Maximum number of pages in a response. */
const MAX_PAGES = 1_000;
/** Number of bytes within which the `%PDF-` marker must start. Other PDF readers use the same limit. */
const MARK_WITHIN_BYTES = 1_024;
/** Minimum width of a gap between table cells, as a multiple of the font size. */
const CELL_GAP = 1.5;

/** Item on a page, as the PDF library returns it: a run of text or a gap. */
interface Item {
  str: string;
  /** Whether the line ends after this item. */
  hasEOL: boolean;
  width: number;
  fontName: string;
  /** Transformation matrix. Its first two numbers give the font size. */
  transform: [number, number, ...number[]];
}

/**
 * Returns the text of a PDF in content order. Each page with text starts with a line such as `--- page 3 ---`. Wide gaps in a
 * line become tabs, so that tables stay readable. Filled form fields come after the text of their page. If fonts cannot be read
 * or letters may be wrong, the first line says so.
 *
 * Scripts in the file are not run. Fonts and forms are never fetched from the network.
 */
export async function pdfText(task: TextTask, signal?: AbortSignal): Promise<TextAnswer> {
  const failures = new FontFailures();
  try {
    return await textOf(await openPdf(task.from, failures), task, failures, signal);
  } finally {
    failures.close();
  }
}

async function textOf(
  pdf: Document,
  task: TextTask,
  failures: FontFailures,
  signal?: AbortSignal,
): Promise<TextAnswer> {
  try {
    const { numPages: pages } = pdf;
    const { first, last } = pageRange(pages, task.pages);
    const text = new BoundedText(task.maxBytes);
    const letters = new FontLetters();
    let number = first;
    for (; number <= Math.min(last, first + MAX_PAGES - 1) && !text.isCut; number += 1) {
      signal?.throwIfAborted();
      const page = await pdf.getPage(number);
      await addPage(text, number, page, letters, signal);
      if (await letters.hasUnnamedLetters(page)) failures.addUnnamedLetters();
      page.cleanup();
    }
    const failure = failures.sentence;
    if (failure !== undefined && text.toString() === '') throw unreadable(failure);
    const note = failure === undefined ? '' : `--- ${failure} ---\n`;
    return { text: note + text.toString(), truncated: text.isCut || number <= last, pages, sheets: null };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof TaskProblem ? error : unreadable('The PDF is broken');
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function openPdf(path: string, failures: FontFailures): Promise<Document> {
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES) throw unreadable(`The PDF has more than ${MAX_FILE_BYTES} bytes`);
  const data = new Uint8Array(size);
  const file = await open(path);
  try {
    await file.read(data, 0, size, 0);
  } finally {
    await file.close();
  }
  if (!Buffer.from(data.buffer, 0, Math.min(size, MARK_WITHIN_BYTES)).includes('%PDF-')) {
    throw unreadable('The file is not a PDF');
  }
  try {
    return await getDocumentProxy(data, {
      cMapPacked: true,
      BinaryDataFactory: new CharacterMaps(() => failures.addContradiction()).factory,
      isEvalSupported: false,
      enableXfa: false,
      useSystemFonts: false,
      useWorkerFetch: false,
      useWasm: false,
      disableFontFace: true,
      fontExtraProperties: true,
      // 0 disables image decoding.
      maxImageSize: 0,
      stopAtErrors: false,
      verbosity: FontFailures.VERBOSITY,
    });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw unreadable(isLocked ? 'The PDF needs a password' : 'The PDF is broken');
  }
}

function pageRange(pages: number, requestedPages: TextTask['pages']): { first: number; last: number } {
  if (requestedPages === undefined) return { first: 1, last: pages };
  if (requestedPages.first > pages)
    throw unreadable(`The PDF has ${pages} pages, so there is no page ${requestedPages.first}`);
  return { first: requestedPages.first, last: Math.min(requestedPages.last, pages) };
}

async function addPage(
  text: BoundedText,
  number: number,
  page: Page,
  letters: FontLetters,
  signal?: AbortSignal,
): Promise<void> {
  const written = { any: false, wholeLine: true };
  const add = (piece: string): void => {
    if (piece === '' || (!written.any && piece.trim() === '')) return;
    if (!written.any) text.add(`--- page ${number} ---\n`);
    text.add(piece);
    written.any = true;
    written.wholeLine = piece === '\n';
  };
  const reader = (page.streamTextContent() as ReadableStream<{ items: (Item | object)[] }>).getReader();
  // Destroying the document ends the reader. Canceling the reader would make the library write to a closed stream.
  while (!text.isCut) {
    const { done, value } = await reader.read();
    if (done) break;
    signal?.throwIfAborted();
    for (const item of value.items) {
      // Items without `str` only mark the start or end of tagged content.
      if (!('str' in item)) continue;
      letters.add(item.fontName, item.str);
      add(isCellGap(item) ? '\t' : item.str);
      if (item.hasEOL) add('\n');
    }
  }
  if (!written.wholeLine) add('\n');
  if (text.isCut) return;
  for (const field of await filledFields(page)) add(`${field}\n`);
}

const isCellGap = ({ str, width, transform: [a, b] }: Item): boolean =>
  str === ' ' && width > CELL_GAP * Math.hypot(a, b);

const unreadable = (sentence: string): TaskProblem => new TaskProblem('unreadable', sentence);
