import { tableFormat } from '../data-engine/index.js';
import { listFirst } from '../modelling/index.js';
import { isModelFile } from '../solver/index.js';
import { call, type Steps } from './steps.js';
import type { Turn } from './turn.js';
import type { Saying } from './answers.js';
import { apply, joined } from './apply.js';
import { Pauses } from './pauses.js';
import { quote } from './quote.js';
import type { Change, Sketch } from './sketch.js';
import type { Reading, Statement, StatementOf } from './statement.js';
import { changesScenarios, performScenarios, type SaidScenario } from './scenarios.js';
import { answerTable, introduceTable } from './table-answers.js';
import { refusedCards, replaceUnread, type UnreadCard, unreadCards } from './unread.js';
import { wordedLimits } from './worded-limits.js';

/** Maximum number of card calls per turn. The remaining calls are reserved for files, the solve and the question. */
const MAX_CHANGES = 44;
/** Maximum total number of calls for cards, scenarios and tables. A question about a table takes up to two calls. */
const MAX_CALLS = 44;
const MAX_CALLS_OF_QUESTION = 2;
/** Maximum number of statements that are read per turn, and maximum number that are applied. */
const MAX_READ = 1_000;
const MAX_STATEMENTS = 500;
/** Maximum number of rejected statements that an answer lists as reasons for not starting a solve. */
const MAX_QUOTED = 5;
/** Maximum number of tables that are introduced after a message without text. */
const MAX_INTRODUCED = 10;
/** Maximum number of workspace pages that are searched for a file. */
const MAX_PAGES = 3;

/** Result of applying the statements in a turn. */
export interface Draft {
  sketch: Sketch;
  /** Kinds of the applied statements. */
  kinds: Set<Statement['kind']>;
  /** Statements that were not understood or could not be applied, with the reason if known. */
  refused: RejectedStatement[];
  /** Questions about tables. */
  questions: { source: string; statement: StatementOf<'table'> }[];
  /** Statements about scenarios. */
  scenarios: SaidScenario[];
  /** Names of the scenarios to solve. Empty for all scenarios. */
  solved: string[];
  /** Statements beyond the turn's limits. */
  left: string[];
}

/** Statement that has no effect on the canvas. */
export interface RejectedStatement {
  source: string;
  reason?: string;
  /** Whether the statement cannot change the model, so that the turn may still solve it. */
  isHarmless?: boolean;
}

const IN_ORDER: ReadonlySet<Statement['kind']> = new Set(['objective', 'relation', 'family', 'several']);

/** Kinds of statements that do not change the model if they are ignored. */
const HARMLESS: ReadonlySet<Statement['kind']> = new Set(['remove', 'no_kpi', 'no_requirement', 'data_in_formulas']);

/**
 * Whether a failed statement becomes a card immediately, before the following statements are applied. It may replace a card
 * with the same name, so the order matters.
 */
const isInOrder = (statement: Statement): boolean =>
  IN_ORDER.has(statement.kind) && !(statement.kind === 'relation' && statement.label === undefined);

const isUnit = (statement: Statement | undefined): boolean => statement?.kind === 'variables' && !statement.declares;

/** `all constraints are hard` only fails if there are no constraints. */
const isOfAll = (statement: Statement | undefined): boolean =>
  statement?.kind === 'classify' && (statement.whom === 'all' || statement.whom === 'unclassified');

/** Statement after parsing, with the user's original text. */
export interface ParsedStatement {
  /** The user's original text. */
  source: string;
  reading: Reading;
}

/** Change to a card, and the error if it failed. */
export interface AppliedChange {
  change: Change;
  error?: string;
}

/** Parses statements. `left` contains the statements that exceed the limit. */
export async function readAll(sayings: Iterable<Saying>): Promise<{ said: ParsedStatement[]; left: string[] }> {
  const said: ParsedStatement[] = [];
  const left: string[] = [];
  const pauses = new Pauses();
  for (const { source, read } of sayings) {
    await pauses.step();
    if (said.length < MAX_READ) said.push({ source, reading: read() });
    else left.push(source);
  }
  return { said, left };
}

/**
 * Returns the paths of the files to which statements may refer. If a statement mentions any other file, searches the workspace.
 */
