import { Table } from '@mantine/core';
import { formatFigure } from '../figures';
import type { Result } from '../runs-data';
import classes from '../runs.module.css';
import { Section } from './section';

/** Shows the objectives of a plan in the order of their priorities. */
export function ObjectiveTable({ objectives }: { objectives: NonNullable<Result['objectives']> }) {
  return (
    <Section title="Objectives">
      <div className={classes.wide} tabIndex={0} role="group" aria-label="Objectives">
        <Table fz="sm" verticalSpacing={4} className={classes.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.number}>Priority</Table.Th>
              <Table.Th>Objective</Table.Th>
              <Table.Th>Sense</Table.Th>
              <Table.Th className={classes.number}>Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {objectives.map(({ label, sense, value, priority }, index) => (
              <Table.Tr key={index}>
                <Table.Td className={classes.number}>{priority}</Table.Td>
                <Table.Td className={classes.anywhere}>{label}</Table.Td>
                <Table.Td>{sense}</Table.Td>
                <Table.Td className={classes.number}>{formatFigure(value)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}
