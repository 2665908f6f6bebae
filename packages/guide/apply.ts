import { isDeepStrictEqual } from 'node:util';
import {
  CARD_KINDS,
  type CardType,
  fieldOf,
  formulaIn,
  type IndexedFormula,
  MAX_LABEL_LENGTH,
} from '../canvas/index.js';
import {
  hasFigure,
  isName,
  isProblem,
  listFirst,
  mentionsOf,
  namesIn,
  nearestNames,
  parseFormula,
} from '../modelling/index.js';
import { tableFormat } from '../data-engine/index.js';
import { classify, confirm, countsData, remove, replacingAlternatives, set, VALUES } from './card-changes.js';
import { define, undefine, whyComputed } from './computed-numbers.js';
import { definitionIn } from './definition-grammar.js';
import { deriveSet, NO_SOURCE, setCard } from './derived-sets.js';
import { takeTranslated } from './foreign-cards.js';
import { namesCard, whyMisnamed } from './given-names.js';
import { applyGoal } from './goals.js';
import { addFacts, problemOfRange } from './limits.js';
import { quote } from './quote.js';
import { unreadFormula } from './open-statements.js';
import { assignmentIn, boundsIn, pairIn } from './relation-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Statement, StatementOf, VariableFacts } from './statement.js';
import { findFile } from './workspace-file.js';

/** Matches `2 tables + chairs` and `sum p in goods: make[p]`, but neither `cost-benefit` nor `3 shifts`. */
const COMPUTATION = / [-+*/] |\d ?[*/]|\]/;

/** Maximum number of variables in a statement, and maximum number of names in an error message. */
export const MAX_NAMES = 100;
const MAX_SHOWN = 10;

/** State to which statements are applied. */
export interface Application {
  sketch: Sketch;
  /** Paths of the existing workspace files. */
  files: readonly string[];
}

/**
 * Applies a statement to the sketch.
 *
 * @param cause the statement in the user's words
 * @returns the reason why it cannot be applied, without a full stop, or undefined if it was applied
 */
export function apply(statement: Statement, { sketch, files }: Application, cause: string): string | undefined {
  const misnamed = whyMisnamed(statement, sketch);
  if (misnamed !== undefined) return misnamed;
  switch (statement.kind) {
    case 'several':
      return joined(statement.statements.map((one) => apply(one, { sketch, files }, cause)));
    case 'objective':
      return applyObjective(statement, sketch, cause);
    case 'relation':
      return applyRelation(statement, sketch, cause);
    case 'family':
      return applyFamily(statement, sketch, cause);
    case 'goal':
      return applyGoal(statement, sketch, cause);
    case 'definition':
      return define(statement, sketch, cause);
    case 'members': {
      const { set, members, isCyclic } = statement;
      const data = { members, ...(isCyclic && { cyclic: true }) };
      const holder = setCard(sketch, set);
      if (holder !== undefined) sketch.change(holder, { ...NO_SOURCE, ...data }, cause);
      return holder === undefined ? put(sketch, 'data', set, { set, ...data }, cause) : undefined;
    }
    case 'derived_set':
      return deriveSet(statement, sketch, cause);
    case 'file_set':
      return applyFileSet(statement, sketch, files, cause);
    case 'cells':
      return applyCells(statement, sketch, cause);
    case 'column_name':
      return applyColumnName(statement, sketch, cause);
    case 'variables':
      return applyVariables(statement, sketch, cause);
    case 'classify':
      return classify(statement, sketch, cause);
    case 'kpi': {
      const parsed = parseFormula(statement.text);
      const isRead = !isProblem(parsed) && parsed.relations.length === 0;
      const isFormula =
        statement.label === undefined
          ? isRead && (COMPUTATION.test(statement.text) || sketch.areDefined(namesIn(parsed)))
          : isRead || /[[\]+*<>=≤≥]/.test(statement.text);
      const label = statement.label ?? statement.text;
      const data = isFormula ? { description: label, expression: statement.text } : { description: statement.text };
      return put(sketch, 'kpi', label, data, cause);
    }
    case 'no_kpi': {
      const data = { description: 'Only the value of the objective' };
      return whyStaying(statement, sketch, 'kpi') ?? putNothingMore(sketch, 'kpi', data, cause);
    }
    case 'data_file':
      return applyFile(statement.path, sketch, files, cause);
    case 'data_in_formulas': {
      const data = { in_formulas: true, description: 'All numbers are in the formulas' };
      return whyStaying(statement, sketch, 'data') ?? putNothingMore(sketch, 'data', data, cause);
    }
    case 'requirement':
      return applyRequirement(statement, sketch, cause);
    case 'no_requirement': {
      const data = { description: 'Nothing except the constraints', quantity: 0 };
      const staying = whyStaying(statement, sketch, 'production_requirement');
      return staying ?? putNothingMore(sketch, 'production_requirement', data, cause);
    }
    case 'confirm':
      return confirm(statement, sketch, cause);
    case 'translate':
      return takeTranslated(statement, sketch, cause);
    case 'remove':
      return remove(statement.whom, sketch, cause);
    case 'set':
      return set(statement, sketch, cause);
    case 'solve':
    case 'scenario':
    case 'remove_scenario':
    case 'show_scenarios':
    case 'solve_scenarios':
    case 'compare_scenarios':
    case 'help':
    case 'show':
    case 'table':
    case 'question':
    case 'what_if':
    case 'unclear_question':
    case 'undo':
    case 'how_to_give':
    case 'later':
    case 'courtesy':
      return undefined;
  }
}

