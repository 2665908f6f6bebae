import { Anchor, List, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { Link } from 'wouter';
import { useCards } from '../project/cards';
import { pathOf } from '../project/paths';
import classes from './runs.module.css';

type Card = Schemas['CardResponse'];

/** Maximum number of gaps listed. The canvas shows all of them. */
const TOLD = 5;

/** Reasons why a canvas cannot be solved. */
export interface Missing {
  /** Whether no scenario can be solved either. */
  isHopeless: boolean;
  sentences: string[];
}

/** Returns the reasons why a canvas cannot be solved. Empty for a snapshot, which is solved unchanged. */
export function useMissing({ id, workspace_mode, completeness }: Schemas['ProjectResponse']): Missing {
  const { data: cards } = useCards(id, workspace_mode === 'define');
  return cards === undefined || workspace_mode !== 'define'
    ? { isHopeless: false, sentences: [] }
    : missingOf(cards, completeness?.all_variables_provided !== false);
}

/** @param isProvided whether every name in the formulas is a variable or a value */
function missingOf(cards: readonly Card[], isProvided: boolean): Missing {
  const has = (type: string): boolean => cards.some(({ card_type }) => card_type === type);
  const absent = [
    ...(has('objective') ? [] : ['There is no objective. What should the plan maximize or minimize?']),
    ...(has('variable') ? [] : ['There is no variable. What does the plan decide?']),
  ];
  // KPIs only rate a plan, so the solver does not need them.
  const gaps = cards
    .filter(({ card_type }) => card_type !== 'kpi')
    .flatMap(({ label, gaps: found }) =>
      found.filter(({ severity }) => severity === 'blocking').map(({ message }) => `${label}: ${message}`),
    );
  const unknown =
    absent.length + gaps.length > 0 || isProvided
      ? []
      : ['A formula contains a name that is neither a variable nor a value.'];
  return { isHopeless: absent.length > 0, sentences: [...absent, ...gaps, ...unknown] };
}

/** Lists missing parts with a link to the canvas. Renders nothing if the model is complete. */
export function MissingParts({ project }: { project: Schemas['ProjectResponse'] }) {
  const { sentences } = useMissing(project);
  if (sentences.length === 0) return null;
  const more = sentences.length - TOLD;
  return (
    <div className={classes.notice}>
      <Text size="sm" fw={550}>
        The canvas cannot be solved yet
      </Text>
      <List size="sm" my={4} className={classes.anywhere}>
        {sentences.slice(0, TOLD).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
        {more > 0 && <List.Item>and {more} more</List.Item>}
      </List>
      <CanvasLink projectId={project.id} />
    </div>
  );
}

/** Link to the canvas. */
export function CanvasLink({ projectId }: { projectId: string }) {
  return (
    <Anchor component={Link} href={pathOf(projectId, 'canvas')} size="sm" underline="always">
      Open the canvas
    </Anchor>
  );
}
