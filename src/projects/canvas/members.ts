/** Most members of a set that a card names as a range. */
export const MAX_RANGE = 100_000;
const RANGE = /^(?<from>-?\d{1,9}) to (?<to>-?\d{1,9})$/;

/** Members as they are compared: texts without spaces around them. */
export const toMember = (member: string | number): string => String(member).trim();

/** The whole numbers of `1 to 52`, in either direction; undefined for other texts and for too many. */
export function rangeOf(text: string): string[] | undefined {
  const { from, to } = RANGE.exec(text.trim())?.groups ?? {};
  if (from === undefined || to === undefined) return undefined;
  const [first, last] = [Number(from), Number(to)];
  const length = Math.abs(last - first) + 1;
  if (length > MAX_RANGE) return undefined;
  const step = last < first ? -1 : 1;
  return Array.from({ length }, (_, place) => String(first + step * place));
}