function put(
  sketch: Sketch,
  type: CardType,
  label: string,
  data: Record<string, unknown>,
  cause: string,
): string | undefined {
  if (label.length > MAX_LABEL_LENGTH) return `a name can have at most ${MAX_LABEL_LENGTH} characters`;
  const outdated = sketch.find(type, CARD_KINDS[type].emptyListLabel ?? '');
  const card = sketch.put(type, label, data, cause);
  if (outdated !== undefined && outdated !== card) sketch.remove(outdated);
  return undefined;
}

/** Lists the existing cards that contradict a statement such as `kpi: none`. */
function whyStaying(
  { isFurther }: StatementOf<'no_kpi' | 'no_requirement' | 'data_in_formulas'>,
  sketch: Sketch,
  type: 'kpi' | 'production_requirement' | 'data',
): string | undefined {
  const isOther = ({ label, data }: SketchCard): boolean =>
    type === 'data'
      ? data['file_path'] !== undefined && data['set'] === undefined
      : label !== CARD_KINDS[type].emptyListLabel;
  const cards = sketch.of(type).filter(isOther);
  if (isFurther === true || cards.length === 0) return undefined;
  const word = type === 'production_requirement' ? 'requirement' : type;
  const removals = cards.map((card) => {
    const reference = `${word} ${card.label}`;
    return quote(`remove ${sketch.resolve(reference) === card ? reference : (card.id ?? card.label)}`);
  });
  const labels = cards.map(({ label }) => quote(label, 60));
  const [stay, them] = cards.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
  return `the ${word} ${listFirst(labels, MAX_SHOWN)} ${stay} on the canvas: write ${listFirst(removals, MAX_SHOWN)} to remove ${them}`;
}

/** Adds a card that marks the list of a card type as empty, unless the list contains cards. */
function putNothingMore(
  sketch: Sketch,
  type: CardType,
  data: Record<string, unknown>,
  cause: string,
): string | undefined {
  return sketch.of(type).length > 0
    ? undefined
    : put(sketch, type, CARD_KINDS[type].emptyListLabel ?? type, data, cause);
}

