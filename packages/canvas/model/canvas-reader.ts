import {
  alternativesIn,
  Evaluator,
  type Formula,
  type Frame,
  type Index,
  KeyTable,
  limitedRows,
  namesOfIndex,
  parseFormula,
  parseIndex,
  noDecision,
  type RowDecision,
  type Rows,
  rowsOf,
  Space,
} from '../../modelling/index.js';
import { fieldOf } from '../card-shapes.js';
import type { CardType } from '../kinds/card-kinds.js';
import { ALTERNATIVES_OF_SOFT } from '../kinds/constraint.js';
import { FILE_FIELDS, SOLVER_FIELDS } from '../kinds/data.js';
import type { ZeroOrBetween } from '../kinds/variable.js';
import { requirementOf } from '../requirement.js';
import { columnSets, readData } from '../data-content.js';
import { problemOfDerivedSet } from '../derived-sets.js';
import { membersOf } from '../members.js';
import { HEADERS } from '../wide-table.js';
import { describeStray, strayVariables } from '../stray-variables.js';
import { wordedLimits } from '../worded-limits.js';
import {
  checkCoefficient,
  type Family,
  type Kpi,
  type Model,
  MODEL_LIMITS,
  ModelProblem,
  prepareModel,
  type Row,
  type Terms,
  toBound,
  type Variable,
  withinBinary,
} from '../../solver/index.js';
import type { ModelCard, SetTable } from './model-card.js';
import { adjust } from './adjustments.js';
import { CardFigures } from './card-figures.js';
import { ComputedData } from './computed-data.js';
import { DefinedVariablesOfModel } from './defined-variables.js';
import { readGoals } from './goals.js';
import { readSetOfFile } from './set-of-file.js';
import {
  assertParsed,
  assertWithinLimit,
  cardProblem,
  cardReference,
  expandFormula,
  formula,
  incompleteModel,
  optionalField,
  requiredField,
} from './card-fields.js';

const LIMIT_IN_WORDS = 'Its words do not constrain the plan: write a relation such as `chairs >= 10`';
const NO_TABLES: ReadonlyMap<string, SetTable> = new Map();
const NO_TERMS: Terms = { variables: [], coefficients: [] };

/**
 * Builds the model for a canvas.
 *
 * - Several objectives become a weighted sum with the sense of the first objective. Objectives with different priorities are
 *   optimized one after the other.
 * - The penalties of soft constraints are part of the objective with the first priority.
 * - A soft constraint may be violated at its penalty per unit.
 * - Requirements with a constraint ({@link requirementOf}) become hard constraints.
 * - Constraints have the labels of their cards. Constraints with an index are families: `make[oak chair]`,
 *   `Demand[oak chair, 3]`.
 *
 * @param tables tables of the sets in files, by card id
 * @throws ModelProblem that identifies the card and the problem
 */
export const readCanvas = (cards: readonly ModelCard[], tables: ReadonlyMap<string, SetTable> = NO_TABLES): Model =>
  new CanvasReader(cards, tables).read();

class CanvasReader {
  private readonly model: Model = {
    sense: 'minimize',
    objective: { variables: [], coefficients: [] },
    constant: 0,
    variables: [],
    rows: [],
    families: { variables: [], rows: [] },
    kpis: [],
  };
  private readonly space: Space;
  private readonly evaluator: Evaluator;
  private readonly defined: DefinedVariablesOfModel;
  private readonly computed: ComputedData;
  private readonly figures: CardFigures;
  /** Number of terms in all rows so far. */
  private terms = 0;
  /** Number of variables that need a helper so far. */
  private helpers = 0;

  constructor(
    private readonly cards: readonly ModelCard[],
    private readonly tables: ReadonlyMap<string, SetTable>,
  ) {
    this.space = new Space(
      [...tables.values()].flatMap((table) => ('file' in table ? [...(table.readings?.values() ?? [])] : [])),
    );
    this.defined = new DefinedVariablesOfModel(this.model.variables);
    this.evaluator = new Evaluator(this.space, (variable) => this.model.variables[variable]?.name ?? '', this.defined);
    this.computed = new ComputedData(this.of('data'), this.space, this.evaluator);
    this.figures = new CardFigures(this.space, this.evaluator);
  }

