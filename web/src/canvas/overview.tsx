import { Anchor, Group, Progress, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { checklistOf } from '../project/checklist';
import { pathOf } from '../project/paths';
import classes from './canvas.module.css';
import type { Kind } from './cards';
import { NUMBER } from './numbers';

/** Number of cards of a type, and number of these cards that have required gaps. */
export interface Count {
  kind: Kind;
  title: string;
  total: number;
  incomplete: number;
}

/** Shows the requirements for solving the model. @param isShort whether to collapse the requirements that are met */
export function Checklist({ project, isShort }: { project: Schemas['ProjectResponse']; isShort: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { completeness } = project;
  if (completeness === undefined) return null;
  const points = checklistOf(completeness);
  const metCount = points.filter(({ isMet }) => isMet).length;
  const visiblePoints = isShort && !isOpen ? points.filter(({ isMet }) => !isMet) : points;
  return (
    <section className={classes.panel} aria-label="Checklist">
      <div className={classes.panelHead}>
        <h2>Checklist</h2>
        <Text size="sm" c="dimmed">
          {metCount} of {points.length} met
        </Text>
      </div>
      <Progress value={(metCount / points.length) * 100} size="xs" aria-hidden="true" mb="xs" />
      <ul className={classes.points}>
        {visiblePoints.map(({ sentence, isMet }) => (
          <li key={sentence} data-met={isMet || undefined}>
            <span aria-hidden="true" className={classes.mark} />
            <span>
              {sentence}
              <VisuallyHidden>{isMet ? ': yes' : ': not yet'}</VisuallyHidden>
            </span>
          </li>
        ))}
      </ul>
      {completeness.feasibility_result === 'fail' && (
        <Text size="sm" c="red" mt="xs">
          The last solve found no plan that meets all constraints.
        </Text>
      )}
      <Group gap="md" mt="xs">
        <Anchor component={Link} href={pathOf(project.id, 'runs')} size="sm">
          {completeness.overall === 'complete' ? 'View the runs' : 'Solve the model'}
        </Anchor>
        {isShort && metCount > 0 && (
          <Anchor component="button" type="button" size="sm" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? 'Hide completed items' : 'Show completed items'}
          </Anchor>
        )}
      </Group>
    </section>
  );
}

/** Links to the card types. */
export function Kinds({ counts, onOpen }: { counts: readonly Count[]; onOpen: (kind: Kind) => void }) {
  return (
    <nav className={classes.kinds} aria-label="Kinds of cards">
      {counts.map(({ kind, title, total, incomplete }) => (
        <UnstyledButton key={kind} className={classes.kindLink} onClick={() => onOpen(kind)}>
          <span>{title}</span>
          <span className={classes.kindCount}>
            {incomplete > 0 && (
              <span className={classes.incomplete} title={needsInputText(incomplete)}>
                {NUMBER.format(incomplete)}
                <VisuallyHidden>{incomplete === 1 ? ' needs' : ' need'} input, of</VisuallyHidden>
              </span>
            )}
            {NUMBER.format(total)}
          </span>
        </UnstyledButton>
      ))}
    </nav>
  );
}

/** Returns, for example, `1 card needs input`. */
export const needsInputText = (count: number): string =>
  count === 1 ? '1 card needs input' : `${NUMBER.format(count)} cards need input`;
