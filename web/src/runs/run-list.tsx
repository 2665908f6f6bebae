import { Button, Group, Loader, Select, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { VList } from 'virtua';
import { Link } from 'wouter';
import { RelativeTime } from '../frame/relative-time';
import type { PartProps } from '../project/parts';
import { type Scenario, useScenarios } from '../project/scenarios';
import { Failure } from '../service/failure';
import { Loading } from '../service/loading';
import { useService } from '../service/service';
import { ChangedSince } from './changed-since';
import { countLabel, formatCost, formatFigure, formatSeconds, formatShare, NONE } from './figures';
import { runPath } from './run-paths';
import { RunStatus, statusLabel, statusOf } from './run-status';
import {
  isFinished,
  nameOf,
  type RunFilter,
  runsOf,
  type RunSummary,
  secondsOf,
  STATUSES,
  useRun,
  useRuns,
} from './runs-data';
import classes from './runs.module.css';
import { SolveBlockerList } from './solve-blockers';
import { SolveDialog } from './solve-dialog';

const TYPING_MS = 200;
/** Maximum length of `q`. */
const MAX_SEARCH_LENGTH = 1024;

/** Lists a project's runs, newest first. */
export function RunList({ project, mayWrite }: PartProps) {
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), TYPING_MS);
  const [{ status, scenario_id }, setFilter] = useState<Omit<RunFilter, 'q'>>({ status: null, scenario_id: null });
  const [isSolving, solveDialog] = useDisclosure();
  const listing = useRuns(project.id, { q, status, scenario_id });
  const { data: scenarios = [] } = useScenarios(project.id);
  const pages = listing.data?.pages ?? [];
  const runs = runsOf(pages);
  const total = pages.at(-1)?.total ?? 0;
  const isFiltered = q !== '' || status !== null || scenario_id !== null;
  const isNothing = listing.isSuccess && runs.length === 0;

  return (
    <>
      <div className={classes.bar}>
        <TextInput
          type="search"
          size="xs"
          aria-label="Search runs by name"
          placeholder="Search by name"
          value={search}
          maxLength={MAX_SEARCH_LENGTH}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          rightSection={listing.isPlaceholderData ? <Loader size="xs" aria-label="Searching" /> : undefined}
          className={classes.search}
        />
        <Select
          size="xs"
          w={120}
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={STATUSES.map((value) => ({ value, label: statusLabel(value) }))}
          value={status}
          onChange={(value) => setFilter({ status: value, scenario_id })}
        />
        {scenarios.length > 0 && (
          <Select
            size="xs"
            w={160}
            aria-label="Scenario"
            placeholder="Any scenario"
            clearable
            searchable
            nothingFoundMessage="No matching scenarios"
            data={scenarios.map(({ id, name }) => ({ value: id, label: name }))}
            value={scenario_id}
            onChange={(value) => setFilter({ status, scenario_id: value })}
          />
        )}
        {mayWrite && (
          <Button size="xs" ml="auto" onClick={solveDialog.open}>
            Solve
          </Button>
        )}
      </div>
      {listing.error !== null && (
        <div className={classes.failure}>
          <Failure
            title={listing.data === undefined ? 'Could not load the runs' : 'The runs may be out of date'}
            error={listing.error}
            onRetry={() => void listing.refetch()}
          />
        </div>
      )}
      {listing.isPending && <Loading name="the runs" />}
      {isNothing && (
        <Stack align="flex-start" gap="xs" p="md" role="status" maw={560}>
          <Text fw={550}>{isFiltered ? 'No matching runs' : 'No runs yet'}</Text>
          <Text size="sm" c="dimmed">
            {isFiltered
              ? 'Remove a filter or try a different search.'
              : mayWrite
                ? 'A run solves the canvas or one of its scenarios. It keeps the result and the model that was solved.'
                : 'Runs appear here once an editor solves the model.'}
          </Text>
          {!isFiltered && mayWrite && <SolveBlockerList project={project} />}
        </Stack>
      )}
      {runs.length > 0 && (
        <>
          <div className={[classes.row, classes.head].join(' ')} aria-hidden="true">
            <span>Run</span>
            <span>Status</span>
            <span className={classes.number}>Objective</span>
            <span className={classes.number}>Gap</span>
            <span className={classes.number}>Time</span>
            <span className={classes.number}>Credits</span>
          </div>
          <div className={classes.list}>
            <VList data={runs} className={classes.rows} role="list" aria-label="Runs">
              {(run, index) => (
                <Row
                  key={run.id}
                  projectId={project.id}
                  run={run}
                  scenarios={scenarios}
                  position={index + 1}
                  count={total}
                />
              )}
            </VList>
          </div>
          <Group justify="space-between" className={classes.foot}>
            <Text size="xs" c="dimmed" role="status">
              {runs.length < total ? `${runs.length} of ${countLabel(total, 'run')}` : countLabel(total, 'run')}
            </Text>
            {listing.hasNextPage && (
              <Button
                variant="default"
                size="compact-xs"
                loading={listing.isFetchingNextPage}
                onClick={() => void listing.fetchNextPage()}
              >
                Show more
              </Button>
            )}
          </Group>
        </>
      )}
      <SolveDialog project={project} scenarios={scenarios} opened={isSolving} onClose={solveDialog.close} />
    </>
  );
}

