/** Matches the end of the text before a path if the path starts a new word there. A slash may precede the path. */
const BEFORE = /(?:^|[^\p{L}\p{N}_./\\-])\/?$/u;
/** Matches the text after a path if the path ends there. A dot may follow unless it continues the file name. */
const AFTER = /^(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}_])/u;
/** Matches more consecutive combining marks than any language uses. Normalizing them would take quadratic time. */
const MANY_MARKS = /\p{M}{100}/u;

/** Whether a message mentions the file at a path. The message must contain the complete path as a separate word. */
export function namesFile(text: string, path: string): boolean {
  const normalized = MANY_MARKS.test(text) ? text : text.normalize('NFC');
  for (let at = normalized.indexOf(path); at >= 0 && at < normalized.length; at = normalized.indexOf(path, at + 1)) {
    const end = at + path.length;
    if (BEFORE.test(normalized.slice(Math.max(0, at - 3), at)) && AFTER.test(normalized.slice(end, end + 3)))
      return true;
  }
  return false;
}
