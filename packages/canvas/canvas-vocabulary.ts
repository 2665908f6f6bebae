import {
  type ColumnShape,
  type Computed,
  type Family,
  type Index,
  isProblem,
  namesOfIndex,
  readingsOfFamily,
  type SetShape,
  type Vocabulary,
} from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import {
  columnSetOf,
  type DataContent,
  type FileColumn,
  fileColumns,
  type InlineColumn,
  keysOf,
  partsOf,
  readingsOf,
} from './data-content.js';
import type { FileState } from './data-file.js';
import { addDerivedSets } from './derived-sets.js';
import { readIndex } from './expressions.js';

/** Maximum number of text comparisons per pass over a canvas. Repeated comparisons of the same columns are cached. */
const MAX_LOOKUPS = 2_000_000;

type Content = Pick<CardContent, 'card_type' | 'data'>;

/** Content of a data card, with the cached metadata of its file. */
interface DataSource {
  content: DataContent;
  state: FileState | undefined;
}

/**
 * Returns the meaning of all names in formulas. If several cards define a name, the first card takes precedence. The columns of
 * a wide table define a set only if no card defines it.
 *
 * @param contents contents of the data cards
 */
export function vocabularyOf(cards: readonly Content[], contents: readonly DataSource[]): Required<Vocabulary> {
  const sets = new Map<string, SetShape>();
  const columns = new Map<string, ColumnShape[]>();
  const values = new Map<string, number>();
  const families = new Map<string, Family>();
  const variables = new Set<string>();
  const wholes = new Set<string>();
  const decisions = new Set<string>();
  const computed = new Map<string, Computed>();
  for (const { content, state } of contents) {
    const { set, columns: inlineColumns, values: figures } = content;
    for (const [name, figure] of figures) values.set(name, figure);
    if (set === undefined || set.derivation !== undefined) continue;
    const facts = typeof state === 'object' ? state : undefined;
    const fallback = content.file?.fallback;
    const keys = keysOf(content, facts);
    const size = set.members === undefined && content.file?.isDistinct === false ? facts?.rows : undefined;
    const parts = partsOf(content, facts);
    const readings = readingsOf(content, facts);
    if (!sets.has(set.name))
      sets.set(set.name, {
        arity: set.arity,
        parts,
        readings,
        ...(keys !== undefined && { keys }),
        ...(size !== undefined && { size }),
        ...(set.isCyclic === true && { isCyclic: true }),
      });
    for (const [name, column] of inlineColumns) addColumn(columns, name, shapeOf(set.name, column));
    for (const [name, column] of fileColumns(content, facts))
      addColumn(columns, name, { ...shapeOf(set.name, column), ...(fallback !== undefined && { fallback }) });
  }
  for (const { content, state } of contents) {
    const columnSet = columnSetOf(content, typeof state === 'object' ? state : undefined);
    if (columnSet !== undefined && !sets.has(columnSet[0])) sets.set(...columnSet);
  }
  addDerivedSets(
    sets,
    contents.map(({ content }) => content),
  );
  for (const [name, { definition }] of contents.flatMap(({ content }) => [...content.computed])) {
    if (definition === undefined || computed.has(name)) continue;
    computed.set(name, definition);
    const { index, set } = definition;
    if (index === undefined || set === undefined) continue;
    const isOnCanvas = index.over.some((membership) => membership.set === set);
    if (!isOnCanvas && !sets.has(set))
      sets.set(set, { arity: namesOfIndex(index).length, readings: readingsOfFamily({ index }, { sets }) });
    addColumn(columns, name, { set, type: 'number', isComputed: true });
  }
  for (const card of cards) {
    const name = card.card_type === 'variable' ? fieldOf<string>(card, 'name') : undefined;
    if (name === undefined || variables.has(name) || families.has(name)) continue;
    const domain = fieldOf<string>(card, 'domain');
    if (domain === 'integer' || domain === 'binary') wholes.add(name);
    if (domain === 'binary') decisions.add(name);
    const index = indexOf(card);
    if (index === undefined) variables.add(name);
    else families.set(name, { index });
  }
  return {
    sets,
    columns,
    families,
    variables,
    decisions,
    wholes,
    values,
    computed,
    budget: { remaining: MAX_LOOKUPS },
  };
}

function addColumn(columns: Map<string, ColumnShape[]>, name: string, shape: ColumnShape): void {
  const shapes = columns.get(name);
  if (shapes === undefined) columns.set(name, [shape]);
  else shapes.push(shape);
}

function shapeOf(set: string, column: FileColumn | InlineColumn): ColumnShape {
  const { type, values, range, cells } = column;
  const { reading, misfit, origin, empty } = 'column' in column ? column : {};
  return {
    set,
    type,
    ...(values !== undefined && { values }),
    ...(range !== undefined && { range }),
    ...(cells !== undefined && { cells }),
    ...(reading !== undefined && { reading }),
    ...(misfit !== undefined && { misfit }),
    ...(empty !== undefined && { empty }),
    ...(origin !== undefined && 'column' in column && { origin, column: column.column }),
  };
}

/** Returns the parsed index of a card, or undefined if the index is missing or invalid. */
function indexOf(card: Content): Index | undefined {
  const text = fieldOf<string>(card, 'index');
  const index = text === undefined ? undefined : readIndex(text);
  return index === undefined || isProblem(index) ? undefined : index;
}
