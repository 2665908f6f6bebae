import { type Family, namesOfIndex, shortened } from '../../modelling/index.js';
import { type IndexedFormula, relationIn } from '../expressions.js';
import type { CardKind, Data, Variables } from './card-kind.js';
import { blocking, type CardField, gap, number, text, valueOf, warning } from './fields.js';

/** Constraint of a requirement, and the name of the field that contains it. */
export interface Requirement extends IndexedFormula {
  field: 'expression' | 'description' | 'product';
}

const fields: readonly CardField[] = [
  {
    name: 'description',
    content: text,
    missing: blocking('What has to be produced?'),
    neededFor: ({ expression, product }) => expression === undefined && product === undefined,
  },
  { name: 'expression', content: text },
  { name: 'index', content: text },
  {
    name: 'quantity',
    content: number,
    missing: warning('The quantity is missing'),
    neededFor: ({ expression, description }) => expression === undefined && !isRelation(description),
  },
  { name: 'unit', content: text },
  { name: 'product', content: text },
];

const isRelation = (value: unknown): boolean => typeof value === 'string' && relationIn(value) !== undefined;

export const production_requirement: CardKind = {
  noun: 'production requirement',
  title: 'Requirement',
  role: 'plan',
  description:
    '`production_requirement`, a hard constraint of every plan: `expression` (a relation) with `index`, or `description` if it is a relation, or `quantity` (the minimum) and `product` (the name of a variable without an index), `unit`. A `quantity` of 0 without `product` means that nothing is required.',
  toolDescription:
    'production_requirement, which every plan must meet: expression (x >= 10) and index, or quantity and product (the name of a variable without an index), unit, description; {quantity: 0, description} alone means that nothing is required',
  fields,
  summaryFields: [['description'], ['expression'], ['index', 'for '], ['quantity', 'quantity '], ['unit', 'in ']],
  emptyListLabel: 'No further requirements',
  formulas: (data, variables) => {
    const required = requirementIn(data, variables);
    if (required === undefined) return { formulas: [] };
    const { field, expression, index } = required;
    return {
      formulas: [[field, { text: expression, index, use: 'constraint' }]],
      ...(index !== undefined && { index: { field: field === 'expression' ? 'index' : field, text: index } }),
    };
  },
  solverInput: (data, variables) => {
    const required = requirementIn(data, variables);
    return required === undefined ? [] : [required.expression, required.index ?? null];
  },
  wordingGaps: (data, { variables, families }, isLimit) => {
    if (data['expression'] != null || requirementIn(data, variables) !== undefined || statesNoRequirement(data))
      return [];
    const product = valueOf<string>(fields, data, 'product')?.trim();
    // The missing quantity is already reported as a gap in that field.
    if (product !== undefined && variables.has(product)) return [];
    const family = product === undefined ? undefined : families.get(product);
    const message =
      product === undefined
        ? `This does not constrain the plan: set \`product\` to a variable, or write a relation ${EXAMPLE}`
        : family === undefined
          ? `No variable is called ${shortened(product)}, so this does not constrain the plan: set \`product\` to a variable, or write a relation ${EXAMPLE}`
          : `${shortened(product)} has many members, so this does not constrain the plan: write a relation such as ${relationForAll(product, family, data)}`;
    return [gap('product', message, isLimit ? 'blocking' : 'warning')];
  },
};

const EXAMPLE = 'such as `chairs >= 10`';

/** Formats a requirement for all members, such as `sum p in products: make[p] >= 10`. */
function relationForAll(name: string, { index }: Family, data: Data): string {
  const over = index.over.map(({ names, set }) => {
    const [first, ...others] = names;
    return `${others.length === 0 ? first : `(${names.join(', ')})`} in ${set}`;
  });
  const quantity = valueOf<number>(fields, data, 'quantity') ?? 10;
  return `\`sum ${over.join(', ')}: ${name}[${namesOfIndex(index).join(', ')}] >= ${quantity}\``;
}

/**
 * Returns the constraint of a requirement: its `expression`, a `description` that is a relation, or a minimum `quantity` of a
 * `product` that is a variable. Returns undefined for a plain-text requirement.
 */
export function requirementIn(data: Data, variables: Variables): Requirement | undefined {
  const relation = relationOf(data);
  if (relation !== undefined || data['expression'] != null) return relation;
  const quantity = valueOf<number>(fields, data, 'quantity');
  const product = valueOf<string>(fields, data, 'product')?.trim() ?? '';
  return quantity === undefined || !variables.has(product)
    ? undefined
    : { field: 'product', expression: `${product} >= ${quantity}` };
}

/** Whether the card states that nothing is required, by a quantity of 0 without a product. */
export const statesNoRequirement = (data: Data): boolean =>
  data['quantity'] === 0 && data['product'] == null && data['expression'] == null;

/** Returns the relation in the `expression` or `description` of a requirement. */
export function relationOf(data: Data): Requirement | undefined {
  const expression = valueOf<string>(fields, data, 'expression');
  const index = valueOf<string>(fields, data, 'index');
  if (expression !== undefined) return { field: 'expression', expression, ...(index !== undefined && { index }) };
  // An invalid expression already has a gap.
  const relation =
    data['expression'] == null ? relationIn(valueOf<string>(fields, data, 'description') ?? '') : undefined;
  return relation && { field: 'description', ...relation };
}
