import { isDeepStrictEqual } from 'node:util';
import {
  CARD_KINDS,
  CARD_TYPES,
  type CardContent,
  type CardType,
  derive,
  type Derived,
  fieldOf,
  type FileStates,
  formulaIn,
  judgeForSolve,
  modelDigest,
  namesInText,
  NO_FILES,
  plainVariables,
  readData,
  readIndex,
  type SolveJudgement,
  valuesOf,
  vocabularyOfCards,
} from '../canvas/index.js';
import { inputsOf, isProblem, mentionsOf, parseFormula, type Vocabulary } from '../modelling/index.js';
import type { StoredCard } from './turn.js';
import { replacedBy } from './replacements.js';

type Data = Record<string, unknown>;

/** Card, including the changes from the statements applied so far. */
export interface SketchCard {
  /** Id of the card. This and `version` are absent if the card is not on the canvas yet. */
  id?: string;
  version?: number;
  card_type: CardType;
  label: string;
  data: Data;
  /** Statements that created or changed the card, in the user's words. */
  causes: string[];
  /** Earlier content that the statements in this turn replace. */
  replaced?: string[];
}

/** Card types by the words that may precede the name of a card. */
const TYPES = new Map<string, CardType>([['goal', 'objective']]);
for (const type of CARD_TYPES) TYPES.set(CARD_KINDS[type].title.toLowerCase(), type);
const TYPED = new RegExp(`^(?:the )?(?<word>${[...TYPES.keys(), 'card'].join('|')}) (?<plain>.+)$`, 'is');

const isOfPlan = (type: CardType): boolean => CARD_KINDS[type].role === 'plan';

/** Change to the canvas. */
export type Change =
  | { kind: 'remove'; card: SketchCard }
  /** `data` contains the changed keys, with null for removed keys. `label` is only set if it changes. */
  | { kind: 'put'; card: SketchCard; data: Data; label?: string };

/** Working copy of the canvas. Statements change the copy. Afterwards, each changed card results in a single call. */
export class Sketch {
  readonly cards: SketchCard[];
  /** States of the files that the cards refer to. */
  files: FileStates = NO_FILES;
  private readonly before: SketchCard[];
  private knownValues: ReadonlyMap<string, number> | undefined;
  private usedNames: ReadonlySet<string> | undefined;
  /** Names by card data. A change replaces the data object, so entries never become stale. */
  private readonly namesOfCards = new WeakMap<Data, readonly string[]>();
  private readonly mentionsOfCards = new WeakMap<Data, readonly string[]>();
  private mentionedNames: ReadonlySet<string> | undefined;

  constructor(cards: readonly StoredCard[]) {
    this.cards = cards.flatMap(({ id, version, card_type, label, data }) => {
      const known = CARD_TYPES.find((type) => type === card_type);
      return known === undefined ? [] : [{ id, version, card_type: known, label, data: { ...data }, causes: [] }];
    });
    this.before = this.cards.map((card) => ({ ...card }));
  }

  /** Returns an independent copy. */
  copy(): Sketch {
    return new Sketch(this.contents().map((card) => ({ ...card, version: 0 })));
  }

  of(type: CardType): SketchCard[] {
    return this.cards.filter(({ card_type }) => card_type === type);
  }

  /**
   * Returns the card with a type and label. An exact match takes precedence over a match in a different case. Labels of
   * variables and data must match exactly, because formulas use them.
   */
  find(type: CardType, label: string): SketchCard | undefined {
    const cards = this.of(type);
    const exact = cards.find((card) => card.label === label);
    return exact ?? (CARD_KINDS[type].role === 'names' ? undefined : cards.find((card) => isSame(card.label, label)));
  }

  /**
   * Returns an existing name that differs from a new name only in case. Returns undefined if a formula already uses the new
   * name.
   *
   * @param own card with the new name, whose formula is ignored
   */
  caseVariantOf(name: string, own?: SketchCard): string | undefined {
    if (this.cards.some((card) => card !== own && this.mentionsOf(card).includes(name))) return undefined;
    return this.cards.flatMap(({ data }) => namesGivenBy(data)).find((one) => isSame(one, name));
  }

  /** Returns an unused label for a card type, such as `Constraint 3`. */
  freeLabel(type: CardType, noun: string): string {
    let number = this.of(type).length + 1;
    while (this.find(type, `${noun} ${number}`) !== undefined) number += 1;
    return `${noun} ${number}`;
  }

  variable(name: string): SketchCard | undefined {
    return this.of('variable').find((card) => fieldOf(card, 'name') === name);
  }

  /** Whether a formula contains the name. */
  uses(name: string): boolean {
    return this.names.has(name);
  }

