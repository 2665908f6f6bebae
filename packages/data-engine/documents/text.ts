import type { TextAnswer, TextTask } from '../tasks.js';
import { docxText } from './docx-text.js';
import { pdfText } from './pdf-text.js';
import { xlsxText } from './xlsx-text.js';

/**
 * The text of a document, for people and models to read. A file without text, such as a PDF of scanned pages, answers an empty one.
 *
 * What a file makes a process do in time and memory is bounded by ending the process from outside: a few kilobytes of PDF can ask
 * for gigabytes within one call of the library that reads it.
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
