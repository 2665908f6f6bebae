/** Text that may immediately precede a path, including the character before it. */
const BEFORE = /(?:^|[^\p{L}\p{N}_./\\-])\/?$/u;
/** Text that may immediately follow a path. A dot is allowed only if it does not continue the name. */
const AFTER = /^(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}_])/u;
/** More combining marks than in any language. Normalizing them would take quadratic time. */
const MANY_MARKS = /\p{M}{100}/u;

/** Whether a message mentions the file at a path. The complete path must appear as a separate word. */
export function namesFile(text: string, path: string): boolean {
  const normalized = MANY_MARKS.test(text) ? text : text.normalize('NFC');
  for (let at = normalized.indexOf(path); at >= 0 && at < normalized.length; at = normalized.indexOf(path, at + 1)) {
    const end = at + path.length;
    if (BEFORE.test(normalized.slice(Math.max(0, at - 3), at)) && AFTER.test(normalized.slice(end, end + 3)))
      return true;
  }
  return false;
}
