import { Checkbox } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Result } from '../runs-data';
import { type Column, FigureTable } from './figure-table';
import { Section } from './section';

type Constraint = Result['constraints'][number];

const COLUMNS: readonly Column<Constraint>[] = [
  { title: 'Constraint', of: ({ name }) => name, is: 'text' },
  { title: 'Activity', of: ({ activity }) => activity, is: 'figure' },
  { title: 'Slack', of: ({ slack }) => slack, is: 'figure' },
];
const WITH_DUALS: readonly Column<Constraint>[] = [
  ...COLUMNS,
  { title: 'Dual', of: ({ dual }) => dual ?? null, is: 'figure' },
];

/** Maximum slack of a constraint that counts as binding. */
const NO_ROOM = 1e-9;

/** Shows the slack of the constraints and the value of relaxing them. */
export function ConstraintsTable({ result: { constraints, families } }: { result: Result }) {
  const [isBinding, setBinding] = useState(false);
  const rows = useMemo(
    () => (isBinding ? constraints.filter(({ slack }) => slack <= NO_ROOM) : constraints),
    [constraints, isBinding],
  );
  const hasDuals = constraints.some(({ dual }) => dual !== undefined);
  return (
    <Section
      title="Constraints"
      about={families === undefined ? undefined : 'indexed constraints: the member with the least slack'}
    >
      <FigureTable
        label="Constraints"
        noun="constraint"
        columns={hasDuals ? WITH_DUALS : COLUMNS}
        rows={rows}
        nothing="No constraint is binding."
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