export async function* filesFor({ workspace, attachments }: Turn, said: readonly ParsedStatement[]): Steps<string[]> {
  const paths = new Set([...attachments.values(), ...workspace.files].map(({ path }) => path));
  const wanted = said.flatMap(({ reading: { statement } }) => {
    if (statement?.kind === 'table') return statement.of.path;
    if (statement?.kind === 'scenario')
      return statement.changes.flatMap((change) => (change.form === 'file' ? change.path : []));
    return statement?.kind === 'data_file' || statement?.kind === 'file_set' ? statement.path : [];
  });
  let offset: number | null = wanted.every((path) => paths.has(path)) ? null : 0;
  for (let page = 0; offset !== null && page < MAX_PAGES; page += 1) {
    const reply = yield* call('list_files', { recursive: true, offset });
    if (!reply.ok) break;
    const { files, next_offset } = reply.result as { files: { path: string }[]; next_offset: number | null };
    for (const { path } of files) paths.add(path);
    offset = next_offset;
  }
  return [...paths];
}

/**
 * Applies statements to a sketch of the canvas, in order. Statements about the model that cannot be parsed or applied become
 * cards that contain their text. All other failed statements are rejected. Statements beyond the limits are returned in `left`.
 */
export async function draft(
  said: readonly ParsedStatement[],
  sketch: Sketch,
  files: readonly string[],
): Promise<Draft> {
  const result: Draft = { sketch, kinds: new Set(), refused: [], questions: [], scenarios: [], solved: [], left: [] };
  const strange: { source: string; reason?: string; statement?: Statement }[] = [];
  let areAllSolved = false;
  const pauses = new Pauses();
  let applied = 0;
  const keep = (cards: readonly UnreadCard[], source: string): boolean => {
    applied += cards.length;
    for (const { type, label, data } of cards) sketch.put(type, label, data, source);
    return cards.length > 0;
  };
  for (const { source, reading } of said) {
    await pauses.step();
    const { statement } = reading;
    const hasRoom = applied < MAX_STATEMENTS && sketch.touched < MAX_CHANGES;
    const unread =
      statement === undefined ? unreadCards(source, sketch, false) : wordedLimits(statement, source, sketch);
    if (statement === undefined && unread.length === 0) {
      strange.push({ source, ...reading });
    } else if (!hasRoom) {
      result.left.push(source);
    } else if (statement === undefined || unread.length > 0) {
      keep(unread, source);
    } else {
      applied += 1;
      if (statement.kind === 'table') result.questions.push({ source, statement });
      if (changesScenarios(statement)) result.scenarios.push({ source, statement });
      if (statement.kind === 'solve_scenarios') {
        areAllSolved ||= statement.names === undefined;
        result.solved = areAllSolved ? [] : [...result.solved, ...(statement.names ?? [])];
      }
      const problems: (string | undefined)[] = [];
      for (const one of statement.kind === 'several' ? statement.statements : [statement]) {
        await pauses.step();
        problems.push(apply(one, { sketch, files }, source));
      }
      const reason = joined(problems);
      if (reason === undefined) {
        result.kinds.add(statement.kind);
        replaceUnread(statement, source, sketch);
      } else if (!isInOrder(statement) || !keep(refusedCards(statement, source, sketch), source)) {
        strange.push({ source, reason, statement });
      }
    }
  }
  // Later statements may define names that a failed statement uses.
  for (const { source, reason, statement } of strange) {
    await pauses.step();
    const hasRoom = applied < MAX_STATEMENTS && sketch.touched < MAX_CHANGES;
    if (hasRoom && statement !== undefined && statement.kind !== 'remove') {
      const again = apply(statement, { sketch, files }, source);
      if (again === undefined) {
        result.kinds.add(statement.kind);
        continue;
      }
    }
    const cards = statement === undefined ? unreadCards(source, sketch) : refusedCards(statement, source, sketch);
    if (cards.length > 0) {
      if (hasRoom) keep(cards, source);
      else result.left.push(source);
      continue;
    }
    const isHarmless =
      isUnit(statement) || isOfAll(statement) || (statement !== undefined && HARMLESS.has(statement.kind));
    result.refused.push({ source, ...(reason !== undefined && { reason }), isHarmless });
  }
  return result;
}

/**
 * Sends the changes in the sketch to the canvas, with one call per card. If a change fails or exceeds the limit, it is reverted
 * in the sketch. The statements that caused changes beyond the limit are added to `left`.
 */
