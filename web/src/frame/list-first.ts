/** Lists at most `count` names, and how many others there are: `Labour, Hours and 2 more`. */
export function listFirst(names: readonly string[], count = 5): string {
  const others = names.length - count;
  return names.slice(0, count).join(', ') + (others > 0 ? ` and ${others} more` : '');
}
