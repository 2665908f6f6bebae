const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>[-+*/()]|[<>=]=?|≤|≥))\s*/uy;

/** The names in a formula, each once; undefined for a text that is none, such as a sentence or an indexed sum. */
export function symbolsOf(formula: string): string[] | undefined {
  const names = new Set<string>();
  let isAfterName = false;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < formula.length) {
    const { name } = TOKEN.exec(formula)?.groups ?? {};
    // A text that does not go on as a formula resets the expression's place.
    if (TOKEN.lastIndex === 0 || (isAfterName && name !== undefined)) return undefined;
    isAfterName = name !== undefined;
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
