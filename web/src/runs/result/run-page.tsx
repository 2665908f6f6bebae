import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { NotFoundError } from '@project-workspace/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { RelativeTime } from '../../frame/relative-time';
import { keyOf } from '../../project/project-data';
import { useScenarios } from '../../project/scenarios';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import { useIntent } from '../../service/use-intent';
import { ChangedSince } from '../changed-since';
import { runPath, runsPath, scenarioPath } from '../run-paths';
import { modelKindOf, starterOf } from '../run-list';
import { RunStatus, statusOf } from '../run-status';
import { isFinished, nameOf, type Run, scenarioNameOf, useRun } from '../runs-data';
import classes from '../runs.module.css';
import { ConstraintsTable } from './constraints-table';
import { KpiTable } from './kpi-table';
import { ObjectiveTable } from './objective-table';
import { Outcome } from './outcome';
import { ResultFiles } from './result-files';
import { RunCards } from './run-cards';
import { RunFigures } from './run-figures';
import { RunLog } from './run-log';
import { RunProgress } from './run-progress';
import { ValuesTable } from './values-table';

interface RunPageProps {
  projectId: string;
  runId: string;
  mayWrite: boolean;
}

/** Page of a run: its progress and its outcome. */
export function RunPage({ projectId, runId, mayWrite }: RunPageProps) {
  const { data: run, error, refetch } = useRun(projectId, runId);
  if (run === undefined)
    return error === null ? (
      <Loading name="the run" />
    ) : (
      <Stack align="flex-start" p="md">
        {error instanceof NotFoundError ? (
          <Text role="alert">This project has no such run.</Text>
        ) : (
          <Failure title="Could not load the run" error={error} onRetry={() => void refetch()} />
        )}
        <Anchor component={Link} href={runsPath(projectId)} size="sm">
          All runs
        </Anchor>
      </Stack>
    );
  const { result } = run;
  const hasPlan = result !== null && result.objective_value !== null;
  return (
    <div className={classes.scrolling}>
      <Stack gap="lg" p="md" pt="sm">
        {error !== null && <Failure title="This run may be out of date" error={error} onRetry={() => void refetch()} />}
        <Stack gap="sm">
          <Head projectId={projectId} run={run} mayWrite={mayWrite} />
          <ChangedSince projectId={projectId} run={run} />
          {isFinished(run) ? <Outcome projectId={projectId} run={run} /> : <RunProgress run={run} />}
          <RunFigures run={run} />
          {result?.notes?.map((note) => (
            <Text key={note} size="sm" c="dimmed">
              {note}
            </Text>
          ))}
        </Stack>
        {hasPlan && result.objectives !== undefined && <ObjectiveTable objectives={result.objectives} />}
        {hasPlan && result.kpis !== undefined && result.kpis.length > 0 && <KpiTable kpis={result.kpis} />}
        {hasPlan && <ValuesTable projectId={projectId} runId={run.id} result={result} />}
        {hasPlan && result.constraints.length > 0 && <ConstraintsTable result={result} />}
        {result !== null && <ResultFiles projectId={projectId} result={result} />}
        <Stack gap={4}>
          <RunCards projectId={projectId} runId={run.id} />
          <RunLog projectId={projectId} run={run} />
        </Stack>
      </Stack>
    </div>
  );
}

function Head({ projectId, run, mayWrite }: { projectId: string; run: Run; mayWrite: boolean }) {
  const { client, me } = useService();
  const queries = useQueryClient();
  const [, open] = useLocation();
  const { data: scenarios } = useScenarios(projectId);
  const params = { path: { project_id: projectId, execution_id: run.id } };
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: keyOf(projectId, 'executions') });
    void queries.invalidateQueries({ queryKey: keyOf(projectId, 'execution', run.id) });
  };
  const cancel = useIntent({
    mutationFn: async (query: { keep_plan: boolean }, headers) =>
      await client.POST('/api/v1/projects/{project_id}/solve/executions/{execution_id}/cancel', {
        params: { ...params, query },
        headers,
      }),
    onSettled: refresh,
  });
  const repeat = useIntent({
    mutationFn: async (_: void, headers) =>
      (await client.POST('/api/v1/projects/{project_id}/solve/executions/{execution_id}/repeat', { params, headers }))
        .data,
    onSuccess: ({ id }) => {
      refresh();
      open(runPath(projectId, id));
    },
  });
  // The run ends about a second after the service has accepted the request to stop it.
  const isEnding = cancel.variables?.keep_plan === true && (cancel.isPending || cancel.isSuccess);
  const { scenario_id, name } = run;
  const hasScenario = scenario_id !== null && scenarios?.some(({ id }) => id === scenario_id) === true;
  return (
    <>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div className={classes.name}>
          <Group gap="sm" align="baseline">
            <Title order={2} size="h4" className={classes.title}>
              {nameOf(run, scenarios)}
            </Title>
            <span role="status">
              <RunStatus status={statusOf(run)} />
            </span>
          </Group>
          <Text size="xs" c="dimmed">
            <RelativeTime moment={run.created_at} /> · {starterOf(run, me.user_id)} ·{' '}
            {hasScenario ? (
              <>
                scenario{' '}
                <Anchor component={Link} href={scenarioPath(projectId, scenario_id)} size="xs" underline="always">
                  {scenarioNameOf(scenario_id, scenarios)}
                </Anchor>
              </>
            ) : (
              [modelKindOf(run), ...(name !== null && run.input_file_ids != null ? run.input_file_ids : [])].join(' ')
            )}
            {run.is_test && ' · test'}
          </Text>
        </div>
        {mayWrite &&
          (isFinished(run) ? (
            <Button
              size="xs"
              variant="default"
              className={classes.button}
              loading={repeat.isPending}
              onClick={() => repeat.mutate()}
            >
              Solve again
            </Button>
          ) : (
            <Group gap="xs" justify="flex-end">
              {run.progress?.phase === 'solving' && run.progress.incumbent !== null && (
                <Button
                  size="xs"
                  className={classes.button}
                  disabled={cancel.isPending}
                  loading={isEnding}
                  onClick={() => cancel.mutate({ keep_plan: true })}
                >
                  Stop and keep this plan
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                className={classes.button}
                loading={cancel.isPending && !isEnding}
                onClick={() => cancel.mutate({ keep_plan: false })}
              >
                Cancel
              </Button>
            </Group>
          ))}
      </Group>
      {cancel.error !== null && <Failure title="Could not cancel the run" error={cancel.error} />}
      {repeat.error !== null && <Failure title="Could not start the run" error={repeat.error} />}
    </>
  );
}