  read(): Model {
    const variables = this.of('variable');
    if (variables.length === 0) throw incompleteModel('The canvas has no variables: a model needs at least one');
    checkNames(variables, this.of('data'));
    const [stray] = strayVariables(this.cards);
    if (stray !== undefined) throw cardProblem(stray.card, describeStray(stray));
    // The order matters: formulas need data and variables, and the slack of soft constraints is added to the objective.
    const readers: Record<CardType, () => void> = {
      data: () => {
        for (const card of this.of('data')) this.readData(card);
        for (const card of this.of('data')) this.addColumnSet(card);
        const adjustments = this.cards.flatMap((card) => card.adjustments ?? []);
        adjust(this.space, this.evaluator, adjustments, (names) => this.computed.compute(names));
        this.computed.compute();
      },
      variable: () => variables.forEach((card) => this.readVariable(card)),
      objective: () => this.readObjectives(this.of('objective')),
      constraint: () => this.of('constraint').forEach((card) => this.readConstraint(card)),
      production_requirement: () => this.readRequirements(this.of('production_requirement')),
      kpi: () => this.of('kpi').forEach((card) => this.readKpi(card)),
    };
    for (const readCards of Object.values(readers)) readCards();
    prepareModel(this.model);
    return this.model;
  }

  private of(type: CardType): ModelCard[] {
    return this.cards.filter(({ card_type }) => card_type === type);
  }

  private readData(card: ModelCard): void {
    for (const field of [...SOLVER_FIELDS, ...FILE_FIELDS]) optionalField(card, field);
    const content = readData(card);
    const { values, set, columns } = content;
    if (content.computed.size > 0) optionalField(card, 'index');
    const contradiction = problemOfDerivedSet(card.data, content);
    if (contradiction !== undefined) throw cardProblem(card, contradiction.problem);
    for (const [name, value] of values) this.space.values.set(name, value);
    if (set?.isCyclic === true) this.space.cyclicSets.add(set.name);
    // The members of derived sets depend on other data, which is read first.
    if (set?.derivation !== undefined) return;
    if (set === undefined) {
      const [name] = columns.keys();
      if (name !== undefined) throw cardProblem(card, `the set for the members of ${name} is missing`);
      return;
    }
    const { name } = set;
    const table = this.tables.get(card.id);
    if (table !== undefined) readSetOfFile(this.space, card, content, table);
    else this.space.addSet(name, { titles: [name], keys: [Array.from(membersOf(set) ?? [])] });
    const { size, columns: parts } = this.space.sets.get(name)!;
    if (size === 0) throw cardProblem(card, `the members of ${name} are missing`);
    if (columns.size === 0) return;
    const members = Array.from({ length: size }, (_, place) =>
      parts.map((codes) => this.space.texts.text(codes[place]!)).join(', '),
    );
    const { texts } = this.space;
    for (const [column, { type, cells: inlineCells }] of columns) {
      // A date in the key of a cell may be written in another format than the members.
      const cells = new Map(Array.from(inlineCells, ([member, cell]) => [texts.text(texts.add(member)), cell]));
      const missing = members.find((member) => !cells.has(member));
      if (missing !== undefined) throw cardProblem(card, `${column} has no value for ${missing}`);
      const orderedCells = members.map((member) => cells.get(member)!);
      this.space.addColumn(
        column,
        type === 'number'
          ? { set: name, type, figures: Float64Array.from(orderedCells, Number) }
          : { set: name, type, texts: orderedCells.map(String) },
      );
    }
  }

  /** Adds the set that the columns of a wide table form, unless another card defines it. */
  private addColumnSet(card: ModelCard): void {
    const { columnsAs } = readData(card).file ?? {};
    const table = this.tables.get(card.id);
    if (columnsAs === undefined || table === undefined || 'problem' in table || this.space.sets.has(columnsAs)) return;
    const { headers = [], readings } = table;
    this.space.addSet(columnsAs, { titles: [columnsAs], keys: [headers], readings: [readings?.get(HEADERS)] });
  }

