import type { Card } from './card.entity.js';
import { fieldOf } from './card-shapes.js';
import { type Members, rangeOf, toMember } from './members.js';

/** What a data card says in itself, without its file. */
export interface DataContent {
  /** Figures by name. */
  values: ReadonlyMap<string, number>;
  set?: {
    name: string;
    /** Columns of its keys. */
    arity: number;
    /** As they are written: a list, or a range. Absent: none are. */
    members?: readonly (string | number)[] | string;
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
  if (card.card_type !== 'data') return NO_DATA;
  const values = new Map<string, number>();
  const columns = new Map<string, InlineColumn>();
  for (const [name, value] of Object.entries(fieldOf<Record<string, number | object>>(card, 'values') ?? {})) {
    if (typeof value === 'number') values.set(name, value);
    else columns.set(name, toColumn(value));
  }
  const name = fieldOf<string>(card, 'set');
  if (name === undefined) return { values, columns };
  const members = fieldOf<(string | number)[] | string>(card, 'members');
  return { values, columns, set: { name, arity: 1, ...(members !== undefined && { members }) } };
}

export const NO_DATA: DataContent = { values: new Map(), columns: new Map() };

/** The members that a set is written with; of those that are written twice the first. */
export function membersOf({ members }: NonNullable<DataContent['set']>): Members | undefined {
  return typeof members === 'string' ? rangeOf(members) : members && new Set(members.map(toMember));
}

/** How many figures, texts and members a card has written out, whether or not they can be read. */
export function sizeOf({ card_type, data: { values, members } }: DataCard): number {
  if (card_type !== 'data') return 0;
  let size = Array.isArray(members) ? members.length : 0;
  for (const value of Object.values(isObject(values) ? values : {}))
    size += isObject(value) ? Object.keys(value).length : 1;
  return size;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function toColumn(cells: object): InlineColumn {
  const entries = Object.entries(cells).map(([member, cell]): [string, number | string] => [
    toMember(member),
    cell as number | string,
  ]);
  return { type: typeof entries[0]?.[1] === 'number' ? 'number' : 'text', cells: new Map(entries) };
}
