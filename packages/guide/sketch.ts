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
  readIndex,
  type SolveJudgement,
  valuesOf,
  vocabularyOn,
} from '../canvas/index.js';
import { isProblem, mentionsOf, parseFormula, type Vocabulary } from '../modelling/index.js';
import type { StoredCard } from './turn.js';
import { replacedBy } from './replacements.js';

type Data = Record<string, unknown>;

/** A card as it would be after the statements read so far. */
export interface SketchCard {
  /** Of a card that is on the canvas. */
  id?: string;
  version?: number;
  card_type: CardType;
  label: string;
  data: Data;
  /** The statements that made it what it is, in the user's words. */
  causes: string[];
  /** Earlier content that the statements of this turn replace. */
  replaced?: string[];
}

/** Types by the word that people put before the name of a card. */
const TYPES = new Map<string, CardType>([['goal', 'objective']]);
for (const type of CARD_TYPES) TYPES.set(CARD_KINDS[type].title.toLowerCase(), type);
const TYPED = new RegExp(`^(?:the )?(?<word>${[...TYPES.keys(), 'card'].join('|')}) (?<plain>.+)$`, 'is');

const isOfPlan = (type: CardType): boolean => CARD_KINDS[type].role === 'plan';

/** What has to be done to a card of the canvas, or to have one. */
export type Change =
  | { kind: 'remove'; card: SketchCard }
  /** The data hold the keys to set, null for one to remove; the label only where it is new. */
  | { kind: 'put'; card: SketchCard; data: Data; label?: string };

/** A working copy of the canvas: statements change it, and what has changed becomes one call for each card. */
export class Sketch {
  readonly cards: SketchCard[];
  /** What is known of the files that its cards name. */
  files: FileStates = NO_FILES;
  private readonly before: SketchCard[];
  private knownValues: ReadonlyMap<string, number> | undefined;
  private usedNames: ReadonlySet<string> | undefined;
  /** By the data, which a change puts others in the place of. */
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

  of(type: CardType): SketchCard[] {
    return this.cards.filter(({ card_type }) => card_type === type);
  }

  /** The card of a type that is called so. Case counts if there are both, and in names that formulas use. */
  find(type: CardType, label: string): SketchCard | undefined {
    const cards = this.of(type);
    const exact = cards.find((card) => card.label === label);
    return exact ?? (CARD_KINDS[type].role === 'names' ? undefined : cards.find((card) => isSame(card.label, label)));
  }

  /**
   * The name on the canvas that differs from a new name in case alone; undefined if a formula uses the new name.
   *
   * @param own card with the new name, whose formula does not count
   */
  twinOf(name: string, own?: SketchCard): string | undefined {
    if (this.cards.some((card) => card !== own && this.mentionsOf(card).includes(name))) return undefined;
    return this.cards.flatMap(({ data }) => namesGivenBy(data)).find((one) => isSame(one, name));
  }

  /** A label that no card of a type has, such as `Constraint 3`. */
  freeLabel(type: CardType, noun: string): string {
    let number = this.of(type).length + 1;
    while (this.find(type, `${noun} ${number}`) !== undefined) number += 1;
    return `${noun} ${number}`;
  }

  variable(name: string): SketchCard | undefined {
    return this.of('variable').find((card) => fieldOf(card, 'name') === name);
  }

  /** Whether a formula has the name in it. */
  uses(name: string): boolean {
    return this.names.has(name);
  }

  /** Whether each of some names is that of a variable or a value. */
  knows(names: readonly string[]): boolean {
    const variables = new Set(this.of('variable').map((card) => fieldOf<string>(card, 'name')));
    return names.every((name) => variables.has(name) || this.values.has(name));
  }

  /** The objective or constraint that is called so. */
  withLabel(name: string): SketchCard | undefined {
    return this.resolve(name, ['objective', 'constraint']);
  }

  /** The objective or constraint that a name means, unless the name is a variable, a value or one of its own formula. */
  namedCard(name: string): SketchCard | undefined {
    if (this.knows([name])) return undefined;
    const card = this.withLabel(name) ?? (/^(?:objective|goal)$/i.test(name) ? this.of('objective')[0] : undefined);
    return card === undefined || this.namesOf(card).includes(name) ? undefined : card;
  }

