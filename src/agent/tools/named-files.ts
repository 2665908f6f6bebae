/** Characters that may go on a path; a dot only when another of them follows. */
const BEFORE = String.raw`(?<![\p{L}\p{N}_./\\-])`;
const AFTER = String.raw`(?![\p{L}\p{N}_/\\-]|\.[\p{L}\p{N}_])`;

/** Whether a text names the file at a path: by all of the path, as a word of its own. */
export function namesFile(text: string, path: string): boolean {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`${BEFORE}/?${escaped}${AFTER}`, 'u').test(text.normalize('NFC'));
}
