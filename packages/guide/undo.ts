import { isDeepStrictEqual } from 'node:util';
import type { Message, ToolCall } from '../conversation/index.js';
import { CARD_TYPES, type CardType } from '../canvas/index.js';
import { listFirst } from '../modelling/index.js';
import { describeCard } from './describe.js';
import { readStatement } from './grammar.js';
import { splitStatements } from './lines.js';
import { bullets, quote } from './quote.js';
import type { Sketch, SketchCard } from './sketch.js';

/*
 * Undoes the last change to cards that the guide made in this conversation. Only restores content that is known from the
 * recorded calls.
 */

const MAX_SHOWN = 20;
const CAUSE = 'undo';

type Data = Record<string, unknown>;

/** State of a card, as far as it is known from the recorded calls. */
interface Proven {
  card_type: CardType | undefined;
  label: string | undefined;
  /** Known values by field. Null for a field that is not set on the card. */
  data: Map<string, unknown>;
  /** Whether all other fields are known to be absent. */
  isWhole: boolean;
  version: number;
  isRemoved: boolean;
}

/** Undoes the last change in the sketch and describes the result. */
export function undoLast(sketch: Sketch, messages: readonly Message[]): string {
  const turns = changingTurns(messages);
  const at = lastToUndo(turns);
  const turn = turns[at];
  if (turn === undefined) return 'There are no changes of cards in this conversation that I can undo.';
  const history = new History();
  for (const { calls } of turns.slice(0, at)) for (const call of calls) history.take(call);
  const before = history.copy();
  for (const { calls } of turns.slice(at)) for (const call of calls) history.take(call);
  const ids = new Set(turn.calls.map((call) => history.idOf(cardOf(call))));
  const done: string[] = [];
  const failed: string[] = [];
  for (const id of ids) {
    const outcome = restore(sketch, history.of(id), before.get(id), id);
    if ('done' in outcome) done.push(outcome.done);
    else failed.push(outcome.failed);
  }
  const scenarios = scenarioCalls(messages, turn);
  const said = turn.source === '' ? '' : ` of ${quote(turn.source)}`;
  return [
    ...(done.length === 0 ? [] : [`I undid the change${said}:\n${bullets(done)}`]),
    ...(failed.length === 0 ? [] : [`I could not undo the change${said}:\n${bullets(failed)}`]),
    ...(scenarios.length === 0
      ? []
      : [`Scenarios are not undone: ${listFirst(scenarios, MAX_SHOWN)}. Write \`remove scenario ...\` to remove one.`]),
  ].join('\n\n');
}

/** Answer in which the guide changed cards. */
interface Turn {
  calls: ToolCall[];
  /** User message that requested the change. */
  source: string;
  isUndo: boolean;
}

function changingTurns(messages: readonly Message[]): Turn[] {
  return messages.flatMap((message, index): Turn[] => {
    const calls = message.tool_calls.filter(
      ({ tool, status }) => (tool === 'upsert_card' || tool === 'remove_card') && status === 'completed',
    );
    if (message.role !== 'assistant' || calls.length === 0) return [];
    const source = messages.slice(0, index).findLast(({ role }) => role === 'user')?.content ?? '';
    const isUndo = Array.from(splitStatements(source)).some((one) => readStatement(one).statement?.kind === 'undo');
    return [{ calls, source, isUndo }];
  });
}

/** Returns the index of the last turn that has not been undone. */
function lastToUndo(turns: readonly Turn[]): number {
  let undone = 0;
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    if (turns[at]?.isUndo === true) undone += 1;
    else if (undone > 0) undone -= 1;
    else return at;
  }
  return -1;
}

/** Returns the names of the scenarios that were changed in the given turn or later. */
function scenarioCalls(messages: readonly Message[], { calls: [first] }: Turn): string[] {
  const from = messages.findIndex(({ tool_calls }) => first !== undefined && tool_calls.includes(first));
  const calls = messages.slice(Math.max(0, from)).flatMap(({ tool_calls }) => tool_calls);
  const names = calls.flatMap(({ tool, status, input: { name } }) =>
    tool === 'upsert_scenario' && status === 'completed' && typeof name === 'string' ? [quote(name, 60)] : [],
  );
  return [...new Set(names)];
}

const cardOf = ({ input, result }: ToolCall): string =>
  String((result as { card_id?: unknown } | null)?.card_id ?? input['card_id']);

/** Replays calls to determine the state of the cards. */
class History {
  private readonly cards = new Map<string, Proven>();
  /** Original ids of recreated cards, keyed by new id. */
  private readonly first = new Map<string, string>();

