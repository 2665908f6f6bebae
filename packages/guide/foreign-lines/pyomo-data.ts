import { partsOfList } from './pyomo-rules.js';

/* Lists and dictionaries of Python. */

const LITERAL = /^(?:"([^"]*)"|'([^']*)'|(-?\d+))$/;
const ENTRY = /^(?:"([^"]*)"|'([^']*)'|([^\s:]+))\s*:\s*([^]+)$/;

/** Returns the members in `['a', 'b']`. Returns undefined for other text. */
export function membersIn(text: string): string[] | undefined {
  const body = /^[[{(]([^]*)[\]})]$/.exec(text)?.[1];
  const literals = body === undefined ? [] : partsOfList(body).map((part) => LITERAL.exec(part));
  const members = literals.flatMap((match) => match?.[1] ?? match?.[2] ?? match?.[3] ?? []);
  return members.length === 0 || members.length < literals.length ? undefined : members;
}

/**
 * Returns the members and figures in `{'a': 1, 'b': 2}`, in turn. A member with several parts is written as `[`. Returns
 * undefined for other text.
 */
export function figuresIn(text: string): string[] | undefined {
  const body = /^\{([^]*)\}$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  return partsOfList(body).flatMap((entry) => {
    const [, quoted, other, key, value = ''] = ENTRY.exec(entry) ?? [];
    return [entry.startsWith('(') ? '[' : (quoted ?? other ?? key ?? ''), value];
  });
}
