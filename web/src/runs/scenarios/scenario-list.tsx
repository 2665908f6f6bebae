import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { VList } from 'virtua';
import { Link, useLocation } from 'wouter';
import { RelativeTime } from '../../frame/relative-time';
import { useCards } from '../../project/cards';
import type { PartProps } from '../../project/parts';
import { keyOf } from '../../project/project-data';
import { type Scenario, useScenarios } from '../../project/scenarios';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import { useIntent } from '../../service/use-intent';
import { countLabel } from '../figures';
import { comparisonPath, runPath, scenarioPath } from '../run-paths';
import { RunStatus } from '../run-status';
import { type Run, useActiveRuns } from '../runs-data';
import classes from '../runs.module.css';
import { changeInWords } from './change-words';
import { SolveScenarios } from './solve-scenarios';

/** Maximum number of changes listed in a row. */
const MAX_LISTED = 4;

/** Lists a project's scenarios, newest first. */
export function ScenarioList({ project, mayWrite }: PartProps) {
  const [, open] = useLocation();
  const { data: scenarios, error, refetch } = useScenarios(project.id);
  const { data: cards = [] } = useCards(project.id);
  const active = useActiveRuns(project.id);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** Ids of the scenarios to solve. */
  const [idsToSolve, setIdsToSolve] = useState<readonly string[]>([]);
  const [isSolving, solveDialog] = useDisclosure();
  const ids = (scenarios ?? []).map(({ id }) => id);
  // Drops scenarios that have been deleted in the meantime.
  const selectedIds = ids.filter((id) => selected.has(id));
  const solve = (scenarioIds: readonly string[]) => {
    setIdsToSolve(scenarioIds);
    solveDialog.open();
  };
  const toggle = (id: string) =>
    setSelected(new Set(selected.has(id) ? selectedIds.filter((one) => one !== id) : [...selectedIds, id]));
  const newScenario = mayWrite && (
    <Button size="xs" component={Link} href={scenarioPath(project.id)}>
      New scenario
    </Button>
  );
  return (
    <>
      {ids.length > 0 && (
        <div className={classes.bar}>
          <Checkbox
            size="xs"
            label={
              selectedIds.length === 0
                ? countLabel(ids.length, 'scenario')
                : `${selectedIds.length} of ${ids.length} selected`
            }
            aria-label="Select all"
            checked={selectedIds.length === ids.length}
            indeterminate={selectedIds.length > 0 && selectedIds.length < ids.length}
            onChange={() => setSelected(new Set(selectedIds.length === ids.length ? [] : ids))}
          />
          <Group gap="xs" ml="auto">
            <Button size="xs" variant="default" component={Link} href={comparisonPath(project.id, selectedIds)}>
              {selectedIds.length === 0 ? 'Compare all' : `Compare ${selectedIds.length}`}
            </Button>
            {mayWrite && (
              <Button size="xs" variant="default" onClick={() => solve(selectedIds.length === 0 ? ids : selectedIds)}>
                {selectedIds.length === 0 ? 'Solve all' : `Solve ${selectedIds.length}`}
              </Button>
            )}
            {newScenario}
          </Group>
        </div>
      )}
      {error !== null && (
        <div className={classes.failure}>
          <Failure
            title={scenarios === undefined ? 'Could not load the scenarios' : 'The scenarios may be out of date'}
            error={error}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {scenarios === undefined && error === null && <Loading name="the scenarios" />}
      {scenarios?.length === 0 && (
        <Stack align="flex-start" gap="xs" p="md" role="status" maw={560}>
          <Text fw={550}>No scenarios yet</Text>
          <Text size="sm" c="dimmed">
            {mayWrite
              ? 'What if you added a second shift, demand rose by 10%, or there were no overtime limit? A scenario is a list of such changes. Solving it does not change the canvas.'
              : 'Scenarios appear here once an editor creates one.'}
          </Text>
          {newScenario}
        </Stack>
      )}
      {scenarios !== undefined && scenarios.length > 0 && (
        <div className={classes.list}>
          <VList data={scenarios} className={classes.rows} role="list" aria-label="Scenarios">
            {(scenario, index) => (
              <Row
                key={scenario.id}
                scenario={scenario}
                changes={scenario.changes.map((change) => changeInWords(change, cards))}
                run={active.find(({ scenario_id }) => scenario_id === scenario.id)}
                isSelected={selected.has(scenario.id)}
                onToggle={() => toggle(scenario.id)}
                onSolve={mayWrite ? () => solve([scenario.id]) : undefined}
                position={index + 1}
                count={scenarios.length}
              />
            )}
          </VList>
        </div>
      )}
      <SolveScenarios
        project={project}
        scenarios={(scenarios ?? []).filter(({ id }) => idsToSolve.includes(id))}
        opened={isSolving}
        onClose={solveDialog.close}
        onStarted={() => open(comparisonPath(project.id, idsToSolve.length === ids.length ? [] : idsToSolve))}
      />
    </>
  );
}

interface RowProps {
  scenario: Scenario;
  /** Descriptions of the changes. */
  changes: string[];
  /** Queued or active run. */
  run: Run | undefined;
  isSelected: boolean;
  onToggle: () => void;
  /** Undefined for users with read access. */
  onSolve: (() => void) | undefined;
  position: number;
  count: number;
}

function Row({ scenario, changes, run, isSelected, onToggle, onSolve, position, count }: RowProps) {
  const { client } = useService();
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const { id, project_id, name, description, updated_at } = scenario;
  const deletion = useIntent({
    mutationFn: async () => {
      const params = { path: { project_id, scenario_id: id } };
      await client.DELETE('/api/v1/projects/{project_id}/scenarios/{scenario_id}', { params });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(project_id, 'scenarios') }),
  });
  const more = changes.length - MAX_LISTED;
  return (
    <div role="listitem" aria-posinset={position} aria-setsize={count} className={classes.scenario}>
      <Checkbox size="xs" mt={3} aria-label={`Select ${name}`} checked={isSelected} onChange={onToggle} />
      <div className={classes.name}>
        <Group gap="xs" align="baseline">
          <Anchor
            component={Link}
            href={scenarioPath(project_id, id)}
            size="sm"
            fw={600}
            c="inherit"
            className={classes.anywhere}
          >
            {name}
          </Anchor>
          {run !== undefined && (
            <Anchor component={Link} href={runPath(project_id, run.id)} c="inherit" size="xs">
              <RunStatus status={run.status} size="xs" />
            </Anchor>
          )}
        </Group>
        {description !== null && description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={2} className={classes.anywhere}>
            {description}
          </Text>
        )}
        <Text size="xs" className={classes.anywhere}>
          {changes.length === 0 ? 'No changes' : changes.slice(0, MAX_LISTED).join(' · ')}
          {more > 0 && ` · and ${more} more`}
        </Text>
        {deletion.error !== null && <Failure title="Could not delete the scenario" error={deletion.error} />}
      </div>
      <Text size="xs" c="dimmed" className={classes.when}>
        <RelativeTime moment={updated_at} />
      </Text>
      {onSolve !== undefined && (
        <Group gap={4} className={classes.tools}>
          {isConfirming ? (
            <>
              <Text size="xs">Delete it? Its runs are kept.</Text>
              <Button size="compact-xs" color="red" loading={deletion.isPending} onClick={() => deletion.mutate()}>
                Delete
              </Button>
              <Button size="compact-xs" variant="default" onClick={() => setConfirming(false)}>
                Keep
              </Button>
            </>
          ) : (
            <>
              <Button size="compact-xs" variant="subtle" aria-label={`Solve ${name}`} onClick={onSolve}>
                Solve
              </Button>
              <Button
                size="compact-xs"
                variant="subtle"
                component={Link}
                href={scenarioPath(project_id, id)}
                aria-label={`Edit ${name}`}
              >
                Edit
              </Button>
              <Button
                size="compact-xs"
                variant="subtle"
                color="gray"
                aria-label={`Delete ${name}`}
                onClick={() => setConfirming(true)}
              >
                Delete
              </Button>
            </>
          )}
        </Group>
      )}
    </div>
  );
}