  private readVariable(card: ModelCard): void {
    const name = requiredField<string>(card, 'name');
    const domain = optionalField<'continuous' | 'integer' | 'binary'>(card, 'domain') ?? 'continuous';
    const index = readIndex(card);
    const frame = this.frame(card, index);
    const lowest = optionalField<boolean>(card, 'free') === true ? -Infinity : 0;
    const lower = this.figures.bound(card, 'lower', frame, lowest);
    const upper = this.figures.bound(card, 'upper', frame, Infinity);
    const range = optionalField<ZeroOrBetween>(card, 'zero_or_between')?.map((end) =>
      end === null ? undefined : this.figures.of(card, 'zero_or_between', end, frame),
    );
    const from = this.model.variables.length;
    if (range !== undefined) this.helpers += frame.size;
    assertWithinLimit(card, 'variables', from + frame.size + this.helpers, frame.size);
    const createVariable = (variableName: string, place: number): Variable => {
      const bounds = { lower: toBound(lower[place]!), upper: toBound(upper[place]!) };
      if (bounds.lower === Infinity || bounds.upper === -Infinity) throw cardProblem(card, 'its bound is too large');
      const { lower: low, upper: high } = domain === 'binary' ? withinBinary(bounds) : bounds;
      const created = { name: variableName, isInteger: domain !== 'continuous', lower: low, upper: high };
      if (range === undefined) return created;
      const least = range[0]![place]!;
      return withRange(card, created, { lower: least, upper: range[1]?.[place] ?? Math.max(high, least) });
    };
    if (index === undefined) {
      this.model.variables.push(createVariable(name, 0));
      this.space.variables.set(name, from);
      return;
    }
    const names = namesOfIndex(index);
    const columns = names.map((keyName) => frame.codes.get(keyName)!);
    const family = this.familyOf(name, index, frame, from);
    this.model.families.variables.push(family);
    for (let place = 0; place < frame.size; place += 1)
      this.model.variables.push(createVariable(`${name}${memberOf(family, place)}`, place));
    const table = new KeyTable(columns, frame.size);
    const readings = names.map((keyName) => frame.readings.get(keyName));
    this.space.families.set(name, { name, names, columns, size: frame.size, table, readings, from });
  }

  private frame(card: ModelCard, index: Index | undefined): Frame {
    return expandFormula(card, () => this.evaluator.rows(index));
  }

  private familyOf(name: string, index: Index, { codes, size }: Frame, from: number): Family {
    const names = namesOfIndex(index);
    const members = names.map((keyName) => Array.from(codes.get(keyName)!, (code) => this.space.texts.text(code)));
    return { name, keys: this.titlesOf(index, names), members, from, size };
  }

  /** Returns the titles of the key parts. They are the names of the key columns, with a number appended to duplicates. */
  private titlesOf({ over }: Index, names: readonly string[]): string[] {
    const titleCounts = new Map<string, number>();
    return names.map((name) => {
      const membership = over.find((candidate) => candidate.names.includes(name))!;
      const title = this.space.sets.get(membership.set)?.titles[membership.names.indexOf(name)] ?? name;
      const count = (titleCounts.get(title) ?? 0) + 1;
      titleCounts.set(title, count);
      return count === 1 ? title : `${title} ${count}`;
    });
  }

  private readObjectives(cards: ModelCard[]): void {
    const [first] = cards;
    if (first === undefined)
      throw incompleteModel('The canvas has no objective: what should be maximized or minimized?');
    const goals = readGoals(cards, this.evaluator, this.defined);
    Object.assign(this.model, goals);
    const all = [goals, ...(goals.priorities?.later ?? [])];
    const terms = all.reduce((sum, { objective }) => sum + objective.variables.length, 0);
    this.terms += terms;
    assertWithinLimit(first, 'terms', this.terms, terms);
  }

  private readConstraint(card: ModelCard): void {
    const [relation, index] = [formula(card), readIndex(card)];
    const classification = requiredField<string>(card, 'classification');
    this.addRelation(card, relation, index, classification === 'soft');
  }

  /** Reads requirements. Plain-text requirements do not prevent a solve unless they limit a name on the canvas. */
  private readRequirements(cards: ModelCard[]): void {
    const worded = wordedLimits(this.cards, this.space.variables).find((card) => cards.includes(card));
    if (worded !== undefined) throw cardProblem(worded, LIMIT_IN_WORDS);
    for (const card of cards) this.readRequirement(card);
  }

