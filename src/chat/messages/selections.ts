import { field, type FieldOptions } from '../../common/validation/field.js';
import { type Kind, Rejected } from '../../common/validation/kind.js';
import { arrayKind, mapKind } from '../../common/validation/kinds/containers.js';
import { textKind } from '../../common/validation/kinds/text.js';

/** Maximum number of questions in an answer, and maximum number of labels per question. */
const MAX_CHOICES = 100;

const label = textKind({ maxLength: 1_000 });
const labels = arrayKind(label, { maxItems: MAX_CHOICES });

/**
 * Label or array of labels. Validation errors follow the pydantic format for unions: the errors of each union member are
 * reported under its name.
 */
const choiceKind: Kind<string | string[]> = {
  schema: { anyOf: [label.schema, labels.schema] },
  read(input) {
    const one = label.read(input);
    if (!(one instanceof Rejected)) return one;
    const several = labels.read(input);
    return several instanceof Rejected ? new Rejected([...one.at('str'), ...several.at('list[str]')]) : several;
  },
};

/** Chosen labels by question index, as a `Map` in the order received. */
export const SelectionsField = (options: FieldOptions<Map<string, string | string[]>> = {}): PropertyDecorator =>
  field(mapKind(choiceKind, { maxProperties: MAX_CHOICES }), options);
