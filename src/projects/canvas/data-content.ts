import type { Card } from './card.entity.js';
import { fieldOf } from './card-shapes.js';
import { rangeOf, toMember } from './members.js';

/** What a data card says in itself, without its file. */
export interface DataContent {
  /** Figures by name. */
  values: ReadonlyMap<string, number>;
  set?: {
    name: string;
    /** Columns of its keys. */
    arity: number;
    /** In order, each once; absent: they stand in the file. */
    members?: readonly string[];
  };
  /** Columns over the set, by name. */
  columns: ReadonlyMap<string, InlineColumn>;
}

/** A column that is written into a card: cells by member, all of one type. */
export interface InlineColumn {
  type: 'number' | 'text';
  cells: ReadonlyMap<string, number | string>;
}

type DataCard = Pick<Card, 'card_type' | 'data'>;

/** What one data card says; nothing of other cards. */
export function readData(card: DataCard): DataContent {
  if (card.card_type !== 'data') return { values: new Map(), columns: new Map() };
  const values = new Map<string, number>();
  const columns = new Map<string, InlineColumn>();
  for (const [name, value] of Object.entries(fieldOf<Record<string, number | object>>(card, 'values') ?? {})) {
    if (typeof value === 'number') values.set(name, value);
    else columns.set(name, toColumn(value));
  }
  const name = fieldOf<string>(card, 'set');
  if (name === undefined) return { values, columns };
  const members = membersOf(fieldOf<(string | number)[] | string>(card, 'members'));
  return { values, columns, set: { name, arity: 1, ...(members !== undefined && { members }) } };
}

function membersOf(members: (string | number)[] | string | undefined): string[] | undefined {
  return typeof members === 'string' ? rangeOf(members) : members?.map(toMember);
}

function toColumn(cells: object): InlineColumn {
  const entries = Object.entries(cells).map(([member, cell]): [string, number | string] => [
    toMember(member),
    cell as number | string,
  ]);
  return { type: typeof entries[0]?.[1] === 'number' ? 'number' : 'text', cells: new Map(entries) };
}
