import { type Item, mentions, type Node, reference } from './tree.js';

type Constraint = Extract<Item, { kind: 'constraint' }>;

const SOLVE = /^solve\s+\w+\s+(?:using\s+\w+\s+)?(?<sense>min|max)imi[sz]ing\s+(?<total>\w+)/i;

/**
 * Finds the objective. In GAMS, an equation defines a variable, and `solve` minimizes or maximizes this variable. Without
 * `solve`, an equation that defines a variable may be an objective, which the user decides.
 */
export function objectivesIn(
  items: readonly Item[],
  statements: readonly string[],
  spelled: (name: string) => string,
): Item[] {
  const solve = statements.map((one) => SOLVE.exec(one)?.groups).findLast((groups) => groups !== undefined);
  const total = solve === undefined ? undefined : spelled(solve['total'] ?? '');
  const sense = solve === undefined ? undefined : /^max/i.test(solve['sense'] ?? '') ? 'maximize' : 'minimize';
  const definitions = items.flatMap((item) => {
    const definition = item.kind === 'constraint' ? definitionIn(item, total) : undefined;
    return definition === undefined || usesOf(definition.name, items) > 1 || isLimited(definition.name, items)
      ? []
      : [{ item, ...definition }];
  });
  const [only, ...others] = definitions;
  if (only !== undefined && others.length === 0) {
    const { item, name, of } = only;
    const objective: Item = {
      source: item.source,
      kind: 'objective',
      name: item.kind === 'constraint' ? item.name : name,
      of,
      total: name,
      ...(sense !== undefined && { sense }),
    };
    return items.flatMap((one) =>
      one === item ? [objective] : isVariable(one, name) && sense !== undefined ? [] : [one],
    );
  }
  if (total === undefined || sense === undefined) return [...items];
  const source = statements.findLast((one) => SOLVE.test(one)) ?? '';
  return [...items, { source, kind: 'objective', name: `total_${total}`, of: reference(total), sense }];
}

/** Returns the variable that an equation defines, and its formula. */
function definitionIn({ index, sides, relations }: Constraint, total?: string): { name: string; of: Node } | undefined {
  const [left, right] = sides;
  if (
    index.over.length > 0 ||
    index.where !== undefined ||
    relations.join() !== '=' ||
    left === undefined ||
    right === undefined
  )
    return undefined;
  for (const [side, of] of [
    [left, right],
    [right, left],
  ] as const) {
    if (side.kind !== 'reference' || side.keys.length > 0 || mentions(of, side.name)) continue;
    if (total === undefined || side.name === total) return { name: side.name, of };
  }
  return undefined;
}

const usesOf = (name: string, items: readonly Item[]): number =>
  items.filter((item) =>
    item.kind === 'constraint'
      ? item.sides.some((side) => mentions(side, name))
      : (item.kind === 'computed' || item.kind === 'objective') && mentions(item.of, name),
  ).length;

const isVariable = (item: Item, name: string): boolean => item.kind === 'variable' && item.name === name;

/** Whether a variable is more than a total: it has a domain or bounds, or it is a value. */
const isLimited = (name: string, items: readonly Item[]): boolean =>
  items.some(
    (item) =>
      (item.kind === 'value' && item.name === name) ||
      (item.kind === 'variable' &&
        item.name === name &&
        (item.domain !== 'continuous' ||
          item.lower !== undefined ||
          item.upper !== undefined ||
          item.index.over.length > 0)),
  );
