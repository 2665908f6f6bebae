import { Anchor, Badge, Container, Group, Stack, Text } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { NotFoundError } from '@project-workspace/client';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { ConversationView } from '../conversation/conversation-view';
import { Boundary } from '../frame/boundary';
import { Failure } from '../service/failure';
import { Loading } from '../service/loading';
import { useService } from '../service/service';
import { type PartName, PARTS, pathOf } from './parts';
import { useProject, useProjectEvents } from './project-data';
import classes from './project-page.module.css';

/** Media query for screens that show the conversation next to another part. */
const WIDE = '(min-width: 75em)';

/** Page of a project: its name, the conversation with the agent, and the open part next to it. */
export function ProjectPage({ id, open }: { id: string; open: PartName | undefined }) {
  const { me } = useService();
  const { data: project, error, refetch } = useProject(id);
  const isWide = useMediaQuery(WIDE);
  useProjectEvents(id);
  const part = open && PARTS[open];
  useDocumentTitle(`${part === undefined ? '' : `${part.label} – `}${project?.name ?? 'Project'} – Project Workspace`);
  // On narrow screens, the hidden conversation stays mounted to preserve its draft, pending messages and scroll position.
  const showsConversation = part === undefined || isWide === true;
  const [hasShownConversation, setShownConversation] = useState(showsConversation);
  if (showsConversation && !hasShownConversation) setShownConversation(true);

  // If the project no longer exists, its cached data must not be shown.
  if (project === undefined || error instanceof NotFoundError)
    return (
      <Container size="md" py="xl">
        {error === null ? (
          <Loading name="the project" />
        ) : (
          <Stack align="flex-start">
            {error instanceof NotFoundError ? (
              <Text role="alert">This project no longer exists, or you do not have access to it.</Text>
            ) : (
              <Failure title="Could not load the project" error={error} onRetry={() => void refetch()} />
            )}
            <Anchor component={Link} href="/" size="sm">
              All projects
            </Anchor>
          </Stack>
        )}
      </Container>
    );
  const mayWrite = project.role !== 'viewer' && me.access === 'write';
  return (
    <div className={classes.page}>
      <Container fluid w="100%" py="xs">
        <Group gap="xs" wrap="nowrap">
          <Anchor component={Link} href="/" size="sm" c="dimmed" className={classes.back}>
            Projects
          </Anchor>
          <Text c="dimmed" size="sm" aria-hidden="true">
            /
          </Text>
          <Text component="h1" size="sm" fw={600} className={classes.name} title={project.name}>
            {project.name}
          </Text>
          {project.visibility === 'private' && (
            <Badge variant="default" size="sm">
              Private
            </Badge>
          )}
          {!mayWrite && (
            <Badge variant="default" size="sm">
              Read-only
            </Badge>
          )}
        </Group>
        <nav className={classes.parts} aria-label="Parts of the project">
          <PartLink href={pathOf(id)} label="Conversation" isOpen={open === undefined} />
          {Object.entries(PARTS).map(([name, { label }]) => (
            <PartLink key={name} href={pathOf(id, name as PartName)} label={label} isOpen={open === name} />
          ))}
        </nav>
      </Container>
      <div className={classes.content}>
        {hasShownConversation && (
          <div
            className={classes.conversation}
            hidden={!showsConversation}
            data-beside={part !== undefined || undefined}
          >
            <Boundary>
              <ConversationView projectId={id} mayWrite={mayWrite} />
            </Boundary>
          </div>
        )}
        {part !== undefined && (
          <div className={classes.part}>
            <Boundary key={open}>
              <Suspense fallback={<Loading name={`the ${part.label.toLowerCase()}`} />}>
                <part.component project={project} mayWrite={mayWrite} />
              </Suspense>
            </Boundary>
          </div>
        )}
      </div>
    </div>
  );
}

function PartLink({ href, label, isOpen }: { href: string; label: string; isOpen: boolean }) {
  return (
    <Anchor
      component={Link}
      href={href}
      size="sm"
      underline="never"
      className={classes.partLink}
      aria-current={isOpen ? 'page' : undefined}
    >
      {label}
    </Anchor>
  );
}
