import { Table } from '@mantine/core';
import { formatDifference, formatFigure, NONE } from '../figures';
import type { Result } from '../runs-data';
import classes from '../runs.module.css';
import { Section } from './section';

/** Shows a plan's KPIs with their targets. */
export function KpiTable({ kpis }: { kpis: NonNullable<Result['kpis']> }) {
  const hasTargets = kpis.some(({ target }) => target !== null);
  return (
    <Section title="KPIs">
      <div className={classes.wide} tabIndex={0} role="group" aria-label="KPIs">
        <Table fz="sm" verticalSpacing={4} className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>KPI</Table.Th>
              <Table.Th className={classes.number}>Value</Table.Th>
              <Table.Th>Unit</Table.Th>
              {hasTargets && <Table.Th className={classes.number}>Target</Table.Th>}
              {hasTargets && <Table.Th className={classes.number}>Difference to target</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kpis.map(({ label, value, unit, target }, index) => (
              <Table.Tr key={index}>
                <Table.Td className={classes.anywhere}>{label}</Table.Td>
                <Table.Td className={classes.number}>
                  {value === null ? 'cannot be computed' : formatFigure(value)}
                </Table.Td>
                <Table.Td>{unit}</Table.Td>
                {hasTargets && <Table.Td className={classes.number}>{formatFigure(target)}</Table.Td>}
                {hasTargets && (
                  <Table.Td className={classes.number}>
                    {value === null || target === null ? NONE : formatDifference(value - target)}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}