/** Adds or changes an objective. A changed objective must be confirmed again. */
function applyObjective(
  { sense, label, text, weight, priority, tolerance, tolerance_percent }: StatementOf<'objective'>,
  sketch: Sketch,
  cause: string,
): string | undefined {
  const formula = parseFormula(text);
  const isFormula = text !== '' && !isProblem(formula);
  const isWord = isFormula && formula.sides[0].kind === 'name';
  const isKnown = isFormula && sketch.areDefined(namesIn(formula));
  const hasFormula = label === undefined ? isFormula && (!isWord || isKnown) : text !== '';
  if (hasFormula && isProblem(formula)) return formula.problem;
  if (label === undefined && !isFormula && (hasFigure(text) || /[+*/<>=]/.test(text)))
    return isProblem(formula) ? formula.problem : undefined;
  const [only, ...others] = sketch.of('objective');
  const words = label ?? (hasFormula ? undefined : text);
  const name = words ?? (others.length === 0 ? only?.label : undefined) ?? 'Objective';
  const old = sketch.find('objective', name);
  if (
    old !== undefined &&
    old.causes.some((one) => one !== cause) &&
    unreadFormula(old) !== undefined &&
    words === undefined
  )
    return `an earlier objective in the message cannot be read: give each objective a name, as in \`maximize profit: 3x + 2y\``;
  const data = replacingAlternatives({
    ...(sense !== undefined && { sense }),
    ...(hasFormula && { expression: text }),
    ...(weight !== undefined && { weight }),
    ...(priority !== undefined && { priority }),
    ...(tolerance !== undefined && { tolerance }),
    ...(tolerance_percent !== undefined && { tolerance_percent }),
  });
  const isNew = old === undefined || Object.entries(data).some(([key, value]) => (old.data[key] ?? null) !== value);
  return put(sketch, 'objective', name, { ...data, ...(isNew && { confirmed: null }) }, cause);
}

/**
 * Applies a relation as a constraint, a value or a bound. If it has no label and only one name, it assigns a value or bounds to
 * that name.
 */
function applyRelation(statement: StatementOf<'relation'>, sketch: Sketch, cause: string): string | undefined {
  const { label, text, index, formula, counts } = statement;
  if (label === undefined && counts === undefined && index === undefined) {
    const assigned = assignmentIn(formula);
    if (assigned !== undefined && sketch.variable(assigned.name) === undefined) {
      const other = sketch.namedCard(assigned.name);
      if (other !== undefined) return namesCard(assigned.name, other);
      undefine(assigned.name, sketch, cause);
      const holder = sketch.holderOf(assigned.name) ?? sketch.find('data', VALUES);
      const values = { ...fieldOf<Record<string, number>>(holder ?? EMPTY, 'values'), [assigned.name]: assigned.value };
      const description = 'Values typed into the chat';
      if (holder === undefined) return put(sketch, 'data', VALUES, { values, description }, cause);
      sketch.change(holder, { values }, cause);
      return undefined;
    }
    const pair = pairIn(formula);
    if (pair.length > 0 && pair.every(({ name }) => sketch.variable(name) !== undefined))
      return joined(pair.map(({ name, facts }) => state(name, facts, sketch, cause)));
    const bounded = boundsIn(formula);
    if (bounded !== undefined) return state(bounded.name, bounded.facts, sketch, cause);
  }
  const same = sketch.of('constraint').find((card) => card.data['expression'] === text && card.data['index'] === index);
  const name = label ?? same?.label ?? sketch.freeLabel('constraint', 'Constraint');
  return put(sketch, 'constraint', name, { expression: text, index: index ?? null, ...countsData(counts) }, cause);
}

/**
 * Adds or changes a requirement. Fields that do not fit the new content are removed, such as the quantity if the requirement is
 * now a relation.
 */
