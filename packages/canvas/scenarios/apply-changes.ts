import { changed, isComputed, isText, noColumn, noMember } from '../model/adjustments.js';
import { indexOfWhere } from '../model/where.js';
import type { ModelCard } from '../model/model-card.js';
import { pathProblem } from '../../paths/index.js';
import {
  ambiguousColumn,
  checkFormula,
  type ColumnShape,
  type Condition,
  type Formula,
  changeableInputs,
  isConstant,
  isProblem,
  listNames,
  namesInCondition,
  namesOfIndex,
  parseCondition,
  parseFormula,
  shortened,
  type Vocabulary,
} from '../../modelling/index.js';
import { fieldOf } from '../card-shapes.js';
import { type DataContent, isSetOfFile, readData } from '../data-content.js';
import { type FileStates, fileKey } from '../data-file.js';
import { vocabularyOfCards } from '../derivation.js';
import { CARD_KINDS } from '../kinds/card-kinds.js';
import { membersOf, toMember } from '../members.js';
import { titlesOf } from '../wide-table.js';
import {
  arithmeticOf,
  type Change,
  type ChangeField,
  type ChangeProblem,
  operationOf,
  problemOfForm,
} from './change.js';
import { addedConstraint } from './added-constraint.js';
import { changedLimit } from './changed-limit.js';

/** Inputs for applying a scenario, in addition to its cards and changes. */
export interface ScenarioContext {
  /** File states for the cards that {@link withOtherFiles} returns. */
  files: FileStates;
  /** Name of the scenario. */
  name: string;
}

/** Cards after the changes. Invalid changes are skipped and reported in `problems`. */
export interface Outcome {
  cards: ModelCard[];
  problems: ChangeProblem[];
}

/**
 * Applies the changes of a scenario in order, except that file changes come first. Column changes are recorded in the
 * `adjustments` of the cards and take effect when the columns are read. The given cards are not modified.
 */
export function applyChanges(
  cards: readonly ModelCard[],
  changes: readonly Change[],
  context: ScenarioContext,
): Outcome {
  const application = new ChangeApplication(cards, changes, context);
  return application.run();
}

/** Returns the cards after the scenario's file changes. They are needed to look up the states of the new files. */
export function withOtherFiles(cards: readonly ModelCard[], changes: readonly Change[]): readonly ModelCard[] {
  let all = cards;
  for (const change of changes) {
    const fileCard =
      change.kind === 'file' && problemOfForm(change) === undefined ? cardOfFile(all, change) : undefined;
    if (typeof fileCard === 'object') all = withCardData(all, fileCard, { file_path: change.to });
  }
  return all;
}

/** Thrown to abort a change. Caught in this file. */
class Refusal extends Error {
  constructor(
    readonly field: ChangeField | undefined,
    readonly problem: string,
  ) {
    super(problem);
  }
}

function refuse(field: ChangeField | undefined, problem: string): never {
  throw new Refusal(field, problem);
}

/** Returns a card with the current values of the given names. */
function withChangedValues(
  card: ModelCard,
  names: ReadonlySet<string> | undefined,
  values: ReadonlyMap<string, number>,
): ModelCard {
  if (names === undefined) return card;
  const changes = Object.fromEntries(Array.from(names, (name) => [name, values.get(name)]));
  return { ...card, data: { ...card.data, values: { ...fieldOf<object>(card, 'values'), ...changes } } };
}

class ChangeApplication {
  private cards: readonly ModelCard[];
  private readonly vocabulary: Vocabulary;
  /** Current values. Changed values are written back to their cards at the end. */
  private readonly values: Map<string, number>;
  /** Names of the changed values, by card id. */
  private readonly changedNames = new Map<string, Set<string>>();
  private readonly problems: ChangeProblem[] = [];
  private readonly disabledCards: ModelCard[] = [];
  private added = 0;
  /** Cards of sets whose files have not been read. */
  private readonly unread: ModelCard[];

  constructor(
    originalCards: readonly ModelCard[],
    private readonly changes: readonly Change[],
    private readonly context: ScenarioContext,
  ) {
    this.cards = withOtherFiles(originalCards, changes);
    this.vocabulary = vocabularyFor(this.cards, context.files);
    this.values = new Map(this.vocabulary.values);
    this.unread = this.cards.filter((card) => isSetOfFile(card) && !this.isRead(contentOf(card)));
  }

  run(): Outcome {
    for (const [index, change] of this.changes.entries()) {
      const problem = problemOfForm(change);
      if (problem !== undefined) {
        this.problems.push({ index, ...problem });
        continue;
      }
      try {
        this.apply(change, index);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.problems.push({ index, problem: error.problem, ...(error.field && { field: error.field }) });
      }
    }
    const cards = this.cards.map((card) => withChangedValues(card, this.changedNames.get(card.id), this.values));
    return { cards, problems: this.problems };
  }