interface RowProps {
  projectId: string;
  run: RunSummary;
  scenarios: Scenario[];
  position: number;
  count: number;
}

/** Row of the list. Progress is polled only while a row with an active run is visible. */
function Row({ projectId, run, scenarios, position, count }: RowProps) {
  const isActive = !isFinished(run);
  const { data: active } = useRun(projectId, run.id, isActive);
  const progress = isActive ? active?.progress : null;
  const { me } = useService();
  const seconds = secondsOf({ ...run, progress });
  const name = nameOf(run, scenarios);
  return (
    <div role="listitem" aria-posinset={position} aria-setsize={count}>
      <Link href={runPath(projectId, run.id)} className={[classes.row, classes.link].join(' ')}>
        <div className={classes.name}>
          <Text size="sm" fw={600} truncate title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            <RelativeTime moment={run.created_at} />
            {[starterOf(run, me.user_id), modelKindOf(run), run.is_test === true ? 'test' : '']
              .filter((part) => part !== '')
              .map((part) => ` · ${part}`)}
          </Text>
          <ChangedSince projectId={projectId} run={run} />
        </div>
        <RunStatus status={statusOf(run)} />
        <Text size="sm" className={classes.number}>
          <VisuallyHidden>Objective </VisuallyHidden>
          {formatFigure(run.objective_value ?? progress?.incumbent)}
        </Text>
        <Text size="sm" c="dimmed" className={[classes.number, classes.minor].join(' ')}>
          <VisuallyHidden>Gap </VisuallyHidden>
          {formatShare(run.gap ?? progress?.gap)}
        </Text>
        <Text size="sm" c="dimmed" className={[classes.number, classes.minor].join(' ')}>
          <VisuallyHidden>Time </VisuallyHidden>
          {seconds === null ? NONE : formatSeconds(seconds)}
        </Text>
        <Text size="sm" c="dimmed" className={[classes.number, classes.minor].join(' ')}>
          <VisuallyHidden>Credits </VisuallyHidden>
          {formatCost(run.credits)}
        </Text>
      </Link>
    </div>
  );
}

/** Describes who started a run, such as `by you` or `by an API key`. */
export function starterOf({ triggered_by }: RunSummary, me: string | null): string {
  const [kind, id = ''] = triggered_by.split(/:(.*)/s);
  if (kind === 'agent') return 'by the agent';
  if (kind === 'api_key') return 'by an API key';
  return id === me ? 'by you' : `by ${id}`;
}

/** Returns which kind of model a run has solved. */
export const modelKindOf = ({
  scenario_id,
  input_file_ids,
}: Pick<RunSummary, 'scenario_id' | 'input_file_ids'>): string =>
  scenario_id !== null ? 'scenario' : (input_file_ids ?? []).length > 0 ? 'model file' : 'canvas';
