import { Anchor, Button, Group, MultiSelect, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { RelativeTime } from '../../frame/relative-time';
import type { PartProps } from '../../project/parts';
import { keyOf } from '../../project/project-data';
import { useScenarios } from '../../project/scenarios';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import { RunChangedSince } from '../changed-since';
import { differenceOf, formatDifference, formatFigure, formatRelative, NONE, roundFigure } from '../figures';
import { comparisonPath, runPath, scenarioPath, scenariosPath } from '../run-paths';
import { RunStatus } from '../run-status';
import { type Run, useActiveRuns } from '../runs-data';
import classes from '../runs.module.css';
import { saveFile } from '../save-file';

type ComparisonData = Schemas['ScenarioComparisonResponse'];

const COMPARE = '/api/v1/projects/{project_id}/scenarios/compare';
/** Id that represents the plan of the canvas in the comparison. */
const BASE = 'base';

/** Plan for the canvas or for a scenario. */
interface Plan {
  /** Id in the comparison. */
  id: string;
  name: string;
  runId: string | null;
  status: string | null;
  objective: number | null;
  /** Difference from the objective value of the canvas. */
  difference: number | null;
  endedAt: string | null;
  kpis: { label: string; value: number | null; difference: number | null }[];
  /** Queued or running run that will replace this plan. */
  next: Run | undefined;
}

/** Compares the latest results of the scenarios and the canvas. */
export function Comparison({ project, mayWrite, ids }: PartProps & { ids: string[] }) {
  const { client } = useService();
  const [, open] = useLocation();
  const { data: scenarios } = useScenarios(project.id);
  const active = useActiveRuns(project.id);
  // Scenarios that were deleted are not requested.
  const existingIds = scenarios === undefined ? ids : ids.filter((id) => scenarios.some((one) => one.id === id));
  const params = {
    path: { project_id: project.id },
    query: { ...(existingIds.length > 0 && { ids: existingIds.join(',') }) },
  };
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(project.id, 'scenarios', 'compared', existingIds),
    enabled: scenarios !== undefined && scenarios.length > 0,
    queryFn: async ({ signal }) => (await client.GET(COMPARE, { params, signal })).data,
    placeholderData: keepPreviousData,
  });
  const download = useMutation({
    mutationFn: async () => {
      const { data: csv } = await client.GET(COMPARE, { params, headers: { accept: 'text/csv' }, parseAs: 'text' });
      saveFile(new Blob([String(csv)], { type: 'text/csv' }), 'comparison.csv');
    },
  });
  if (scenarios?.length === 0)
    return (
      <Stack align="flex-start" gap="xs" p="md" role="status" maw={560}>
        <Text fw={550}>Nothing to compare yet</Text>
        <Text size="sm" c="dimmed">
          {mayWrite
            ? 'Create a scenario and solve it together with the canvas to see both side by side.'
            : 'Scenarios appear here once an editor creates one.'}
        </Text>
        {mayWrite && (
          <Button size="xs" component={Link} href={scenarioPath(project.id)}>
            New scenario
          </Button>
        )}
      </Stack>
    );
  return (
    <>
      <div className={classes.bar}>
        <MultiSelect
          size="xs"
          aria-label="Scenarios"
          placeholder={existingIds.length === 0 ? 'All scenarios' : ''}
          data={(scenarios ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={existingIds}
          onChange={(selected) => open(comparisonPath(project.id, selected), { replace: true })}
          searchable
          clearable
          hidePickedOptions
          nothingFoundMessage="No other matching scenarios"
          className={classes.choice}
        />
        <Group gap="xs" ml="auto">
          <Button
            size="xs"
            variant="default"
            disabled={data === undefined}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            Download as CSV
          </Button>
          {mayWrite && (
            <Button size="xs" variant="default" component={Link} href={scenariosPath(project.id)}>
              Solve scenarios
            </Button>
          )}
        </Group>
      </div>
      <div className={classes.scrolling}>
        <Stack p="md" pt={4}>
          {error !== null && (
            <Failure
              title={data === undefined ? 'Could not compare the scenarios' : 'The comparison may be out of date'}
              error={error}
              onRetry={() => void refetch()}
            />
          )}
          {download.error !== null && <Failure title="Could not download the comparison" error={download.error} />}
          {data === undefined && error === null && <Loading name="the comparison" />}
          {data !== undefined && (
            <ComparisonTable projectId={project.id} comparison={data} plans={plansOf(data, active)} />
          )}
        </Stack>
      </div>
    </>
  );
}

function plansOf({ base, scenarios }: ComparisonData, active: readonly Run[]): Plan[] {
  const nextOf = (id: string | null) =>
    active.find(({ scenario_id, input_file_ids }) => scenario_id === id && (input_file_ids ?? []).length === 0);
  return [
    {
      id: BASE,
      name: 'Canvas',
      runId: base?.execution_id ?? null,
      status: base?.status ?? null,
      objective: base?.objective_value ?? null,
      difference: null,
      endedAt: base?.ended_at ?? null,
      kpis: (base?.kpis ?? []).map((kpi) => ({ ...kpi, difference: null })),
      next: nextOf(null),
    },
    ...scenarios.map((one) => ({
      id: one.scenario_id,
      name: one.name,
      runId: one.execution_id,
      status: one.status,
      objective: one.objective_value,
      difference: one.difference,
      endedAt: one.ended_at,
      kpis: one.kpis,
      next: nextOf(one.scenario_id),
    })),
  ];
}

interface ComparisonTableProps {
  projectId: string;
  comparison: ComparisonData;
  plans: Plan[];
}

function ComparisonTable({ projectId, comparison: { differing }, plans }: ComparisonTableProps) {
  const [canvas] = plans;
  const solvedPlans = plans.filter(({ objective }) => objective !== null);
  return (
    <>
      <div className={classes.wide} tabIndex={0} role="group" aria-label="Scenarios side by side">
        <Table fz="sm" verticalSpacing={5} className={[classes.table, classes.compared].join(' ')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th aria-label="Figure" />
              {plans.map(({ id, name }) => (
                <Table.Th key={id} scope="col" className={classes.plan} title={name}>
                  {id === BASE ? (
                    name
                  ) : (
                    <Anchor component={Link} href={scenarioPath(projectId, id)} c="inherit" fz="inherit" fw="inherit">
                      {name}
                    </Anchor>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Line title="Latest run">
              {plans.map((plan) => (
                <Table.Td key={plan.id} className={classes.number}>
                  <RunCell projectId={projectId} plan={plan} />
                </Table.Td>
              ))}
            </Line>
            <Line title="Objective">
              {plans.map(({ id, objective, difference: change }) => (
                <FigureCell
                  key={id}
                  value={objective}
                  change={change}
                  base={canvas?.objective ?? null}
                  isBase={id === BASE}
                />
              ))}
            </Line>
            {kpiLines(plans).map(({ label, occurrence }) => (
              <Line key={`${occurrence} ${label}`} title={label}>
                {plans.map(({ id, kpis }) => {
                  const kpi = kpis.filter((one) => one.label === label)[occurrence];
                  const canvasValue = canvas?.kpis.filter((one) => one.label === label)[occurrence];
                  return (
                    <FigureCell
                      key={id}
                      value={kpi?.value ?? null}
                      change={kpi?.difference ?? null}
                      base={canvasValue?.value ?? null}
                      isBase={id === BASE}
                    />
                  );
                })}
              </Line>
            ))}
          </Table.Tbody>
          {differing.length > 0 && (
            <Table.Tbody>
              <Table.Tr>
                <Table.Th colSpan={plans.length + 1} scope="colgroup" className={classes.group}>
                  Largest differences in values
                </Table.Th>
              </Table.Tr>
              {differing.map(({ family, keys, values }) => (
                <Line
                  key={JSON.stringify([family, ...keys])}
                  title={keys.length === 0 ? family : `${family}[${keys.join(', ')}]`}
                >
                  {plans.map(({ id, objective }) => {
                    const hasPlan = objective !== null;
                    const value = hasPlan ? (values[id] ?? 0) : null;
                    const canvasValue = canvas?.objective == null ? null : (values[BASE] ?? 0);
                    return (
                      <FigureCell
                        key={id}
                        value={value}
                        change={value === null || canvasValue === null ? null : differenceOf(value, canvasValue)}
                        base={canvasValue}
                        isBase={id === BASE}
                      />
                    );
                  })}
                </Line>
              ))}
            </Table.Tbody>
          )}
        </Table>
      </div>
      <Text size="xs" c="dimmed">
        {solvedPlans.length < 2
          ? 'A comparison needs at least two plans. Solve the scenarios together with the canvas.'
          : differing.length === 0
            ? 'All plans have the same values.'
            : 'Differences are relative to the plan of the canvas. A run uses the model from the time it started, without later changes.'}
      </Text>
    </>
  );
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.line}>
        {title}
      </Table.Th>
      {children}
    </Table.Tr>
  );
}

/** Shows a number, and below it the difference from the canvas. */
function FigureCell({
  value,
  change,
  base,
  isBase,
}: {
  value: number | null;
  change: number | null;
  base: number | null;
  isBase: boolean;
}) {
  return (
    <Table.Td className={classes.number} title={value === null ? undefined : String(roundFigure(value))}>
      {formatFigure(value)}
      {!isBase && change !== null && change !== 0 && (
        <Text size="xs" c="dimmed" className={classes.change}>
          {formatDifference(change)}
          {formatRelative(change, base) !== NONE && ` (${formatRelative(change, base)})`}
        </Text>
      )}
    </Table.Td>
  );
}

/** Shows the run of a plan, when it ended, and the run that will replace it. */
function RunCell({ projectId, plan: { runId, status, endedAt, next } }: { projectId: string; plan: Plan }) {
  return (
    <Stack gap={2} align="flex-end">
      {runId === null || status === null ? (
        next === undefined && <Text size="sm">Not solved yet</Text>
      ) : (
        <Anchor component={Link} href={runPath(projectId, runId)} c="inherit" size="sm">
          <RunStatus status={status} />
        </Anchor>
      )}
      {runId !== null && <RunChangedSince projectId={projectId} runId={runId} />}
      {next === undefined ? (
        endedAt !== null && (
          <Text size="xs" c="dimmed">
            <RelativeTime moment={endedAt} />
          </Text>
        )
      ) : (
        <Anchor component={Link} href={runPath(projectId, next.id)} c="inherit" size="xs">
          <RunStatus status={next.status} size="xs" />
        </Anchor>
      )}
    </Stack>
  );
}

/** Returns the KPIs of all plans, in order of first appearance. KPIs with the same label in a plan are kept separate. */
function kpiLines(plans: readonly Plan[]): { label: string; occurrence: number }[] {
  const countByLabel = new Map<string, number>();
  for (const { kpis } of plans)
    for (const { label } of kpis)
      countByLabel.set(label, Math.max(countByLabel.get(label) ?? 0, kpis.filter((one) => one.label === label).length));
  return [...countByLabel].flatMap(([label, count]) =>
    Array.from({ length: count }, (_, occurrence) => ({ label, occurrence })),
  );
}