  private apply(change: Change, index: number): void {
    switch (change.kind) {
      case 'value':
        this.changeValue(change);
        break;
      case 'bound':
        this.changeBound(change);
        break;
      case 'limit':
        this.changeLimit(change);
        break;
      case 'column':
      case 'cell':
        this.changeColumn(change, index);
        break;
      case 'add':
        this.addConstraint(change);
        break;
      case 'off':
        this.switchOff(change);
        break;
      case 'file':
        this.checkFile(change);
    }
  }

  private changeValue(change: Change): void {
    const { target } = change;
    const holders = this.of('data').filter((card) => contentOf(card).values.has(target));
    const [card, duplicate] = holders;
    if (duplicate !== undefined) refuse('target', `several data cards have a value called ${shortened(target)}`);
    if (card === undefined)
      refuse('target', this.describeName(target, `no data card has a value called ${shortened(target)}`));
    const present = this.values.get(target) ?? contentOf(card).values.get(target) ?? NaN;
    this.values.set(target, assertFinite(changed(present, arithmeticOf(change)), change));
    const names = this.changedNames.get(card.id) ?? new Set();
    this.changedNames.set(card.id, names.add(target));
  }

  private changeBound(change: Change): void {
    const { name, side } = /^(?<name>.*)\.(?<side>lower|upper)$/s.exec(change.target)?.groups ?? {};
    if (name === undefined || side === undefined)
      refuse('target', 'write a bound as the name of its variable and `.lower` or `.upper`, as in `x.upper`');
    const [card, duplicate] = this.of('variable').filter((candidate) => fieldOf(candidate, 'name') === name);
    if (duplicate !== undefined) refuse('target', `several variables are called ${shortened(name)}`);
    if (card === undefined) refuse('target', this.describeName(name, `no variable is called ${shortened(name)}`));
    const currentBound = card.data[side] == null ? undefined : fieldOf<number | string>(card, side);
    if (card.data[side] != null && currentBound === undefined)
      refuse('target', `the ${side} bound of ${shortened(name)} is neither a number nor a formula`);
    this.updateData(card, { [side]: this.changedBound(change, card, side, currentBound) });
  }

  private changedBound(
    change: Change,
    card: ModelCard,
    side: string,
    currentBound: number | string | undefined,
  ): number | string {
    const { times, plus, to } = change;
    if (typeof to === 'number') return to;
    // The lower bound of a variable is 0 unless it is free.
    const present = currentBound ?? (side === 'lower' && fieldOf(card, 'free') !== true ? 0 : undefined);
    if (present === undefined)
      refuse(
        operationOf(change),
        `${shortened(fieldOf<string>(card, 'name') ?? '')} has no ${side} bound: use \`to\` to set one`,
      );
    if (typeof present === 'number') return assertFinite(changed(present, arithmeticOf(change)), change);
    const text = times === undefined ? `(${present}) + ${plus}` : `(${present}) * ${times}`;
    const formula = parseFormula(text);
    if (isProblem(formula)) refuse('target', `the changed ${side} bound is not a valid formula: ${formula.problem}`);
    return text;
  }

  private changeLimit(change: Change): void {
    const { target } = change;
    const [card, duplicate] = findCards(this.of('constraint'), target);
    if (duplicate !== undefined)
      refuse('target', `several constraints are called ${shortened(target)}: use the id of one of them`);
    if (card === undefined) refuse('target', `no constraint is called ${shortened(target)}`);
    const { families, variables } = this.vocabulary;
    const isVariable = (name: string): boolean => variables.has(name) || families.has(name);
    const expression = changedLimit(fieldOf<string>(card, 'expression') ?? '', arithmeticOf(change), isVariable);
    if (typeof expression !== 'string')
      refuse('target', `the limit of ${shortened(target)} cannot be changed: ${expression.problem}`);
    this.updateData(card, { expression });
  }

  private addConstraint({ target }: Change): void {
    const card = addedConstraint(target, this.added + 1, this.vocabulary, this.unread.length > 0);
    if (typeof card === 'string') refuse('target', card);
    this.added += 1;
    this.cards = [...this.cards, card];
  }