export async function* perform({ sketch, left }: Draft, signal: AbortSignal): Steps<AppliedChange[]> {
  const made: AppliedChange[] = [];
  const changes = sketch.changes();
  for (const change of changes.slice(MAX_CHANGES)) {
    left.push(...change.card.causes);
    sketch.takeBack(change);
  }
  for (const change of changes.slice(0, MAX_CHANGES)) {
    if (signal.aborted) break;
    const { card } = change;
    const { id: card_id } = card;
    const reply = yield* change.kind === 'remove'
      ? call('remove_card', { card_id })
      : call('upsert_card', contentOf(change));
    if (reply.ok) {
      made.push({ change });
      if (change.kind === 'put') card.id = (reply.result as { card_id: string }).card_id;
    } else {
      made.push({ change, error: reply.error });
      sketch.takeBack(change);
    }
  }
  return made;
}

/** Returns the tool input that creates a card or changes its content. */
function contentOf({ card, data, label }: Extract<Change, { kind: 'put' }>): Record<string, unknown> {
  const { id: card_id, version, card_type } = card;
  if (card_id === undefined) return { card_type, label: card.label, data };
  return { card_id, version, data, ...(label !== undefined && { label }) };
}

const NOT_READ = 'I could not use it. Rephrase it, or write `solve` without it';

/** Returns the statements from a turn that are not on the canvas. A solve would ignore them. */
export const missingStatements = (
  refused: readonly RejectedStatement[],
  made: readonly AppliedChange[],
  left: readonly string[],
): string[] => [
  ...refused
    .filter(({ isHarmless }) => isHarmless !== true)
    .slice(0, MAX_QUOTED)
    .map(({ source, reason = NOT_READ }) => `${quote(source)}: ${reason}`),
  ...made.flatMap(({ change, error }) => (error === undefined ? [] : [`${quote(change.card.label)}: ${error}`])),
  ...left.slice(0, 1).map((source) => `${quote(source)} is not done yet`),
];

/** Applies statements about scenarios. Adds statements beyond the limit to `left`. */
export async function* changeScenarios(
  { sketch, scenarios, left }: Draft,
  made: readonly AppliedChange[],
  files: readonly string[],
): Steps<string[]> {
  const room = Math.max(0, MAX_CALLS - made.length);
  left.push(...scenarios.slice(room).map(({ source }) => source));
  return yield* performScenarios(scenarios.slice(0, room), sketch, files);
}

/** Answers questions about tables with a paragraph each. Adds questions beyond the limit to `left`. */
export async function* answerQuestions(
  { questions, scenarios, left }: Draft,
  made: readonly AppliedChange[],
  files: readonly string[],
): Steps<string[]> {
  const room = Math.floor((MAX_CALLS - made.length - scenarios.length) / MAX_CALLS_OF_QUESTION);
  left.push(...questions.slice(Math.max(0, room)).map(({ source }) => source));
  const answers: string[] = [];
  for (const { statement } of questions.slice(0, Math.max(0, room))) {
    answers.push(yield* answerTable(statement, files));
  }
  return answers;
}

/**
 * Introduces each file that is attached to the messages. Shows example questions for tables, and lists files that cannot be
 * read.
 */
export async function* introduceFiles({ messages, attachments }: Turn): Steps<string[]> {
  const toAnswer = messages.filter(({ to_answer }) => to_answer);
  const attached = toAnswer.flatMap(({ file_ids }) => file_ids);
  const paths = [...new Set(attached.flatMap((reference) => attachments.get(reference)?.path ?? []))];
  const tables = paths.filter((path) => tableFormat(path) !== undefined);
  const models = paths.filter((path) => isModelFile(path));
  const others = paths.filter((path) => !tables.includes(path) && !models.includes(path));
  const room = toAnswer.every(({ content }) => content.trim() === '') ? MAX_INTRODUCED : 1;
  const words: string[] = [];
  for (const path of tables.slice(0, room)) words.push(yield* introduceTable(path));
  const left = tables.slice(room);
  if (left.length > 0) words.push(`You can ask about ${quoted(left)} in the same way.`);
  if (models.length > 0) words.push(`To solve the model in ${quoted(models)}, start a run of the file.`);
  if (others.length > 0)
    words.push(
      `I cannot read ${quoted(others)}, because I can read only tables. The workspace keeps ${others.length === 1 ? 'it' : 'them'}.`,
    );
  return words;
}

const quoted = (paths: string[]): string =>
  listFirst(
    paths.map((path) => quote(path)),
    MAX_INTRODUCED,
  );
