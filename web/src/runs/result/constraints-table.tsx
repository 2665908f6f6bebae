import { Checkbox } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Result } from '../runs-data';
import { type Column, FigureTable } from './figure-table';
import { Section } from './section';

type Constraint = Result['constraints'][number];

const COLUMNS: readonly Column<Constraint>[] = [
  { title: 'Constraint', getValue: ({ name }) => name, type: 'text' },
  { title: 'Activity', getValue: ({ activity }) => activity, type: 'figure' },
  { title: 'Slack', getValue: ({ slack }) => slack, type: 'figure' },
];
const WITH_DUALS: readonly Column<Constraint>[] = [
  ...COLUMNS,
  { title: 'Dual', getValue: ({ dual }) => dual ?? null, type: 'figure' },
];

/** Maximum slack of a constraint that counts as binding. */
const BINDING_TOLERANCE = 1e-9;

/** Shows the slack of the constraints, and what relaxing each of them is worth. */
export function ConstraintsTable({ result: { constraints, families } }: { result: Result }) {
  const [isBinding, setBinding] = useState(false);
  const rows = useMemo(
    () => (isBinding ? constraints.filter(({ slack }) => slack <= BINDING_TOLERANCE) : constraints),
    [constraints, isBinding],
  );
  const hasDuals = constraints.some(({ dual }) => dual !== undefined);
  return (
    <Section
      title="Constraints"
      summary={families === undefined ? undefined : 'indexed constraints: the member with the least slack'}
    >
      <FigureTable
        label="Constraints"
        noun="constraint"
        columns={hasDuals ? WITH_DUALS : COLUMNS}
        rows={rows}
        emptyText="No constraint is binding."
        filters={
          <Checkbox
            size="xs"
            label="Binding only"
            checked={isBinding}
            onChange={({ currentTarget }) => setBinding(currentTarget.checked)}
          />
        }
      />
    </Section>
  );
}
