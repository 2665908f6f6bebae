import type { TextAnswer, TextTask } from '../tasks.js';
import { docxText } from './docx-text.js';
import { pdfText } from './pdf-text.js';
import { xlsxText } from './xlsx-text.js';

/**
 * Returns the text of a document, for reading by people and language models. Returns an empty string for a file without text,
 * such as a PDF of scanned pages.
 *
 * The caller must enforce time and memory limits by killing the process: a PDF of a few kilobytes can make a single library
 * call allocate gigabytes.
 *
 * @throws TaskProblem `unreadable`, `unknown_sheet`
 * @throws the signal's reason
 */
export async function documentText(task: TextTask, signal?: AbortSignal): Promise<TextAnswer> {
  signal?.throwIfAborted();
  switch (task.format) {
    case 'pdf':
      return await pdfText(task, signal);
    case 'docx':
      return await docxText(task, signal);
    case 'xlsx':
      return await xlsxText(task, signal);
  }
}
