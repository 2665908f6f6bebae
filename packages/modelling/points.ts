/* Detects numbers such as `1.000`. Formulas read the point as a decimal point, but in some countries it separates thousands. */

const QUOTED = /"[^"]*"/g;
const POINTED = /(?<![\p{L}\p{N}_.,/])[1-9]\d{0,2}\.\d{2}0(?![\p{L}\p{N}_]|[.,]\d)/gu;
const MAX_NOTES = 3;

/** Returns notes that explain how ambiguous numbers such as `1.000` are read. The notes have no full stop. */
export function notesOnPoints(text: string): string[] {
  const figures = new Set(text.replace(QUOTED, '').match(POINTED));
  return [...figures]
    .slice(0, MAX_NOTES)
    .map(
      (written) =>
        `\`${written}\` is read as ${Number(written)}: if you mean thousands, write ${written.replace('.', '')}`,
    );
}
