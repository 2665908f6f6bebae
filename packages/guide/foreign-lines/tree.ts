/* The parts of a model in another modelling language, independent of its syntax. */

export const DIALECTS = ['AMPL', 'GAMS', 'Pyomo'] as const;
export type Dialect = (typeof DIALECTS)[number];

export type Node =
  | { kind: 'number'; value: number }
  | { kind: 'text'; text: string }
  /** Name, with keys if it has an index. */
  | { kind: 'reference'; name: string; keys: Node[] }
  /** `t - 1` and `t -- 1` as a key. */
  | { kind: 'lag'; index: string; by: number; isCyclic: boolean }
  | { kind: 'operation'; sign: '+' | '-' | '*' | '/'; left: Node; right: Node }
  | { kind: 'negative'; of: Node }
  | { kind: 'total'; combine: 'sum' | 'min' | 'max'; index: Index; of: Node }
  | { kind: 'call'; name: string; parts: Node[] }
  | { kind: 'count' | 'first' | 'last'; set: string }
  | { kind: 'position'; index: string }
  | { kind: 'choice'; when: Node; then: Node; otherwise: Node }
  | { kind: 'tuple'; parts: Node[] }
  | { kind: 'compare'; sign: string; left: Node; right: Node }
  | { kind: 'and' | 'or'; left: Node; right: Node }
  | { kind: 'not'; of: Node }
  | { kind: 'member'; of: Node; set: string };

/** Set with the names of its index. */
export interface Membership {
  names: string[];
  set: string;
}

export interface Index {
  over: Membership[];
  where?: Node;
}

export const NO_INDEX: Index = { over: [] };

/** Statement of a model. */
export type Draft =
  | { kind: 'set'; name: string; members: string[] | { from: number; to: number } }
  | { kind: 'value'; name: string; value: number }
  | { kind: 'cells'; name: string; set: string | undefined; cells: [member: string, value: number][] }
  /** Values that are declared here and given elsewhere. */
  | { kind: 'missing'; name: string; sets: string[] }
  | { kind: 'computed'; name: string; index: Index; of: Node }
  | {
      kind: 'variable';
      name: string;
      index: Index;
      domain: 'continuous' | 'integer' | 'binary';
      lower?: Node;
      upper?: Node;
    }
  /** The user decides between an objective and a constraint if the sense is missing. */
  | { kind: 'objective'; name: string; of: Node; sense?: 'maximize' | 'minimize'; total?: string }
  | { kind: 'constraint'; name: string; index: Index; sides: Node[]; relations: string[] }
  /** Statement without influence on the model. */
  | { kind: 'idle' }
  /** Statement that is part of the meaning of others. */
  | { kind: 'used' }
  | { kind: 'problem'; reason: string };

/** Statement of a model, with its text. */
export type Item = Draft & { source: string };

/** Names on the canvas. */
export interface Known {
  isVariable: (name: string) => boolean;
  /** Returns the set of each key of a variable or a column. */
  setsOf: (name: string) => readonly string[] | undefined;
  /** The only set with all these members. */
  setWith: (members: readonly string[]) => string | undefined;
  /** Spelling of a name on the canvas that differs in case only. */
  spelling: (name: string) => string | undefined;
}

/** Thrown if a statement cannot be translated. Caught for each statement. */
export class Untranslatable extends Error {}

export const number = (value: number): Node => ({ kind: 'number', value });
export const reference = (name: string, keys: Node[] = []): Node => ({ kind: 'reference', name, keys });

/** Yields a node and all its parts. */
export function* partsOf(node: Node): Generator<Node> {
  yield node;
  for (const part of childrenOf(node)) yield* partsOf(part);
}

function childrenOf(node: Node): Node[] {
  switch (node.kind) {
    case 'reference':
      return node.keys;
    case 'operation':
    case 'compare':
    case 'and':
    case 'or':
      return [node.left, node.right];
    case 'negative':
    case 'not':
    case 'member':
      return [node.of];
    case 'total':
      return [...(node.index.where === undefined ? [] : [node.index.where]), node.of];
    case 'call':
    case 'tuple':
      return node.parts;
    case 'choice':
      return [node.when, node.then, node.otherwise];
    default:
      return [];
  }
}

/** Returns the value of a number or a negated number. Returns undefined for other nodes. */
export function numberIn(node: Node | undefined): number | undefined {
  if (node?.kind === 'number') return node.value;
  const value = node?.kind === 'negative' ? numberIn(node.of) : undefined;
  return value === undefined ? undefined : -value;
}

/** Whether a name occurs in a node, outside of keys of the same name. */
export const mentions = (node: Node, name: string): boolean =>
  Array.from(partsOf(node)).some((part) => part.kind === 'reference' && part.name === name);
