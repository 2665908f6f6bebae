import { expressionOf } from './constraint-sides.js';
import { type Thing, thingNamed } from './named-things.js';
import { quote } from './quote.js';
import type { WantedChange } from './statement.js';

/* Explains how to change a number that is part of a formula, such as 50 in `maximize profit: 30 chairs + 50 tables`. */

const OF = / (?:of|from|per) (?:an? |the |each |every )?/i;
const TERM =
  /(?<![\p{L}\p{M}\p{N}_.])(?<figure>\d+(?:\.\d+)?)(?: ?\* ?| ?)(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)(?![\p{L}\p{M}\p{N}_[(])/gu;

/**
 * Returns the reason why a change such as `profit of tables` cannot be made. Returns undefined if the subject is not a number
 * in a formula.
 */
export function whyInFormula(
  { subject, to, times = 1, plus = 0 }: WantedChange,
  things: readonly Thing[],
): string | undefined {
  const [formula = '', variable = ''] = subject.split(OF);
  const { kind, name = '', card } = thingNamed(formula, ofKinds(things, 'objective', 'constraint'), true) ?? {};
  const decided = thingNamed(variable, ofKinds(things, 'variable'), true);
  if (card === undefined || decided === undefined) return undefined;
  const text = expressionOf(card);
  const [term, other] = Array.from(text.matchAll(TERM)).filter(({ groups }) => groups?.['name'] === decided.name);
  if (term === undefined || other !== undefined) return undefined;
  const value = `${name}_of_${decided.name}`.replace(/[^\p{L}\p{M}\p{N}]+/gu, '_');
  const changed = `${text.slice(0, term.index)}${value} * ${decided.name}${text.slice(term.index + term[0].length)}`;
  const sense = kind === 'objective' ? `${String(card.data['sense'])} ` : '';
  const figure = Number(term.groups?.['figure']);
  const wanted = to ?? Number((figure * times + plus).toPrecision(12));
  return `${figure} is part of the formula of ${quote(name, 60)}. To vary it, write ${quote(`${value} = ${figure}`)} and ${quote(`${sense}${name}: ${changed}`)}, and ask ${quote(`what if ${value} = ${wanted}`)}`;
}

const ofKinds = (things: readonly Thing[], ...kinds: readonly Thing['kind'][]): Thing[] =>
  things.filter(({ kind }) => kinds.includes(kind));
