/* Functions of Pyomo that return the expression of a component. */

export interface Rule {
  name: string;
  /** Index names, without the model. */
  parameters: string[];
  body: string;
  /** Condition of the members without a constraint. */
  skip?: string;
}

const RULE = /^def\s+(?<name>\w+)\s*\((?<list>[^()]*)\)\s*:\s*(?<body>[^]+)$/;
const COMMENT = /^(?:"""[^"]*"""|"[^"]*"|'[^']*')\s*;?\s*/;
const SKIP = /^if\s(?<skip>[^:]+):\s*return\s+(?:\w+\.)?Constraint\.Skip\s+(?:else\s*:\s*)?/;
const RETURN = /^return\s+(?<body>[^]+)$/;

/** Reads a function with a single `return`, except for a condition to skip members. Returns undefined for other functions. */
export function ruleIn(source: string): Rule | undefined {
  const { name = '', list = '', body = '' } = RULE.exec(source)?.groups ?? {};
  const text = body.replace(COMMENT, '');
  const skip = SKIP.exec(text);
  const returned = RETURN.exec(text.slice(skip?.[0].length ?? 0))?.groups?.['body'];
  if (returned === undefined || /\breturn\b/.test(returned)) return undefined;
  const condition = skip?.groups?.['skip'];
  return {
    name,
    parameters: partsOfList(list).slice(1),
    body: returned,
    ...(condition !== undefined && { skip: condition }),
  };
}

/** Splits a list at its commas outside of brackets and quotes. */
export function partsOfList(text: string): string[] {
  const parts: string[] = [];
  let [part, depth] = ['', 0];
  for (const [piece] of text.matchAll(/"[^"]*"|'[^']*'|[^]/g)) {
    if ('([{'.includes(piece)) depth += 1;
    if (')]}'.includes(piece)) depth -= 1;
    if (piece === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += piece;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
}
