import { isName } from '../modelling/index.js';
import { relationIn } from '../canvas/index.js';
import { tableFormat } from '../data-engine/index.js';
import type { Reading, SaidChange } from './statement.js';
import { figureOf, NUMBER, without } from './words.js';

/*
 * Statements about scenarios: `scenario "two shifts": hours x 1.5, demand + 10 where region = "north", without Overtime`,
 * `price of "oak chair" = 30`, `products from other.csv`. Also `remove scenario two shifts`, `show scenarios`, `solve scenarios`
 * and `compare`.
 */

const QUOTES = `"'\`“”`;
const SCENARIO = /^(?:the )?scenario (?<name>"[^"]*"|“[^“”]*”|[^:"“]+): ?(?<body>.*)$/is;
const REMOVE = /^(?:remove|delete|drop|forget) (?:the )?scenario (?<name>.+)$/i;
const SHOW = /^(?:show|list)(?: me)?(?: all)?(?: the| my| our)? scenarios[.!?]*$/i;
const SOLVE = /^(?:solve|run|calculate)(?: all)?(?: the| my| our)? scenarios[.!]*$/i;
const SOLVE_ONE = /^(?:solve|run|calculate) (?:the )?scenario (?<name>.+)$/i;
const COMPARE = /^compare(?: all)?(?: the| my| our)?(?: scenarios| plans)?[.!]*$/i;
const CHANGE = new RegExp(String.raw`^(?<head>.+?)(?<sign> x | times | ?[×*=+−-] ?)(?<figure>${NUMBER})$`, 'i');
const FROM = ' from ';
const LIMIT = /[<>≤≥]/;
const WITHOUT = /^without (?:the )?(?<target>.+)$/i;
const QUOTED = /"[^"]*"|“[^“”]*”|'[^']*'|`[^`]*`/g;
const HOW_TO = 'say what changes, as in `hours x 1.5`, `demand + 10 where region = "north"` or `without Overtime`';

/** Reads a statement about scenarios. Returns undefined for other text. */
export function readScenario(text: string): Reading | undefined {
  if (SHOW.test(text)) return { statement: { kind: 'show_scenarios' } };
  if (SOLVE.test(text)) return { statement: { kind: 'solve_scenarios' } };
  if (COMPARE.test(text)) return { statement: { kind: 'compare_scenarios' } };
  const solved = SOLVE_ONE.exec(text)?.groups?.['name'];
  if (solved !== undefined) return { statement: { kind: 'solve_scenarios', names: [bare(solved)] } };
  const removed = REMOVE.exec(text)?.groups?.['name'];
  if (removed !== undefined) return { statement: { kind: 'remove_scenario', name: bare(removed) } };
  const { name: written, body = '' } = SCENARIO.exec(text)?.groups ?? {};
  if (written === undefined) return undefined;
  const name = bare(written);
  if (name === '') return { reason: 'give the scenario a name, as in `scenario "two shifts": hours x 1.5`' };
  const changes = readChanges(body);
  // `scenario 1: x + y <= 4` names a constraint.
  const isRelation = !/["“]/.test(written) && LIMIT.test(blanked(body.replace(/ where .*/i, '')));
  if (typeof changes === 'string') return isRelation ? undefined : { reason: changes };
  if (isRelation && changes.every(({ form }) => form === 'relation')) return undefined;
  return { statement: { kind: 'scenario', name, changes } };
}

/** Whether text is meant as a scenario, even if its changes cannot be parsed. */
export const isOfScenario = (text: string): boolean => SCENARIO.test(text);

/** Returns the changes in a list, or the problem with the list. Commas may also separate the key parts of a member. */
export function readChanges(body: string): SaidChange[] | string {
  const changes: SaidChange[] = [];
  let waiting = '';
  for (const piece of piecesOf(body)) {
    waiting = waiting === '' ? piece : `${waiting}, ${piece}`;
    const last = changes.at(-1);
    // The index of a relation may contain commas, too.
    const longer = last?.form === 'relation' ? readRelation(`${last.text}, ${waiting}`) : undefined;
    const change = longer ?? readChange(waiting);
    if (change === undefined) continue;
    if (longer !== undefined) changes.pop();
    changes.push(change);
    waiting = '';
  }
  return waiting === '' && changes.length > 0 ? changes : HOW_TO;
}

/** Splits a list at commas outside quotation marks and brackets. */
function piecesOf(body: string): string[] {
  const plain = blanked(body).replace(/\[[^[\]]*\]/g, (inner) => '_'.repeat(inner.length));
  const ends = [...Array.from(plain.matchAll(/,(?: and )?/g)), undefined];
  let from = 0;
  const pieces = ends.map((end) => {
    const piece = body.slice(from, end?.index ?? body.length).trim();
    from = end === undefined ? body.length : end.index + end[0].length;
    return piece;
  });
  return pieces.filter((piece) => piece !== '');
}

const readRelation = (text: string): SaidChange | undefined =>
  LIMIT.test(blanked(text)) && relationIn(text) !== undefined ? { form: 'relation', text } : undefined;

function readChange(text: string): SaidChange | undefined {
  const relation = readRelation(text);
  if (relation !== undefined) return relation;
  const off = WITHOUT.exec(text)?.groups?.['target'];
  if (off !== undefined) return { form: 'off', target: bare(off) };
  const from = text.toLowerCase().indexOf(FROM);
  const path = from < 0 ? '' : bare(text.slice(from + FROM.length).replace(/^(?:the )?file /i, ''));
  if (tableFormat(path) !== undefined) return { form: 'file', target: bare(text.slice(0, from)), path };
  const at = blanked(text).search(/ where /i);
  const where = at < 0 ? undefined : text.slice(at + ' where '.length).trim();
  const { head = '', sign = '', figure = '' } = CHANGE.exec((at < 0 ? text : text.slice(0, at)).trim())?.groups ?? {};
  const amount = figureOf(figure);
  const target = readTarget(head.trim());
  if (amount === undefined || target === undefined || (where !== undefined && target.key !== undefined))
    return undefined;
  return { form: 'figure', ...target, ...(where !== undefined && { where }), ...toArithmetic(sign.trim(), amount) };
}

function toArithmetic(sign: string, amount: number): { times: number } | { plus: number } | { to: number } {
  if (sign === '=') return { to: amount };
  if (sign === '+') return { plus: amount };
  return sign === '-' || sign === '−' ? { plus: -amount } : { times: amount };
}

/** Reads `hours`, `x.upper`, `price of "oak chair"` or `demand["oak chair", 3]`. */
function readTarget(text: string): { target: string; key?: string[] } | undefined {
  const plain = /^(?<name>[^.]+)(?:\.(?:lower|upper))?$/.exec(text)?.groups?.['name'];
  if (plain !== undefined && isName(plain)) return { target: text };
  const { name = '', members = '' } =
    (/^(?<name>\S+) of (?<members>.+)$/i.exec(text) ?? /^(?<name>[^[\]]+)\[(?<members>.+)\]$/.exec(text))?.groups ?? {};
  if (!isName(name)) return undefined;
  const key = piecesOf(members).map(bare);
  return key.length === 0 || key.includes('') ? undefined : { target: name, key };
}

/** Replaces quoted text with placeholders of the same length. */
const blanked = (text: string): string => text.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));

const bare = (text: string): string => without(text.trim(), QUOTES).trim();