  private changeColumn(change: Change, index: number): void {
    const { target: column, where, key } = change;
    const shape = this.columnOf(column);
    const card =
      shape === undefined ? this.unread[0] : this.of('data').find((one) => contentOf(one).set?.name === shape.set);
    if (card === undefined) throw new Error('A column has no set');
    const parts = key?.map(toMember);
    if (parts !== undefined && shape !== undefined) this.checkKey(parts, column, contentOf(card));
    const condition = where === undefined ? undefined : parseCondition(where);
    if (condition !== undefined && isProblem(condition)) refuse('where', condition.problem);
    if (condition !== undefined && shape !== undefined) this.checkWhere(condition, shape.set, contentOf(card));
    const values = condition === undefined ? {} : this.valuesIn(condition);
    this.replaceCard({
      ...card,
      adjustments: [
        ...(card.adjustments ?? []),
        {
          place: index,
          called: `Change ${index + 1} (${shortened(column)}) of the scenario "${shortened(this.context.name)}"`,
          column,
          ...(where !== undefined && { where }),
          ...(parts !== undefined && { key: parts }),
          ...(Object.keys(values).length > 0 && { values }),
          ...arithmeticOf(change),
        },
      ],
    });
  }

  /** Returns a numeric column, or undefined if the column may exist in a file that has not been read. */
  private columnOf(name: string): ColumnShape | undefined {
    const [shape, duplicate] = this.vocabulary.columns.get(name) ?? [];
    if (shape === undefined) {
      const isOther =
        isConstant(name, this.vocabulary) || this.vocabulary.variables.has(name) || this.vocabulary.families.has(name);
      return this.unread.length > 0 && !isOther ? undefined : refuse('target', this.describeName(name, noColumn(name)));
    }
    if (duplicate !== undefined) refuse('target', ambiguousColumn(name, shape, duplicate));
    if (shape.isComputed === true) refuse('target', this.describeName(name, noColumn(name)));
    return shape.type === 'text' ? refuse('target', shape.misfit ?? isText(name)) : shape;
  }

  private checkKey(key: readonly string[], column: string, { set }: DataContent): void {
    if (set === undefined) return;
    if (key.length !== set.arity) {
      const parts = set.arity === 1 ? 'one part' : `${set.arity} parts`;
      refuse(
        'key',
        `${shortened(column)} is a column of ${shortened(set.name)}, whose members have ${parts}, not ${key.length}`,
      );
    }
    const members = membersOf(set);
    const [member = ''] = key;
    if (members?.has(member) === false) refuse('key', noMember(set.name, key));
  }

  private checkWhere(condition: Condition, set: string, { file, set: own }: DataContent): void {
    const isInFile = own?.members === undefined && file !== undefined;
    const isColumn = (name: string): boolean =>
      this.vocabulary.columns.get(name)?.some((shape) => shape.set === set) === true;
    const index = indexOfWhere(condition, { set, titles: isInFile ? titlesOf(file) : [set], isColumn });
    const zero: Formula = { sides: [{ kind: 'number', value: 0 }], relations: [] };
    const { problem, unknown } = checkFormula(zero, index, 'bound', this.vocabulary);
    // Unknown names may exist in a file that has not been read.
    if (unknown.length > 0 && this.unread.length > 0) return;
    if (unknown.length > 0) {
      const parts = namesOfIndex(index).filter((name) => !name.startsWith('#'));
      const availableNames = [...parts, ...this.columnsOver(set)];
      refuse(
        'where',
        `nothing is called ${listNames(unknown)}: the condition can use ${listNames(availableNames)} of ${shortened(set)}, and texts in double quotes`,
      );
    }
    if (problem !== undefined) refuse('where', problem.problem);
  }

  private columnsOver(set: string): string[] {
    return [...this.vocabulary.columns].flatMap(([name, shapes]) =>
      shapes.some((one) => one.set === set) ? [name] : [],
    );
  }

