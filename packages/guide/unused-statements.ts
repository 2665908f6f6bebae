import type { Message } from '../conversation/index.js';
import { splitStatements } from './lines.js';
import { bullets, quote } from './quote.js';

/** Introduces the list of statements that an answer could not use. */
export const NOT_USED = 'I could not use this:';
/** Introduces the list of earlier unused statements in the answer to a solve. */
const NAMED = 'Said since the last solve, and not in this plan:';
const LIST = new RegExp(`${NOT_USED}\n(?<list>(?:- .*\n?)+)`);

/** Lists the statements since the last solve that earlier answers could not use and that the user has not repeated. */
export function describeUnused(messages: readonly Message[]): string[] {
  const unused = new Set<string>();
  for (const { role, content, tool_calls } of messages) {
    if (role === 'user') for (const source of splitStatements(content)) unused.delete(quote(source));
    if (role !== 'assistant') continue;
    const isSolved = tool_calls.some(({ tool, status }) => tool === 'run_solve' && status === 'completed');
    if (isSolved || content.includes(NAMED)) unused.clear();
    const list = LIST.exec(content)?.groups?.['list'] ?? '';
    for (const line of list.split('\n')) for (const quoted of quotationAt(line)) unused.add(quoted);
  }
  return unused.size === 0 ? [] : [`${NAMED}\n${bullets([...unused])}`];
}

/**
 * Returns the {@link quote} at the beginning of a list item, or an empty list if the item has no quote. The quoted text does
 * not contain the fence.
 */
function quotationAt(item: string): string[] {
  const [fence] = /^`+/.exec(item.slice(2)) ?? [];
  const end = fence === undefined ? -1 : item.indexOf(fence, 2 + fence.length);
  return fence === undefined || end < 0 ? [] : [item.slice(2, end + fence.length)];
}