function applyRequirement(statement: StatementOf<'requirement'>, sketch: Sketch, cause: string): string | undefined {
  const type = 'production_requirement';
  const { text: description, label, quantity, product } = statement;
  const relation = statement.relation ?? misspelledAmount(statement, sketch);
  if (relation !== undefined) {
    const same = sketch.of(type).find((card) => isDeepStrictEqual(formulaIn(card), relation));
    const name = label ?? same?.label ?? sketch.freeLabel(type, 'Requirement');
    const { expression, index = null } = relation;
    return put(sketch, type, name, { description, expression, index, quantity: null, product: null }, cause);
  }
  const amount = { ...(quantity !== undefined && { quantity }), ...(product !== undefined && { product }) };
  const known = quantity === undefined ? { quantity: null, product: null } : amount;
  const data = { description, expression: null, index: null, ...known };
  return put(sketch, type, label ?? product ?? description, data, cause);
}

/**
 * Converts `10 chiars` to a relation if there is a variable `chairs`. The misspelled name in the relation prevents a solve
 * until the name is corrected.
 */
function misspelledAmount(
  { quantity, product }: StatementOf<'requirement'>,
  sketch: Sketch,
): IndexedFormula | undefined {
  if (quantity === undefined || product === undefined || !isName(product) || sketch.areDefined([product]))
    return undefined;
  const names = sketch.of('variable').flatMap((card) => fieldOf<string>(card, 'name') ?? []);
  const [near] = nearestNames(product, names, 1);
  return near === undefined ? undefined : { expression: `${product} >= ${quantity}` };
}

/** Declares a variable for each member of an index, or sets its bounds. A relation between variables becomes a constraint. */
function applyFamily(statement: StatementOf<'family'>, sketch: Sketch, cause: string): string | undefined {
  const { name, index, facts, relation } = statement;
  const card = sketch.variable(name);
  const others = relation === undefined ? [] : mentionsOf(relation.formula, undefined).filter((one) => one !== name);
  const isConstraint = others.some((one) => sketch.variable(one) !== undefined);
  const isOfAll = card === undefined || card.data['index'] === index;
  if (relation !== undefined && (isConstraint || !isOfAll)) return applyRelation(relation, sketch, cause);
  const computed = whyComputed(name, sketch);
  if (computed !== undefined) return computed;
  const isBare = Object.keys(facts).every((key) => key === 'unit');
  // An equation for a column would be a second definition of its values.
  const isDefined = isBare || (card === undefined && definitionIn(statement) !== undefined);
  const [column] = (isDefined && sketch.vocabulary.columns.get(name)) || [];
  if (column !== undefined)
    return `${quote(name)} is a column of ${column.set}: use a new name${isBare ? ' for the variable' : ''}`;
  if (card === undefined) return putVariable(sketch, { name, index }, facts, cause);
  // Bounds alone do not replace the index of an existing variable.
  const isDeclared = isOfAll || isBare || facts.domain !== undefined;
  const subject = { card, name, index };
  const rangeProblem = problemOfRange(subject, facts, isDeclared);
  if (rangeProblem !== undefined) return rangeProblem;
  if (isDeclared) sketch.change(card, { index }, cause);
  addFacts(subject, facts, sketch, cause, isDeclared);
  return undefined;
}

function applyCells({ column, set, cells }: StatementOf<'cells'>, sketch: Sketch, cause: string): string | undefined {
  const holder = setCard(sketch, set);
  if (holder === undefined) return `no set is called ${quote(set)}: list its members first, as in \`${set}: a, b, c\``;
  const computed = whyComputed(column, sketch);
  if (computed !== undefined) return computed;
  const values = { ...fieldOf<Record<string, unknown>>(holder, 'values'), [column]: cells };
  sketch.change(holder, { values }, cause);
  return undefined;
}

function applyColumnName(
  { column, set, of }: StatementOf<'column_name'>,
  sketch: Sketch,
  cause: string,
): string | undefined {
  const holder = setCard(sketch, set);
  if (holder?.data['file_path'] === undefined)
    return `no set from a file is called ${quote(set)}: define it first, as in \`${set} from file.csv key ...\``;
  const computed = whyComputed(column, sketch);
  if (computed !== undefined) return computed;
  sketch.change(holder, { columns: { ...fieldOf<Record<string, string>>(holder, 'columns'), [column]: of } }, cause);
  return undefined;
}

