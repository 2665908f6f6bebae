import { EXAMPLE } from '../common/openapi/examples.js';
import type { CardCreateRequest } from '../projects/canvas/canvas.dto.js';

/** Product quantities ordered for the coming weeks. */
export const DEMAND = `product,week,quantity
chairs,1,40
tables,1,12
chairs,2,35
tables,2,15
chairs,3,50
tables,3,10
chairs,4,45
`;

/** Number of chairs and tables in the best plan for {@link CANVAS}, and the plan's profit. */
export const BEST_PLAN = { chairs: 50, tables: 15, profit: 2_325 } as const;

/** Canvas of the demo project: a complete weekly product mix. */
export const CANVAS: readonly CardCreateRequest[] = [
  {
    card_type: 'data',
    label: 'Products',
    data: {
      set: 'products',
      members: ['chairs', 'tables'],
      values: {
        profit: { chairs: 30, tables: 55 },
        work: { chairs: 1, tables: 2 },
        sawing: { chairs: 1.5, tables: 1 },
        ordered: { chairs: 40, tables: 12 },
      },
      description: 'Profit, hours of work and sawing for each piece, and pieces ordered for the week',
    },
  },
  {
    card_type: 'data',
    label: 'Saw hours',
    data: { values: { saw_hours: 90 }, description: 'Hours of the saw in a week' },
  },
  {
    card_type: 'variable',
    label: 'Pieces to make',
    data: { name: EXAMPLE.family, index: 'p in products', domain: 'integer', lower: 0, unit: 'pieces' },
  },
  {
    card_type: 'objective',
    label: 'Profit of the week',
    data: { sense: 'maximize', expression: 'sum p in products: profit[p] * make[p]', confirmed: true },
  },
  {
    card_type: 'constraint',
    label: 'Labour',
    data: { expression: `sum p in products: work[p] * make[p] <= ${EXAMPLE.value}`, classification: 'hard' },
  },
  {
    card_type: 'constraint',
    label: 'Sawing',
    data: { expression: 'sum p in products: sawing[p] * make[p] <= saw_hours', classification: 'hard' },
  },
  {
    card_type: 'production_requirement',
    label: 'Orders',
    data: { expression: 'make[p] >= ordered[p]', index: 'p in products' },
  },
  {
    card_type: 'kpi',
    label: 'Hours worked',
    data: {
      expression: 'sum p in products: work[p] * make[p]',
      unit: 'hours',
      description: 'Hours of work in the week',
    },
  },
];
