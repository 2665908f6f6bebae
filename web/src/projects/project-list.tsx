import { Badge, Box, Text, VisuallyHidden } from '@mantine/core';
import { WindowVirtualizer } from 'virtua';
import { Link } from 'wouter';
import { RelativeTime } from '../frame/relative-time';
import { checklistOf } from '../project/checklist';
import type { Project } from './listing';
import classes from './project-list.module.css';

/** List of projects that renders only its visible rows. */
export function ProjectList({ projects, total }: { projects: Project[]; total: number }) {
  return (
    <div className={classes.list}>
      <div className={[classes.row, classes.head].join(' ')} aria-hidden="true">
        <span>Project</span>
        <span>Status</span>
        <span>Checklist</span>
        <span className={classes.number}>Credits</span>
        <span>Updated</span>
      </div>
      <div role="list" aria-label="Projects">
        <WindowVirtualizer data={projects}>
          {(project, index) => <Row key={project.id} project={project} position={index + 1} count={total} />}
        </WindowVirtualizer>
      </div>
    </div>
  );
}

function Row({ project, position, count }: { project: Project; position: number; count: number }) {
  const { name, created_by, visibility, completeness, card_count = 0, total_credits = 0, updated_at } = project;
  return (
    <div role="listitem" aria-posinset={position} aria-setsize={count}>
      <Link href={`/projects/${project.id}`} className={[classes.row, classes.link].join(' ')}>
        <Box className={classes.name}>
          <Text size="sm" fw={600} truncate title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {[
              created_by?.display_name,
              `${card_count} ${card_count === 1 ? 'card' : 'cards'}`,
              visibility === 'private' ? 'private' : undefined,
            ]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </Text>
        </Box>
        <Status status={project.status} />
        <Text size="sm" className={classes.model} c={completeness?.overall === 'complete' ? undefined : 'dimmed'}>
          <VisuallyHidden>Checklist: </VisuallyHidden>
          {completeness === undefined ? '–' : checklistProgress(completeness)}
        </Text>
        <Text size="sm" className={classes.number}>
          <VisuallyHidden>Credits </VisuallyHidden>
          {CREDITS.format(total_credits)}
        </Text>
        <Text size="sm" c="dimmed" className={classes.changed}>
          <VisuallyHidden>Updated </VisuallyHidden>
          <RelativeTime moment={updated_at} />
        </Text>
      </Link>
    </div>
  );
}

/** Returns how many requirements are met. */
function checklistProgress(completeness: NonNullable<Project['completeness']>): string {
  const points = checklistOf(completeness);
  const metCount = points.filter(({ isMet }) => isMet).length;
  return metCount === points.length ? 'Complete' : `${metCount} of ${points.length}`;
}

const CREDITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Shows what a project is currently doing. Idle projects have no color. */
function Status({ status }: { status: Project['status'] }) {
  if (status === 'solving')
    return (
      <Badge variant="light" color="violet">
        Solving
      </Badge>
    );
  if (status === 'working') return <Badge variant="light">Agent working</Badge>;
  return (
    <Text size="sm" c="dimmed" className={classes.status}>
      Idle
    </Text>
  );
}
