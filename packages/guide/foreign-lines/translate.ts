import { readStatement } from '../grammar.js';
import { readAmpl } from './ampl.js';
import { readGams } from './gams.js';
import { Names } from './names.js';
import { readPyomo } from './pyomo.js';
import { statementsFor } from './statements.js';
import { type Dialect, type Item, type Known, reference, Untranslatable } from './tree.js';

const READERS = { AMPL: readAmpl, GAMS: readGams, Pyomo: readPyomo };

/** A model in the statements of the guide. */
export interface Translation {
  dialect: Dialect;
  statements: string[];
  /** Formula that is either an objective or a constraint, with the name of its total. */
  open?: { name: string; asConstraint: string; formula: string };
  /** Statements that have no translation, with the reason. */
  problems: { source: string; reason: string }[];
  /** Statements that do not change the model. */
  idle: string[];
  /** Names without values, with their sets. */
  missing: { name: string; sets: string[] }[];
  /** Names that differ from the names in the text. */
  renamed: [from: string, to: string][];
}

/** Meaning of a formula that may be an objective. */
export type Role = 'maximize' | 'minimize' | 'constraint';

/** Translates statements in another language. Statements of the guide between them stay as they are. */
export function translate(dialect: Dialect, sources: readonly string[], known: Known, role?: Role): Translation {
  const read = READERS[dialect](sources, known);
  const items = read.map((item) => withFreeName(withSet(withRole(item, role), read), known));
  const names = new Names();
  const result: Translation = { dialect, statements: [], problems: [], idle: [], missing: [], renamed: [] };
  const given = new Set(
    items.flatMap((item) => ('name' in item && item.kind !== 'missing' && item.kind !== 'variable' ? [item.name] : [])),
  );
  for (const item of items) {
    if (item.kind === 'idle') result.idle.push(item.source);
    else if (item.kind === 'used') continue;
    else if (item.kind === 'missing') {
      if (!given.has(item.name))
        result.missing.push({ name: names.of(item.name), sets: item.sets.map((set) => names.of(set)) });
    } else {
      try {
        result.statements.push(...statementsFor(item, names));
        if (item.kind === 'objective' && item.sense === undefined) result.open = openFormula(item, names);
      } catch (error) {
        if (!(error instanceof Untranslatable)) throw error;
        if (isOwn(item)) result.statements.push(item.source.trim());
        else result.problems.push({ source: item.source, reason: error.message });
      }
    }
  }
  result.statements = [...new Set(result.statements)];
  result.renamed = names.changes;
  return result;
}

/** Whether a statement between lines of another language is a statement of the guide, such as `labour: 2 chairs <= 40`. */
function isOwn({ kind, source }: Item): boolean {
  if (kind !== 'problem' || /[{}()[\]$/;\n]|:=|\.\.|=[elgn]=/i.test(source)) return false;
  const { statement } = readStatement(source);
  return statement !== undefined && statement.kind !== 'variables' && statement.kind !== 'family';
}

/** Data cannot have the name of a variable on the canvas, which it would fix. */
function withFreeName(item: Item, known: Known): Item {
  const isData = item.kind === 'set' || item.kind === 'value' || item.kind === 'cells' || item.kind === 'computed';
  if (!isData || !known.isVariable(item.name)) return item;
  const reason = `\`${item.name}\` is a variable on the canvas: give the data another name`;
  return { source: item.source, kind: 'problem', reason };
}

/** Finds the set of figures that do not name it: the only set with all their members. */
function withSet(item: Item, items: readonly Item[]): Item {
  if (item.kind !== 'cells' || item.set !== undefined) return item;
  const sets = items.flatMap((one) => {
    if (one.kind !== 'set' || !Array.isArray(one.members)) return [];
    const members = new Set(one.members);
    return item.cells.every(([member]) => members.has(member)) ? [one.name] : [];
  });
  return sets.length === 1 ? { ...item, set: sets[0] } : item;
}

/** Gives a formula that may be an objective its role. */
function withRole(item: Item, role: Role | undefined): Item {
  if (item.kind !== 'objective' || item.sense !== undefined || role === undefined) return item;
  return role === 'constraint' ? constraintOf(item) : { ...item, sense: role };
}

const constraintOf = ({ source, name, of, total = name }: Extract<Item, { kind: 'objective' }>): Item => ({
  source,
  kind: 'constraint',
  name,
  index: { over: [] },
  sides: [reference(total), of],
  relations: ['='],
});

function openFormula(item: Extract<Item, { kind: 'objective' }>, names: Names): NonNullable<Translation['open']> {
  const [objective = ''] = statementsFor({ ...item, sense: 'minimize' }, names);
  const [asConstraint = ''] = statementsFor(constraintOf(item), names);
  return { name: item.name, asConstraint, formula: objective.replace(/^minimize /, '') };
}
