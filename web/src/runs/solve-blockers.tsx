import { Anchor, List, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { Link } from 'wouter';
import { useCards } from '../project/cards';
import { pathOf } from '../project/paths';
import classes from './runs.module.css';

type Card = Schemas['CardResponse'];

/** Maximum number of reasons listed. The canvas shows all of them. */
const MAX_LISTED = 5;

/** Reasons why a canvas cannot be solved. */
export interface SolveBlockers {
  /** Whether scenarios cannot be solved either. */
  isUnsolvable: boolean;
  sentences: string[];
}

/**
 * Returns the reasons why a canvas cannot be solved. Returns no reasons for a snapshot, because a snapshot is always solved as
 * it is.
 */
export function useSolveBlockers({ id, workspace_mode, completeness }: Schemas['ProjectResponse']): SolveBlockers {
  const { data: cards } = useCards(id, workspace_mode === 'define');
  return cards === undefined || workspace_mode !== 'define'
    ? { isUnsolvable: false, sentences: [] }
    : findBlockers(cards, completeness?.all_variables_provided !== false);
}

/** @param isProvided whether every name in the formulas is defined as a variable or a value */
function findBlockers(cards: readonly Card[], isProvided: boolean): SolveBlockers {
  const hasCard = (type: string): boolean => cards.some(({ card_type }) => card_type === type);
  const missingCards = [
    ...(hasCard('objective') ? [] : ['There is no objective. What should the plan maximize or minimize?']),
    ...(hasCard('variable') ? [] : ['There is no variable. What does the plan decide?']),
  ];
  // Gaps of KPIs are ignored. KPIs only rate a plan, so the solver does not need them.
  const gaps = cards
    .filter(({ card_type }) => card_type !== 'kpi')
    .flatMap(({ label, gaps: cardGaps }) =>
      cardGaps.filter(({ severity }) => severity === 'blocking').map(({ message }) => `${label}: ${message}`),
    );
  const unknownNames =
    missingCards.length + gaps.length > 0 || isProvided
      ? []
      : ['A formula contains a name that is neither a variable nor a value.'];
  return { isUnsolvable: missingCards.length > 0, sentences: [...missingCards, ...gaps, ...unknownNames] };
}

/** Lists the reasons with a link to the canvas. Renders nothing if the canvas can be solved. */
export function SolveBlockerList({ project }: { project: Schemas['ProjectResponse'] }) {
  const { sentences } = useSolveBlockers(project);
  if (sentences.length === 0) return null;
  const more = sentences.length - MAX_LISTED;
  return (
    <div className={classes.notice}>
      <Text size="sm" fw={550}>
        The canvas cannot be solved yet
      </Text>
      <List size="sm" my={4} className={classes.anywhere}>
        {sentences.slice(0, MAX_LISTED).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
        {more > 0 && <List.Item>and {more} more</List.Item>}
      </List>
      <CanvasLink projectId={project.id} />
    </div>
  );
}

export function CanvasLink({ projectId }: { projectId: string }) {
  return (
    <Anchor component={Link} href={pathOf(projectId, 'canvas')} size="sm" underline="always">
      Open the canvas
    </Anchor>
  );
}
