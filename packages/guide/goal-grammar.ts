import { isProblem, parseFormula, splitIndex } from '../modelling/index.js';
import { readIndex } from '../canvas/index.js';
import { splitLabel } from './relation-grammar.js';
import type { Reading } from './statement.js';
import { PRICE, priceOf } from './words.js';

/* Reads goals such as `Hours: make close to 400, miss costs 5`. A plan may miss a goal in both directions at a price. */

const CLOSE_TO = ' close to ';
const BEFORE = /(?<=[^ ]) (?:(?:should|must|shall|has to|have to) )?(?:is|are|be|stays?|remains?|comes?|gets?|as)$/i;
const VERB = /^(?:please )?(?:keep|hold|bring|get|stay) (?:the |our )?/i;
const MISS = new RegExp(
  String.raw`(?:^|,|(?<=[^ ,]) )(?: ?and)? ?\(?(?:(?:an?|each|every) )?(?:miss(?:ing it)?|(?:penalty)) (?:costs?|of|is)? ?(?<penalty>${PRICE})(?: (?:per|an?|each) \p{L}+)?\)?(?=$|,? (?:for|where) )`,
  'iu',
);
const PRICED = /,? (?:miss(?:ing it)? costs?|penalty)\b/i;

/** Reads a goal. Returns undefined for other text. */
export function readGoal(text: string): Reading | undefined {
  const at = text.toLowerCase().indexOf(CLOSE_TO);
  if (at < 0 || /[<>=≤≥]/.test(text.slice(0, at)) || /^(?:max|min)(?:imi[sz]e)?\b/i.test(text)) return undefined;
  const { label, body } = splitLabel(text.slice(0, at));
  const subject = body.replace(VERB, '').replace(BEFORE, '').trim();
  const said = text.slice(at + CLOSE_TO.length);
  const miss = MISS.exec(said);
  const rest = miss === null ? said : said.slice(0, miss.index) + said.slice(miss.index + miss[0].length);
  const { body: target, index } = splitIndex(rest) ?? { body: rest };
  const isProse = label === undefined && !/\d/.test(said) && isProblem(parseFormula(subject));
  if (subject === '' || isProse) return undefined;
  if (PRICED.test(rest))
    return { reason: 'the price of a miss is a number or a column, as in `hours close to 400, miss costs 5`' };
  const formula = parseFormula(target.replace(/,$/, ''));
  if (isProblem(formula) || formula.relations.length > 0)
    return label === undefined && !/\d/.test(target)
      ? undefined
      : { reason: 'write the target after `close to`, as in `hours close to 400, miss costs 5`' };
  const over = readIndex(index ?? '');
  if (index !== undefined && isProblem(over)) return { reason: 'the index after `for` cannot be read' };
  const name = label === undefined || /^(?:goals?|targets?)$/i.test(label) ? {} : { label };
  const penalty = miss?.groups?.['penalty'];
  return {
    statement: {
      kind: 'goal',
      subject,
      target: target.replace(/,$/, '').trim(),
      ...name,
      ...(index !== undefined && { index }),
      ...(penalty !== undefined && { penalty: priceOf(penalty) }),
    },
  };
}
