/** What may stand right before a path, with the character before that. */
const BEFORE = /(?:^|[^\p{L}\p{N}_./\\-])\/?$/u;
/** What may stand right after it; a dot only when no part of a name follows. */
const AFTER = /^(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}_])/u;
/** Combining marks that no language has so many of, and whose normalisation takes quadratic time. */
const MANY_MARKS = /\p{M}{100}/u;

/** Whether a text names the file at a path: by all of the path, as a word of its own. */
export function namesFile(text: string, path: string): boolean {
  const said = MANY_MARKS.test(text) ? text : text.normalize('NFC');
  for (let at = said.indexOf(path); at >= 0 && at < said.length; at = said.indexOf(path, at + 1)) {
    const end = at + path.length;
    if (BEFORE.test(said.slice(Math.max(0, at - 3), at)) && AFTER.test(said.slice(end, end + 3))) return true;
  }
  return false;
}