  /** The cards with formulas that every plan is made from: objectives first. */
  withFormulas(): SketchCard[] {
    return CARD_TYPES.filter(isOfPlan).flatMap((type) => this.of(type));
  }

  /** The names in all formulas, in the order of their first place: objectives first. */
  get names(): ReadonlySet<string> {
    const cards = this.withFormulas();
    return (this.usedNames ??= new Set(cards.flatMap((card) => this.namesOf(card))));
  }

  /** Whether a word is the label of a card in any case, or a name that a card or a formula has. */
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
    const mentions = [
      ...namesGivenBy(card.data),
      ...mentionsOf(isProblem(formula) ? undefined : formula, isProblem(over) ? undefined : over),
    ];
    this.mentionsOfCards.set(card.data, mentions);
    return mentions;
  }

  /** The same of one card: what a statement does not change is not read again for it. */
  private namesOf(card: SketchCard): readonly string[] {
    const { expression = '', index } = formulaIn(card) ?? {};
    const names = this.namesOfCards.get(card.data) ?? namesInText(expression, index);
    this.namesOfCards.set(card.data, names);
    return names;
  }

  /** The data card that gives a name its value. */
  holderOf(value: string): SketchCard | undefined {
    return this.of('data').find((card) => Object.hasOwn(fieldOf<Data>(card, 'values') ?? {}, value));
  }

  /**
   * The card that a person means: by label, by the name of a variable, or by id, with a word for its type before it or not.
   * Upper and lower case count where there are both.
   */
  resolve(whom: string, types: readonly CardType[] = CARD_TYPES): SketchCard | undefined {
    return this.resolveExactly(whom, types) ?? this.among(whom, types, (card, name) => isSame(card.label, name));
  }

  /** The same of labels that are written in the same way only. */
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

  /** Sets keys of a card, which is made when there is none; null removes a key. */
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

  /** The figures that names in formulas stand for. */
  get values(): ReadonlyMap<string, number> {
    return (this.knownValues ??= valuesOf(this.contents()));
  }

  /** Whether a solve would read something else than before; cards that are as they were are not looked at. */
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

  /** Gaps and status of each card, in their order. */
  judge(): SolveJudgement[] {
    return judgeForSolve(this.contents(), this.files);
  }

  /** What follows for the project. */
  derive(): Derived {
    return derive(this.contents(), this.files);
  }

  /** What names in formulas stand for. */
  get vocabulary(): Vocabulary {
    return vocabularyOn(this.contents(), this.files);
  }

  /** Makes a card what it was before the change. */
  takeBack({ card }: Change): void {
    const old = this.before.find(({ id }) => id !== undefined && id === card.id);
    const at = this.cards.indexOf(card);
    this.cards.splice(at < 0 ? this.cards.length : at, at < 0 ? 0 : 1, ...(old === undefined ? [] : [old]));
    this.forget(card);
  }

  /** What was found out of the cards of a type does not hold any more. */
  private forget({ card_type }: SketchCard): void {
    this.mentionedNames = undefined;
    if (card_type === 'data') this.knownValues = undefined;
    if (isOfPlan(card_type)) this.usedNames = undefined;
  }

  /** How many cards are not as they were. */
  get touched(): number {
    const kept = this.cards.filter(({ id }) => id !== undefined).length;
    return this.cards.filter(({ causes }) => causes.length > 0).length + this.before.length - kept;
  }

  contents(): CardContent[] {
    return this.cards.map(({ id = '', card_type, label, data }) => ({ id, card_type, label, data }));
  }

  /** What makes the canvas what the sketch is now. */
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

/** The names that formulas can use because of a card. */
const namesGivenBy = ({ name, set, values, columns }: Data): string[] => [
  ...[name, set].filter((one) => typeof one === 'string'),
  ...Object.keys({ ...(values as Data | undefined), ...(columns as Data | undefined) }),
];

/** No name in a formula begins with a space. */
const labelKey = (label: string): string => ` ${label.trim().toLowerCase()}`;

const isSame = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();
