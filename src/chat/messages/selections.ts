import { field, type FieldOptions } from '../../common/validation/field.js';
import { type Kind, Refused } from '../../common/validation/kind.js';
import { arrayKind, mapKind } from '../../common/validation/kinds/containers.js';
import { textKind } from '../../common/validation/kinds/text.js';

/** Most questions that an answer has choices for, and most labels of one choice. */
const MAX_CHOICES = 100;

const label = textKind({ maxLength: 1_000 });
const labels = arrayKind(label, { maxItems: MAX_CHOICES });

/** A label or an array of labels; refused as pydantic refuses a union: for each member, under its name. */
const choiceKind: Kind<string | string[]> = {
  schema: { anyOf: [label.schema, labels.schema] },
  read(input) {
    const one = label.read(input);
    if (!(one instanceof Refused)) return one;
    const several = labels.read(input);
    return several instanceof Refused ? new Refused([...one.at('str'), ...several.at('list[str]')]) : several;
  },
};

/** Chosen labels by the index of a question: a `Map` in the order received. */
export const SelectionsField = (options: FieldOptions<Map<string, string | string[]>> = {}): PropertyDecorator =>
  field(mapKind(choiceKind, { maxProperties: MAX_CHOICES }), options);
