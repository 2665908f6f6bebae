import { Anchor, Badge, Center, Container, Group, Loader, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { NotFoundError } from '@project-workspace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ConversationView } from '../conversation/conversation-view';
import { Failure } from '../service/failure';
import { useService } from '../service/service';
import classes from './project-place.module.css';

/** A project: what it is called, and the conversation with the agent. */
export function ProjectPlace({ id }: { id: string }) {
  const { client, me } = useService();
  const {
    data: project,
    error,
    refetch,
  } = useQuery({
    queryKey: ['project', id],
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: id } };
      return (await client.GET('/api/v1/projects/{project_id}', { params, signal })).data;
    },
  });
  useDocumentTitle(`${project?.name ?? 'Project'} – Project Workspace`);

  if (project === undefined)
    return (
      <Container size="md" py="xl">
        {error === null ? (
          <Center mih={200} role="status">
            <Loader size="sm" />
            <VisuallyHidden>Reading the project</VisuallyHidden>
          </Center>
        ) : (
          <Stack align="flex-start">
            {error instanceof NotFoundError ? (
              <Text role="alert">This project is not there any more, or you may not see it.</Text>
            ) : (
              <Failure what="The project could not be read" error={error} onRetry={() => void refetch()} />
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
    <div className={classes.place}>
      <Container size="md" w="100%" py="xs">
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
              You read
            </Badge>
          )}
        </Group>
      </Container>
      <ConversationView projectId={id} mayWrite={mayWrite} />
    </div>
  );
}
