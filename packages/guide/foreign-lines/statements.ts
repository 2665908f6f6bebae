import { readStatement } from '../grammar.js';
import type { Statement } from '../statement.js';
import type { Names } from './names.js';
import { type Item, Untranslatable } from './tree.js';
import { figure, writeBound, writeExpression, writeIndex, writeMember } from './writer.js';

/* Writes items as statements of the guide. Each statement is read again, so that it cannot mean anything else. */

/** Returns the statements for an item. @throws Untranslatable if the grammar has no counterpart */
export function statementsFor(item: Item, names: Names): string[] {
  switch (item.kind) {
    case 'set': {
      const { name, members } = item;
      const list = Array.isArray(members) ? members.map(writeMember).join(', ') : `${members.from} to ${members.to}`;
      if (Array.isArray(members) && members.length < 2)
        throw new Untranslatable('a list of members needs at least two members: read the set from a file');
      return [checked(`${names.of(name)}: ${list}`, 'members')];
    }
    case 'value':
      return [checked(`${names.of(item.name)} = ${figure(item.value)}`, 'relation')];
    case 'cells': {
      const { name, set, cells } = item;
      if (set === undefined)
        throw new Untranslatable(
          `it does not say for which set: write \`${names.of(name)} of products: a 1, b 2\` with the name of the set`,
        );
      const list = cells.map(([member, value]) => `${writeMember(member)} ${figure(value)}`).join(', ');
      return [checked(`${names.of(name)} of ${names.of(set)}: ${list}`, 'cells')];
    }
    case 'computed': {
      const { name, index, of } = item;
      const keys = index.over.flatMap((one) => one.names).map((one) => names.of(one));
      const left = keys.length === 0 ? names.of(name) : `${names.of(name)}[${keys.join(', ')}]`;
      return [checked(`compute ${left} = ${writeExpression(of, names)}${after(item.index, names)}`, 'definition')];
    }
    case 'variable':
      return variable(item, names);
    case 'objective': {
      const label = labelFor(names.of(item.name), 'objective');
      return [checked(`${item.sense ?? 'minimize'} ${label}: ${writeExpression(item.of, names)}`, 'objective')];
    }
    case 'constraint': {
      const { name, index, sides, relations } = item;
      const label = labelFor(names.of(name), 'relation');
      const body = sides.map(
        (side, at) => `${at === 0 ? '' : ` ${relations[at - 1] ?? ''} `}${writeExpression(side, names)}`,
      );
      return [checked(`${label}: ${body.join('')}${after(index, names)}, hard`, 'relation')];
    }
    case 'missing':
    case 'idle':
    case 'used':
      return [];
    case 'problem':
      throw new Untranslatable(item.reason);
  }
}

const after = (index: Extract<Item, { kind: 'constraint' }>['index'], names: Names): string =>
  index.over.length === 0 ? '' : ` for ${writeIndex(index, names)}`;

function variable({ name, index, domain, lower, upper }: Extract<Item, { kind: 'variable' }>, names: Names): string[] {
  const written = names.of(name);
  const isFamily = index.over.length > 0;
  const keys = index.over.flatMap((one) => one.names).map((one) => names.of(one));
  const subject = isFamily ? `${written}[${keys.join(', ')}]` : written;
  const behind = after(index, names);
  if (domain === 'binary') return [checked(`${subject} binary${behind}`, ...DECLARATIONS)];
  const kind = domain === 'integer' ? ' integer' : '';
  const bounds = [writeBound(lower, names), writeBound(upper, names)] as const;
  const [low, high] = bounds.map((bound) =>
    bound !== undefined && (isFamily || bound.isNumber) ? bound.text : undefined,
  );
  const isFree = low === undefined;
  const ranged =
    low !== undefined && high !== undefined
      ? `${low} <= ${subject} <= ${high}`
      : low !== undefined
        ? `${subject} >= ${low}`
        : subject;
  const declared = isFree ? `${subject}${kind} free${behind}` : `${ranged}${kind}${behind}`;
  const statements = [checked(declared, ...DECLARATIONS)];
  if (isFree && high !== undefined) statements.push(checked(`${subject} <= ${high}${behind}`, ...DECLARATIONS));
  for (const [at, bound] of bounds.entries())
    if (bound !== undefined && !isFamily && !bound.isNumber) {
      const label = `${written}_${at === 0 ? 'lower' : 'upper'}`;
      statements.push(checked(`${label}: ${subject} ${at === 0 ? '>=' : '<='} ${bound.text}, hard`, 'relation'));
    }
  return statements;
}

const DECLARATIONS = ['variables', 'family', 'relation'] as const;

/** Returns the statement if the guide reads it as such a statement, with the label before the colon of a formula. */
function checked(text: string, ...kinds: readonly Statement['kind'][]): string {
  const reading = readStatement(text);
  const { statement } = reading;
  const isOfFormula = kinds.length === 1 && (statement?.kind === 'relation' || statement?.kind === 'objective');
  const label = isOfFormula ? /^(?:(?:max|min)imize )?(?<label>[^:=]+):/.exec(text)?.groups?.['label'] : undefined;
  const isRead =
    statement !== undefined &&
    kinds.includes(statement.kind) &&
    (label === undefined || ('label' in statement && statement.label === label));
  if (isRead) return text;
  const reason = 'reason' in reading ? reading.reason : undefined;
  throw new Untranslatable(reason ?? `\`${text.slice(0, 80)}\` would have another meaning here: give it another name`);
}

/** Returns the label, or a longer label if the guide would not read it as a name. */
function labelFor(label: string, kind: 'objective' | 'relation'): string {
  const text = kind === 'objective' ? `minimize ${label}: x` : `${label}: x + y <= 4, hard`;
  const { statement } = readStatement(text);
  const isRead = statement?.kind === kind && statement.label === label;
  return isRead ? label : `${label}_${kind === 'objective' ? 'total' : 'limit'}`;
}