const EMPTY: Pick<SketchCard, 'card_type' | 'data'> = { card_type: 'data', data: {} };

function applyVariables(
  { names, facts, declares }: StatementOf<'variables'>,
  sketch: Sketch,
  cause: string,
): string | undefined {
  if (names.length > MAX_NAMES) return `a statement can name at most ${MAX_NAMES} variables`;
  const strange = names.filter((name) => !declares && sketch.variable(name) === undefined);
  const [first] = strange;
  if (first !== undefined && tableFormat(facts.unit ?? '') !== undefined)
    return `to read them from the file, write ${quote(`${first} from ${facts.unit} key name`)} with the name of the column that identifies a row`;
  if (strange.length > 0)
    return `no variable is called ${listFirst(
      strange.map((name) => quote(name)),
      MAX_SHOWN,
    )}`;
  return joined(names.map((name) => state(name, facts, sketch, cause)));
}

/** Adds facts to the variable with this name. */
function state(name: string, facts: VariableFacts, sketch: Sketch, cause: string): string | undefined {
  if (sketch.values.has(name)) return `${quote(name)} is a value, not a variable`;
  const computed = whyComputed(name, sketch);
  if (computed !== undefined) return computed;
  const card = sketch.variable(name);
  const isDeclared = facts.domain !== undefined && sketch.uses(name);
  const other = isDeclared ? undefined : sketch.namedCard(name);
  if (other !== undefined) return namesCard(name, other);
  if (card === undefined) return putVariable(sketch, { name }, facts, cause);
  const index = fieldOf<string>(card, 'index');
  const subject = { card, name, ...(index !== undefined && { index }) };
  const rangeProblem = problemOfRange(subject, facts);
  if (rangeProblem === undefined) addFacts(subject, facts, sketch, cause);
  return rangeProblem;
}

/** Declares a variable with its facts. */
function putVariable(
  sketch: Sketch,
  subject: { name: string; index?: string },
  facts: VariableFacts,
  cause: string,
): string | undefined {
  const problem = put(sketch, 'variable', subject.name, { ...subject }, cause);
  const card = sketch.variable(subject.name);
  if (card !== undefined) addFacts({ card, ...subject }, facts, sketch, cause);
  return problem;
}

/** Adds or changes a set in a file. Replaces any earlier definition of the set, but keeps the dialect of the same table. */
function applyFileSet(
  { set, path, sheet, key, column, columnsAs, fallback }: StatementOf<'file_set'>,
  sketch: Sketch,
  files: readonly string[],
  cause: string,
): string | undefined {
  const found = findFile(path, files);
  if ('problem' in found) return found.problem;
  const holder = setCard(sketch, set);
  const isSameTable = holder?.data['file_path'] === found.path && holder.data['sheet'] === sheet;
  const data = {
    ...NO_SOURCE,
    ...(isSameTable && { dialect: holder.data['dialect'] }),
    set,
    file_path: found.path,
    ...(sheet !== undefined && { sheet }),
    ...(key !== undefined && { key }),
    ...(column !== undefined && { column }),
    ...(columnsAs !== undefined && { columns_as: columnsAs }),
    ...(fallback !== undefined && { default: fallback }),
  };
  if (holder === undefined) return put(sketch, 'data', set, data, cause);
  sketch.change(holder, data, cause);
  return undefined;
}

/** @param path path as written by the user. Its last segments are sufficient if they match a single file */
function applyFile(path: string, sketch: Sketch, files: readonly string[], cause: string): string | undefined {
  const found = findFile(path, files);
  return 'problem' in found ? found.problem : put(sketch, 'data', found.path, { file_path: found.path }, cause);
}

/** Joins the first distinct problems. Returns undefined if there are no problems. */
export function joined(problems: (string | undefined)[]): string | undefined {
  const found = [...new Set(problems.filter((problem) => problem !== undefined))];
  return found.length === 0 ? undefined : found.slice(0, 5).join(', and ');
}