  private readRequirement(card: ModelCard): void {
    optionalField(card, 'expression');
    const required = requirementOf(card, this.space.variables);
    if (required === undefined) return;
    const { field, expression, index } = required;
    if (field === 'expression') optionalField(card, 'index');
    const over = index === undefined ? undefined : assertParsed(card, parseIndex(index));
    this.addRelation(card, assertParsed(card, parseFormula(expression)), over);
  }

  private addRelation(card: ModelCard, said: Formula, index: Index | undefined, isSoft = false): void {
    const whole = this.frame(card, index);
    const text = this.figures.withOptionalLimits(said);
    if (text.relations.length === 0) throw cardProblem(card, 'The formula needs <=, >= or =');
    if (isSoft && alternativesIn(text) > 1) throw cardProblem(card, ALTERNATIVES_OF_SOFT);
    this.defined.begin(card, false);
    const all = expandFormula(card, () => rowsOf(this.evaluator, text, whole, (at) => this.defined.isWhole(at)));
    all.forEach((expanded, at) => {
      const { rows, frame } = text === said ? { rows: expanded, frame: whole } : limitedRows(expanded, whole);
      const name = all.length > 1 ? `${card.label} (${at + 1})` : card.label;
      const from = this.model.rows.length;
      const family = index === undefined ? undefined : this.familyOf(name, index, frame, from);
      assertWithinLimit(card, 'rows', from + frame.size, frame.size);
      const terms = rows.terms.size + (rows.decisions?.length ?? 0) * frame.size;
      this.terms += terms;
      assertWithinLimit(card, 'terms', this.terms, terms);
      this.addRows(card, rows, family, name, isSoft ? this.figures.penalties(card, frame) : undefined);
      if (family !== undefined) this.model.families.rows.push(family);
    });
  }

  /** Reads a KPI. A KPI without a formula is ignored, and a formula that cannot be evaluated does not prevent a solve. */
  private readKpi(card: ModelCard): void {
    if (fieldOf<string>(card, 'expression') === undefined) return;
    const kpi: Kpi = {
      label: card.label,
      unit: fieldOf<string>(card, 'unit') ?? null,
      target: fieldOf<number>(card, 'target') ?? null,
    };
    this.model.kpis.push(kpi);
    try {
      const { sides, relations } = formula(card);
      if (relations.length > 0) return;
      this.defined.begin(card, true);
      const { constant, terms } = expandFormula(card, () => this.evaluator.figureOf(sides[0]));
      const size = terms.size;
      const used = { variables: terms.columns.subarray(0, size), coefficients: terms.coefficients.subarray(0, size) };
      kpi.figure = { constant, terms: used };
    } catch (error) {
      if (!(error instanceof ModelProblem)) throw error;
    }
  }

  private addRows(
    card: ModelCard,
    { terms, starts, lower, upper, decisions }: Rows,
    family: Family | undefined,
    name: string,
    penalties: Float64Array | undefined,
  ): void {
    const place = cardReference(card);
    for (let at = 0; at < terms.size; at += 1) checkCoefficient(terms.coefficients[at]!, place);
    for (let row = 0; row < lower.length; row += 1) {
      const modelRow: Row = { name, terms: NO_TERMS, lower: lower[row]!, upper: upper[row]! };
      if (Number.isFinite(modelRow.lower)) checkCoefficient(modelRow.lower, place);
      if (Number.isFinite(modelRow.upper)) checkCoefficient(modelRow.upper, place);
      const variables = terms.columns.subarray(starts[row], starts[row + 1]);
      const coefficients = terms.coefficients.subarray(starts[row], starts[row + 1]);
      modelRow.terms = { variables, coefficients };
      if (decisions !== undefined)
        addCondition(card, modelRow, decisions, { at: row, variables: this.model.variables });
      if (family !== undefined) modelRow.name += memberOf(family, row);
      if (penalties !== undefined) modelRow.terms = this.withSlack(modelRow, penalties[row]!);
      this.model.rows.push(modelRow);
    }
  }