  /** Whether all names are variables or constants. */
  areDefined(names: readonly string[]): boolean {
    const variables = new Set(this.of('variable').map((card) => fieldOf<string>(card, 'name')));
    return names.every((name) => variables.has(name) || this.values.has(name) || this.computes(name));
  }

  /** Returns the objective or constraint with this label. */
  withLabel(name: string): SketchCard | undefined {
    return this.resolve(name, ['objective', 'constraint']);
  }

  /**
   * Returns the objective or constraint to which a name in a formula refers. Returns undefined if the name is a variable or a
   * value, or if the formula of that objective or constraint contains it.
   */
  namedCard(name: string): SketchCard | undefined {
    if (this.areDefined([name])) return undefined;
    const card = this.withLabel(name) ?? (/^(?:objective|goal)$/i.test(name) ? this.of('objective')[0] : undefined);
    return card === undefined || this.namesOf(card).includes(name) ? undefined : card;
  }

  /** Returns the cards whose formulas determine a plan, objectives first. */
  withFormulas(): SketchCard[] {
    return CARD_TYPES.filter(isOfPlan).flatMap((type) => this.of(type));
  }

  /** Names in all formulas in the order of first occurrence, objectives first. */
  get names(): ReadonlySet<string> {
    const cards = this.withFormulas();
    return (this.usedNames ??= new Set(cards.flatMap((card) => this.namesOf(card))));
  }

  /** Whether a word is the label of a card in any case, or a name that a card or formula contains. */
  mentions(word: string): boolean {
    const names = (this.mentionedNames ??= new Set(
      this.cards.flatMap((card) => [labelKey(card.label), ...this.mentionsOf(card)]),
    ));
    return names.has(word) || names.has(labelKey(word));
  }

  private mentionsOf(card: SketchCard): readonly string[] {
    const known = this.mentionsOfCards.get(card.data);
    if (known !== undefined) return known;
    const { expression = '', index = '' } = formulaIn(card) ?? {};
    const [formula, over] = [parseFormula(expression), readIndex(index)];
    const { computed, set } = readData(card);
    const { derivation = {} } = set ?? {};
    const mentions = [
      ...namesGivenBy(card.data),
      ...mentionsOf(isProblem(formula) ? undefined : formula, isProblem(over) ? undefined : over),
      ...[...computed.values()].flatMap(({ definition = {} }) => inputsOf(definition)),
      ...('problem' in derivation ? [] : inputsOf(derivation)),
    ];
    this.mentionsOfCards.set(card.data, mentions);
    return mentions;
  }

  /** Returns the names in a card's formula. Results are cached, so that unchanged cards are parsed only once. */
  private namesOf(card: SketchCard): readonly string[] {
    const { expression = '', index } = formulaIn(card) ?? {};
    const names = this.namesOfCards.get(card.data) ?? namesInText(expression, index);
    this.namesOfCards.set(card.data, names);
    return names;
  }

  /** Returns the data card that defines a value. */
  holderOf(value: string): SketchCard | undefined {
    return this.of('data').find((card) => Object.hasOwn(fieldOf<Data>(card, 'values') ?? {}, value));
  }

  /** Whether a name is a computed constant. */
  private computes(name: string): boolean {
    const card = this.computing(name);
    return card !== undefined && card.data['index'] === undefined;
  }

  /** Returns the data card that computes a constant or a column with this name. */
  computing(name: string): SketchCard | undefined {
    return this.of('data').find((card) => Object.hasOwn(fieldOf<Data>(card, 'computed') ?? {}, name));
  }

  /**
   * Returns the card to which a user refers by label, by variable name, or by id. A word for the card type may precede the
   * name. An exact match takes precedence over a match in a different case.
   */
  resolve(whom: string, types: readonly CardType[] = CARD_TYPES): SketchCard | undefined {
    return this.resolveExactly(whom, types) ?? this.among(whom, types, (card, name) => isSame(card.label, name));
  }

  /** Returns the card to which a user refers. The case must match. */
  resolveExactly(whom: string, types: readonly CardType[] = CARD_TYPES): SketchCard | undefined {
    return this.among(
      whom,
      types,
      (card, name) =>
        card.label === name ||
        card.id === name ||
        (card.card_type === 'variable' && fieldOf<string>(card, 'name') === name),
    );
  }

