import { notesOfFile, fileKey, readData } from '../canvas/index.js';
import type { Sketch } from './sketch.js';

/** Describes how the files of sets were read, so that a planner can check the result. */
export function fileNotes(sketch: Sketch): string[] {
  const notes = sketch.of('data').flatMap((card) => {
    const content = readData(card);
    return content.file === undefined ? [] : notesOfFile(content, sketch.files.get(fileKey(content.file)));
  });
  return [...new Set(notes)];
}
