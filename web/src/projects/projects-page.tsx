import {
  Button,
  Center,
  Checkbox,
  Container,
  Group,
  Loader,
  Stack,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDebouncedValue, useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { Failure } from '../service/failure';
import { useService } from '../service/service';
import { projectsOf, useProjects } from './listing';
import { NewProject } from './new-project';
import { ProjectList } from './project-list';

const TYPING_MS = 200;
/** Maximum length of `q`. */
const MAX_SEARCH_LENGTH = 1024;

/** Lists all projects that the caller can access. */
export function ProjectsPage() {
  useDocumentTitle('Projects – Project Workspace');
  const { me } = useService();
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), TYPING_MS);
  const [mine, setMine] = useState(false);
  const [isCreating, creationDialog] = useDisclosure();
  const listing = useProjects({ q, mine });
  const pages = listing.data?.pages ?? [];
  const projects = projectsOf(pages);
  const total = pages.at(-1)?.total ?? 0;
  const mayCreate = me.access === 'write' && me.project_ids === null;
  const isFiltered = q !== '' || mine;
  const newProject = mayCreate && <Button onClick={creationDialog.open}>New project</Button>;

  return (
    <Container size="xl" py="md">
      <Stack>
        <Group justify="space-between">
          <Title order={1} size="h3">
            Projects
          </Title>
          {newProject}
        </Group>
        <Group>
          <TextInput
            type="search"
            aria-label="Search by name"
            placeholder="Search by name"
            value={search}
            maxLength={MAX_SEARCH_LENGTH}
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
            rightSection={listing.isPlaceholderData ? <Loader size="xs" aria-label="Searching" /> : undefined}
            flex={1}
            maw={420}
          />
          <Checkbox label="Only mine" checked={mine} onChange={({ currentTarget }) => setMine(currentTarget.checked)} />
        </Group>
        {listing.error !== null && (
          <Failure
            title={listing.data === undefined ? 'Could not load the projects' : 'The projects may be out of date'}
            error={listing.error}
            onRetry={() => void listing.refetch()}
          />
        )}
        {listing.isPending && (
          <Center mih={200} role="status">
            <Loader size="sm" />
            <VisuallyHidden>Loading the projects</VisuallyHidden>
          </Center>
        )}
        {projects.length > 0 && (
          <>
            <ProjectList projects={projects} total={total} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed" role="status">
                {projects.length < total ? `${projects.length} of ${total} projects` : projectCountLabel(total)}
              </Text>
              {listing.hasNextPage && (
                <Button
                  variant="default"
                  size="compact-sm"
                  loading={listing.isFetchingNextPage}
                  onClick={() => void listing.fetchNextPage()}
                >
                  Show more
                </Button>
              )}
            </Group>
          </>
        )}
        {listing.isSuccess && projects.length === 0 && (
          <Stack align="flex-start" gap="xs" py="xl" role="status">
            <Text fw={550}>{isFiltered ? 'No matching projects' : 'No projects yet'}</Text>
            <Text size="sm" c="dimmed" maw={520}>
              {isFiltered
                ? 'Try a different search, or show all projects.'
                : 'A project contains one planning problem: the conversation with the agent, the model, the files and the runs.'}
            </Text>
            {isFiltered ? (
              <Button
                variant="default"
                onClick={() => {
                  setSearch('');
                  setMine(false);
                }}
              >
                Show all projects
              </Button>
            ) : (
              newProject
            )}
          </Stack>
        )}
        <NewProject opened={isCreating} onClose={creationDialog.close} />
      </Stack>
    </Container>
  );
}

const projectCountLabel = (count: number): string => (count === 1 ? '1 project' : `${count} projects`);