  private among(
    whom: string,
    types: readonly CardType[],
    isMeant: (card: SketchCard, name: string) => boolean,
  ): SketchCard | undefined {
    const text = whom.trim().replace(/^["'`](.+)["'`]$/, '$1');
    const { word = '', plain = text } = TYPED.exec(text)?.groups ?? {};
    const cards = this.cards.filter(({ card_type }) => types.includes(card_type));
    const ofType = cards.filter(({ card_type }) => card_type === TYPES.get(word.toLowerCase()));
    return (
      cards.find((card) => isMeant(card, text)) ??
      ofType.find((card) => isMeant(card, plain)) ??
      cards.find((card) => isMeant(card, plain))
    );
  }

  /** Sets fields on a card, and creates the card if it does not exist. Null removes a field. */
  put(type: CardType, label: string, data: Data, cause: string): SketchCard {
    const card = this.find(type, label) ?? { card_type: type, label, data: {}, causes: [] };
    if (!this.cards.includes(card)) this.cards.push(card);
    return this.change(card, data, cause);
  }

  change(card: SketchCard, data: Data, cause: string): SketchCard {
    this.forget(card);
    card.replaced = [...(card.replaced ?? []), ...replacedBy(card.data, data)];
    card.data = Object.fromEntries(Object.entries({ ...card.data, ...data }).filter(([, value]) => value != null));
    if (!card.causes.includes(cause)) card.causes.push(cause);
    return card;
  }

  remove(card: SketchCard): void {
    this.forget(card);
    this.cards.splice(this.cards.indexOf(card), 1);
  }

  /** Constants by name. */
  get values(): ReadonlyMap<string, number> {
    return (this.knownValues ??= valuesOf(this.contents()));
  }

  /** Whether the changes affect the result of a solve. Unchanged cards are skipped. */
  get changesModel(): boolean {
    const kept = new Set(this.before.map(({ data }) => data));
    const now = new Set(this.cards.map(({ data }) => data));
    const variables = plainVariables(this.cards);
    return (
      modelDigest(
        this.before.filter(({ data }) => !now.has(data)),
        variables,
      ) !==
      modelDigest(
        this.cards.filter(({ data }) => !kept.has(data)),
        variables,
      )
    );
  }

  /** Returns the gaps and status of each card, in order. */
  judge(): SolveJudgement[] {
    return judgeForSolve(this.contents(), this.files);
  }

  /** Returns the project fields derived from the cards. */
  derive(): Derived {
    return derive(this.contents(), this.files);
  }

  /** Meaning of the names in formulas. */
  get vocabulary(): Vocabulary {
    return vocabularyOfCards(this.contents(), this.files);
  }

  /** Restores a card's state from before the change. */
  takeBack({ card }: Change): void {
    const old = this.before.find(({ id }) => id !== undefined && id === card.id);
    const at = this.cards.indexOf(card);
    this.cards.splice(at < 0 ? this.cards.length : at, at < 0 ? 0 : 1, ...(old === undefined ? [] : [old]));
    this.forget(card);
  }

  /** Clears the caches that depend on cards of a type. */
  private forget({ card_type }: SketchCard): void {
    this.mentionedNames = undefined;
    if (card_type === 'data') this.knownValues = undefined;
    if (isOfPlan(card_type)) this.usedNames = undefined;
  }

  /** Number of changed cards. */
  get touched(): number {
    const kept = this.cards.filter(({ id }) => id !== undefined).length;
    return this.cards.filter(({ causes }) => causes.length > 0).length + this.before.length - kept;
  }

  contents(): CardContent[] {
    return this.cards.map(({ id = '', card_type, label, data }) => ({ id, card_type, label, data }));
  }

  /** Returns the changes that turn the canvas into the sketch. */
  changes(): Change[] {
    const removed = this.before.filter(({ id }) => !this.cards.some((card) => card.id === id));
    const put = this.cards.flatMap((card): Change[] => {
      const old = this.before.find(({ id }) => id !== undefined && id === card.id);
      const keys = new Set([...Object.keys(old?.data ?? {}), ...Object.keys(card.data)]);
      const changed = [...keys].filter((key) => !isDeepStrictEqual(old?.data[key], card.data[key]));
      if (old !== undefined && changed.length === 0 && old.label === card.label) return [];
      const data = Object.fromEntries(changed.map((key) => [key, card.data[key] ?? null]));
      return [{ kind: 'put', card, data, ...(old?.label !== card.label && { label: card.label }) }];
    });
    return [...removed.map((card): Change => ({ kind: 'remove', card })), ...put];
  }
}

/** Returns the names that a card defines for formulas. */
const namesGivenBy = ({ name, set, values, columns, computed }: Data): string[] => [
  ...[name, set].filter((one) => typeof one === 'string'),
  ...[values, columns, computed].flatMap((names) => Object.keys((names as Data | undefined) ?? {})),
];

/** Returns the lookup key of a label. The key begins with a space, so it cannot equal a name in formulas. */
const labelKey = (label: string): string => ` ${label.trim().toLowerCase()}`;

const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();
