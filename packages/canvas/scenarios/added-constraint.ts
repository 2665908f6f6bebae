import { listNames, shortened, splitIndex, type Vocabulary } from '../../modelling/index.js';
import type { ModelCard } from '../model/model-card.js';
import { MAX_LABEL_LENGTH } from '../card.js';
import { judgeFormula, problemOfIndex } from '../expressions.js';

/**
 * Returns the hard constraint that a scenario adds, or a problem without a full stop.
 *
 * @param text relation such as `make[p] <= 40 for p in products`
 * @param number number that makes the label of the added constraint unique
 * @param hasUnreadFiles whether unknown names may be columns of files that have not been read
 */
export function addedConstraint(
  text: string,
  number: number,
  vocabulary: Vocabulary,
  hasUnreadFiles: boolean,
): ModelCard | string {
  const { body: expression, index } = splitIndex(text) ?? { body: text };
  const indexProblem = index === undefined ? undefined : problemOfIndex(index, vocabulary);
  if (indexProblem !== undefined) return indexProblem;
  const { problem, unknown } = judgeFormula({ text: expression, index, use: 'constraint' }, vocabulary);
  if (unknown.length > 0) {
    if (!hasUnreadFiles) return `no variable or value is called ${listNames(unknown)}`;
  } else if (problem !== undefined) return problem;
  return {
    id: `added-${number}`,
    card_type: 'constraint',
    label: shortened(text, MAX_LABEL_LENGTH - 1),
    data: { expression, classification: 'hard', ...(index !== undefined && { index }) },
  };
}
