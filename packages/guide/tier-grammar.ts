import { isName } from '../modelling/index.js';
import { splitLabel } from './relation-grammar.js';
import type { Reading } from './statement.js';
import { NUMBER } from './words.js';

/*
 * Rates that depend on the amount: `energy_price: 0.20 to 100, 0.30 to 250, 0.45 beyond`. They become a column of a set whose
 * members are the ends of the tiers, so that they can also come from a file.
 */

const UNIT = String.raw`(?: (?:per|an?|each) \p{L}+)?`;
const TIER = new RegExp(
  String.raw`^(?<rate>${NUMBER})${UNIT} (?:(?:up )?to|until|below) (?<end>${NUMBER})(?: ?\p{L}+)?$`,
  'iu',
);
const LAST = new RegExp(
  String.raw`^(?<rate>${NUMBER})${UNIT} (?:beyond(?: that)?|above(?: that)?|after that|from there|for (?:the rest|more)|over(?: ${NUMBER})?|otherwise)$`,
  'iu',
);
/** Member for the last tier, which has no end. */
const BEYOND = 'beyond';

interface Tiers {
  name: string;
  /** Ends of all tiers except for the last tier, as written. */
  ends: string[];
  rates: number[];
}

/** Reads rates that depend on the amount. Returns undefined for other text. */
export function readTiers(text: string): Reading | undefined {
  const read = tiersIn(text);
  if (read === undefined) return undefined;
  if ('problem' in read) return { reason: read.problem };
  const { name, ends, rates } = read;
  const [set, members] = [`${name}_tiers`, [...ends, BEYOND]];
  const cells = Object.fromEntries(members.map((member, at) => [member, rates[at]!]));
  return {
    statement: {
      kind: 'several',
      statements: [
        { kind: 'members', set, members },
        { kind: 'cells', column: name, set, cells },
      ],
    },
  };
}

/** Explains why rates that depend on the amount cannot be used. Returns undefined for other text. */
export function whyNoTiers(text: string): string | undefined {
  const read = tiersIn(text);
  return read !== undefined && 'problem' in read ? read.problem : undefined;
}

function tiersIn(text: string): Tiers | { problem: string } | undefined {
  const { label, body } = splitLabel(text);
  const name = label?.replaceAll(' ', '_');
  if (name === undefined || !isName(name)) return undefined;
  const parts = body.split(/ ?, ?(?:and |then )?| and then | and /);
  const tiers = parts.map((part) => TIER.exec(part)?.groups);
  const last = LAST.exec(parts.at(-1)!)?.groups;
  const closed = (last === undefined ? tiers : tiers.slice(0, -1)).filter((tier) => tier !== undefined);
  if (closed.length === 0 || closed.length < parts.length - 1 || (last === undefined && closed.length < parts.length))
    return undefined;
  const rates = [...closed, ...(last === undefined ? [] : [last])].map((tier) => Number(tier['rate']));
  // The text may be something else if the last tier is missing, such as `shifts: 6 to 14, 14 to 22`.
  if (last === undefined)
    return rates.every((rate) => Number.isInteger(rate))
      ? undefined
      : { problem: `say which rate holds beyond the last amount, as in \`${text}, 0.45 beyond\`` };
  const ends = closed.map((tier) => tier['end']!);
  const isAscending = ends.every((end, at) => Number(end) > Number(ends[at - 1] ?? 0));
  return isAscending
    ? { name, ends, rates }
    : { problem: 'write the tiers in ascending order, as in `0.20 to 100, 0.30 to 250, 0.45 beyond`' };
}