  /** Returns the current values of the names in a condition, and of the names that determine its computed numbers. */
  private valuesIn(condition: Condition): Record<string, number> {
    const stated = [...namesInCondition(condition)];
    const names = [...stated, ...stated.flatMap((name) => changeableInputs(name, this.vocabulary))];
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = this.values.get(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  private switchOff({ target }: Change): void {
    const matches = findCards(this.cards, target);
    const [card, duplicate] = matches.filter(({ card_type }) => CARD_KINDS[card_type].role !== 'names');
    if (duplicate !== undefined)
      refuse('target', `several cards are called ${shortened(target)}: use the id of one of them`);
    if (card !== undefined) {
      this.disabledCards.push(card);
      this.cards = this.cards.filter(({ id }) => id !== card.id);
      return;
    }
    const [requiredCard] = matches;
    if (requiredCard !== undefined)
      refuse(
        'target',
        `${shortened(target)} is ${requiredCard.card_type === 'data' ? 'data' : 'a variable'}: only constraints, objectives, KPIs and production requirements can be switched off`,
      );
    if (findCards(this.disabledCards, target).length > 0)
      refuse('target', `${shortened(target)} is already switched off`);
    refuse('target', `no constraint, objective, KPI or production requirement is called ${shortened(target)}`);
  }

  private checkFile(change: Change): void {
    const card = cardOfFile(this.cards, change);
    if (typeof card === 'string') refuse('target', card);
    const problem = pathProblem(String(change.to));
    if (problem !== undefined) refuse('to', problem);
    const { file } = contentOf(card);
    if (file !== undefined && this.context.files.get(fileKey(file)) === 'missing')
      refuse('to', `the workspace has no file ${shortened(file.path)}`);
  }

  private isRead({ file }: DataContent): boolean {
    const state = file === undefined ? undefined : this.context.files.get(fileKey(file));
    return typeof state === 'object' && state.problem === undefined;
  }

  /**
   * Explains what a name refers to.
   * @param unknownMessage message if the name is unknown
   */
  private describeName(name: string, unknownMessage: string): string {
    const { columns, families, variables, sets, computed } = this.vocabulary;
    const short = shortened(name);
    const [column] = columns.get(name) ?? [];
    if (computed?.has(name) === true) return isComputed(name, changeableInputs(name, this.vocabulary));
    if (this.values.has(name)) return `${short} is a value of a data card: use the kind \`value\``;
    if (column !== undefined)
      return `${short} is a column of ${shortened(column.set)}: use the kind \`column\`, or \`cell\` for one member`;
    if (families.has(name) || variables.has(name))
      return `${short} is a variable: to change its bounds, use \`${short}.lower\` or \`${short}.upper\` with the kind \`bound\``;
    if (sets.has(name)) return `${short} is a set: name one of its columns`;
    return unknownMessage;
  }

  private of(type: ModelCard['card_type']): ModelCard[] {
    return this.cards.filter(({ card_type }) => card_type === type);
  }

  private updateData(card: ModelCard, data: Record<string, unknown>): void {
    this.cards = withCardData(this.cards, card, data);
  }

  private replaceCard(card: ModelCard): void {
    this.cards = this.cards.map((one) => (one.id === card.id ? card : one));
    this.unread.splice(0, this.unread.length, ...this.unread.map((one) => (one.id === card.id ? card : one)));
  }
}

/** Cached vocabularies, by list of cards. Scenarios with the same files share a vocabulary. */
const vocabularies = new WeakMap<readonly ModelCard[], { files: FileStates; vocabulary: Vocabulary }>();

function vocabularyFor(cards: readonly ModelCard[], files: FileStates): Vocabulary {
  const cached = vocabularies.get(cards);
  if (cached?.files === files) return cached.vocabulary;
  const vocabulary = vocabularyOfCards(cards, files);
  vocabularies.set(cards, { files, vocabulary });
  return vocabulary;
}

/** Cached content by card data. A change replaces the data object, so entries never become stale. */
const contents = new WeakMap<object, DataContent>();

/** Returns the content of a data card. It is cached because scenarios read the same cards many times. */
function contentOf(card: ModelCard): DataContent {
  const content = contents.get(card.data) ?? readData(card);
  contents.set(card.data, content);
  return content;
}

/** Returns the card whose file a change replaces. Returns the problem if there is no such card. */
function cardOfFile(cards: readonly ModelCard[], { target }: Change): ModelCard | string {
  const data = cards.filter(({ card_type }) => card_type === 'data');
  const bySet = data.filter((card) => fieldOf(card, 'set') === target);
  const [card, duplicate] = bySet.length > 0 ? bySet : findCards(data, target);
  if (card === undefined) return `no set or data card is called ${shortened(target)}`;
  if (duplicate !== undefined) return `several data cards are called ${shortened(target)}: use the id of one of them`;
  return fieldOf(card, 'file_path') === undefined ? `${shortened(target)} is not read from a file` : card;
}

/** Returns the cards with a label or id. Prefers labels that match exactly over labels in a different case. */
function findCards(cards: readonly ModelCard[], target: string): ModelCard[] {
  const byId = cards.filter(({ id }) => id === target.toLowerCase());
  if (byId.length > 0) return byId;
  const exact = cards.filter(({ label }) => label === target);
  return exact.length > 0 ? exact : cards.filter(({ label }) => normalizedLabel(label) === normalizedLabel(target));
}

const normalizedLabel = (label: string): string => label.trim().toLowerCase();

const withCardData = (cards: readonly ModelCard[], card: ModelCard, data: Record<string, unknown>): ModelCard[] =>
  cards.map((one) => (one.id === card.id ? { ...one, data: { ...one.data, ...data } } : one));

function assertFinite(figure: number, change: Change): number {
  return Number.isFinite(figure) ? figure : refuse(operationOf(change), 'the number becomes too large');
}