  /** Adds slack variables to a row, so that it may be violated on each bounded side at a penalty per unit. */
  private withSlack({ terms, lower, upper }: { terms: Terms; lower: number; upper: number }, penalty: number): Terms {
    const { model } = this;
    const price = model.sense === 'maximize' ? -penalty : penalty;
    const variables = Array.from(terms.variables);
    const coefficients = Array.from(terms.coefficients);
    const prices = model.objective as { variables: number[]; coefficients: number[] };
    for (const sign of [...(lower === -Infinity ? [] : [1]), ...(upper === Infinity ? [] : [-1])]) {
      const index = model.variables.push({ name: '', isInteger: false, lower: 0, upper: Infinity, isSlack: true }) - 1;
      variables.push(index);
      coefficients.push(sign);
      prices.variables.push(index);
      prices.coefficients.push(price);
    }
    return { variables, coefficients };
  }
}

/** Makes a row conditional. A row whose condition can never be met has no bounds. */
function addCondition(
  card: ModelCard,
  row: Row,
  decisions: readonly RowDecision[],
  { at, variables: all }: { at: number; variables: readonly Variable[] },
): void {
  const variables: number[] = [];
  let isImpossible = false;
  const values: number[] = [];
  for (const { variables: ofRows, value } of decisions) {
    const variable = ofRows[at]!;
    // A variable that does not exist counts as 0.
    if (variable < 0 && value === 1) isImpossible = true;
    if (variable < 0) continue;
    const { name, isInteger, lower, upper } = all[variable]!;
    if (!isInteger || lower < 0 || upper > 1) throw cardProblem(card, noDecision(name));
    variables.push(variable);
    values.push(value);
  }
  if (isImpossible) Object.assign(row, { lower: -Infinity, upper: Infinity });
  if (isImpossible || variables.length > 0)
    row.when = { variables, values, below: 0, above: 0, ...(isImpossible && { isImpossible }) };
}

/** Adds the range of a variable that is 0 or in this range. @throws ModelProblem if the range cannot be used */
function withRange(card: ModelCard, variable: Variable, { lower, upper }: { lower: number; upper: number }): Variable {
  const { name } = variable;
  if (upper === Infinity) throw cardProblem(card, `${name} is 0 or at least ${lower}, so it needs an upper bound`);
  const called = `${name} is 0 or ${lower} to ${upper}`;
  if (lower < 0) throw cardProblem(card, `${called}: the smallest amount apart from 0 must not be negative`);
  if (lower > upper) throw cardProblem(card, `${called}: the largest amount is below the smallest amount`);
  const end = MODEL_LIMITS.rangeEnd;
  if (upper > end)
    throw cardProblem(
      card,
      `${called}: the largest amount must be at most ${end.toLocaleString('en')}, so use a larger unit`,
    );
  return lower === 0
    ? { ...variable, lower: Math.max(0, variable.lower), upper: Math.min(upper, variable.upper) }
    : { ...variable, zeroOr: { lower, upper } };
}

/** Rejects duplicate names. */
function checkNames(variables: readonly ModelCard[], data: readonly ModelCard[]): void {
  const usedNames = new Set<string>();
  for (const card of variables) {
    const name = requiredField<string>(card, 'name');
    if (usedNames.has(name)) throw cardProblem(card, `another variable is already called ${name}`);
    usedNames.add(name);
  }
  const contents = data.map((card) => readData(card));
  const columnNames = columnSets(contents);
  for (const [at, card] of data.entries()) {
    const { values, set, file, computed } = contents[at]!;
    const columnsAs = file?.columnsAs !== undefined && columnNames.delete(file.columnsAs) ? [file.columnsAs] : [];
    const ofSets = [...(set === undefined ? [] : [set.name]), ...columnsAs];
    for (const name of [...values.keys(), ...ofSets, ...computed.keys()]) {
      if (usedNames.has(name)) throw cardProblem(card, `something else is already called ${name}`);
      usedNames.add(name);
    }
  }
}

/** Formats a member as `[oak chair, 3]`. It must be fast, because it is called for hundreds of thousands of members. */
function memberOf({ members }: Family, place: number): string {
  let text = '[';
  for (let part = 0; part < members.length; part += 1)
    text += part === 0 ? members[part]![place]! : `, ${members[part]![place]!}`;
  return `${text}]`;
}

function readIndex(card: ModelCard): Index | undefined {
  const text = optionalField<string>(card, 'index');
  return text === undefined ? undefined : assertParsed(card, parseIndex(text));
}