  idOf(id: string): string {
    return this.first.get(id) ?? id;
  }

  of(id: string): Proven | undefined {
    return this.cards.get(id);
  }

  copy(): Map<string, Proven> {
    return new Map(Array.from(this.cards, ([id, proven]) => [id, { ...proven, data: new Map(proven.data) }]));
  }

  take(call: ToolCall): void {
    const result = (call.result ?? {}) as { card_type?: unknown; label?: unknown; version?: unknown };
    const { data = {}, label } = call.input as { data?: Data; label?: string };
    const id = this.idOfCall(call);
    const old = this.cards.get(id);
    const version = typeof result.version === 'number' ? result.version : 0;
    if (call.tool === 'remove_card') {
      if (old !== undefined) old.isRemoved = true;
      return;
    }
    const isNew = version === 1;
    // A gap between versions means that another client changed the card.
    const isFollowing = old !== undefined && (isNew ? old.isRemoved : version === old.version + 1);
    const known = isFollowing && !isNew ? old.data : new Map<string, unknown>();
    for (const [key, value] of Object.entries(data)) known.set(key, value);
    this.cards.set(id, {
      card_type: typeOf(result.card_type ?? call.input['card_type']) ?? old?.card_type,
      label: typeof result.label === 'string' ? result.label : (label ?? old?.label),
      data: known,
      isWhole: isNew || (isFollowing && old.isWhole),
      version,
      isRemoved: false,
    });
  }

  /** A card that was recreated under the same name is treated as the same card. */
  private idOfCall(call: ToolCall): string {
    const id = this.idOf(cardOf(call));
    if (this.cards.has(id) || call.tool === 'remove_card') return id;
    const { card_type, label } = call.input;
    for (const [earlier, proven] of this.cards) {
      if (!proven.isRemoved || proven.card_type !== card_type || proven.label !== label) continue;
      this.first.set(id, earlier);
      return earlier;
    }
    return id;
  }
}

const typeOf = (type: unknown): CardType | undefined => CARD_TYPES.find((one) => one === type);

type Outcome = { done: string } | { failed: string };

/** Restores the earlier state of a card in the sketch. */
function restore(sketch: Sketch, now: Proven | undefined, before: Proven | undefined, id: string): Outcome {
  const card = sketch.cards.find((one) => one.id === id) ?? sameCard(sketch, now);
  const wasThere = before !== undefined && !before.isRemoved;
  const called = quote(card?.label ?? now?.label ?? before?.label ?? 'the card', 60);
  if (now === undefined || now.isRemoved) {
    if (card !== undefined) return { failed: `${called}: someone has created it again since then` };
    return recreate(sketch, before, called);
  }
  if (card === undefined) return { failed: `${called}: it is no longer on the canvas` };
  if (card.version !== now.version || !agrees(card, now))
    return { failed: `${called}: it has been changed since then. Write its statement again.` };
  if (!wasThere) {
    if (!now.isWhole) return { failed: `${called}: this conversation does not show what it was before` };
    sketch.remove(card);
    return { done: `Removed: ${describeCard(card)}` };
  }
  const changed = [...now.data].filter(([key, value]) => !isDeepStrictEqual(before.data.get(key), value));
  const unproven = changed.filter(([key]) => !before.data.has(key) && !before.isWhole).map(([key]) => quote(key));
  if (unproven.length > 0)
    return {
      failed: `${called}: this conversation does not show what ${listFirst(unproven, MAX_SHOWN)} was before. Write its statement again.`,
    };
  sketch.change(card, Object.fromEntries(changed.map(([key]) => [key, before.data.get(key) ?? null])), CAUSE);
  if (before.label !== undefined) card.label = before.label;
  return { done: describeCard(card) };
}

function recreate(sketch: Sketch, before: Proven | undefined, called: string): Outcome {
  if (before?.card_type === undefined || before.label === undefined || !before.isWhole)
    return { failed: `${called}: it was removed, and this conversation does not show all of its content` };
  return { done: describeCard(sketch.put(before.card_type, before.label, Object.fromEntries(before.data), CAUSE)) };
}

const sameCard = (sketch: Sketch, proven: Proven | undefined): SketchCard | undefined =>
  proven?.card_type === undefined || proven.label === undefined
    ? undefined
    : sketch.find(proven.card_type, proven.label);

/** Whether a card still has the content that is known from the recorded calls. */
const agrees = ({ data }: SketchCard, proven: Proven): boolean =>
  [...proven.data].every(([key, value]) => isDeepStrictEqual(data[key] ?? null, value ?? null));
