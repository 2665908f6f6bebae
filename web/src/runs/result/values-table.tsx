import { Checkbox, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import { countLabel, formatCount, formatFigure } from '../figures';
import type { Result } from '../runs-data';
import { type Column, FigureTable } from './figure-table';
import { Section } from './section';

type Value = Schemas['RunValue'];

/** Number of members per request, which is the maximum that the service allows. */
const PAGE_SIZE = 1000;
/** Key for all variables without an index. It cannot collide, because names in formulas are never empty. */
const SINGLE = '';

interface ValuesProps {
  projectId: string;
  runId: string;
  result: Result;
}

/** Shows the values of a plan: variables without an index together, then the members of each indexed variable. */
export function ValuesTable({ projectId, runId, result }: ValuesProps) {
  const { families = [], variables, reduced_costs } = result;
  const single = useMemo(() => singleValues(result), [result]);
  const choices = [
    ...(single.length === 0
      ? []
      : [{ value: SINGLE, label: families.length === 0 ? 'All' : `Not indexed (${formatCount(single.length)})` }]),
    ...families.map(({ name, size }) => ({ value: name, label: `${name} (${formatCount(size)})` })),
  ];
  const [selected, setSelected] = useState(families[0]?.name ?? SINGLE);
  const family = families.find(({ name }) => name === selected);
  if (choices.length === 0) return null;
  return (
    <Section
      title="Values"
      summary={family && `of ${family.name}, ${formatFigure(totalOf(variables, family.name))} in total`}
      actions={
        choices.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Variable"
            data={choices}
            value={selected}
            onChange={({ currentTarget }) => setSelected(currentTarget.value)}
          />
        )
      }
    >
      {family === undefined ? (
        <FigureTable
          label="Values"
          noun="variable"
          columns={columnsOf(['Variable'], reduced_costs !== undefined)}
          rows={single}
          order={{ column: 1, descending: true }}
          emptyText="There are no variables."
        />
      ) : (
        <Members key={family.name} projectId={projectId} runId={runId} family={family} />
      )}
    </Section>
  );
}

/** Shows the members of a variable once all of them have loaded. Sorting only some of the members would be misleading. */
function Members({
  projectId,
  runId,
  family,
}: Omit<ValuesProps, 'result'> & { family: Schemas['SolvedFamilyResponse'] }) {
  const { client } = useService();
  const [nonzero, setNonzero] = useState(true);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keyOf(projectId, 'execution', runId, 'values', family.name, nonzero),
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const params = {
        path: { project_id: projectId, execution_id: runId },
        query: { family: family.name, nonzero, limit: PAGE_SIZE, offset },
      };
      const path = '/api/v1/projects/{project_id}/solve/executions/{execution_id}/values';
      return (await client.GET(path, { params, signal })).data;
    },
    getNextPageParam: ({ offset, values, total }) =>
      offset + values.length < total && values.length > 0 ? offset + values.length : undefined,
    // Plans never change.
    staleTime: 'static',
  });
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  const rows = useMemo(() => data?.pages.flatMap(({ values }) => values) ?? [], [data]);
  const hasCosts = rows.some(({ reduced_cost }) => reduced_cost !== null);
  const columns = useMemo(() => columnsOf(family.keys, hasCosts), [family, hasCosts]);
  const total = data?.pages.at(-1)?.total ?? 0;
  return (
    <>
      {error !== null && (
        <Failure
          title={data === undefined ? 'Could not load the members' : 'Could not load all members'}
          error={error}
          onRetry={() => void (data === undefined ? refetch() : fetchNextPage())}
        />
      )}
      {data === undefined && error === null && <Loading name="the members" />}
      {rows.length < total && error === null && (
        <Stack gap={4} role="status">
          <Progress size="sm" value={(100 * rows.length) / total} aria-label="Loaded members" />
          <Text size="xs" c="dimmed">
            {formatCount(rows.length)} of {countLabel(total, 'member')} loaded
          </Text>
        </Stack>
      )}
      {data !== undefined && rows.length === total && (
        <FigureTable
          label={`Members of ${family.name}`}
          noun="member"
          columns={columns}
          rows={rows}
          order={{ column: family.keys.length, descending: true }}
          emptyText={nonzero && family.size > 0 ? 'All values are 0.' : 'This variable has no members.'}
          filters={
            <Checkbox
              size="xs"
              label="Hide zeros"
              checked={nonzero}
              onChange={({ currentTarget }) => setNonzero(currentTarget.checked)}
            />
          }
        />
      )}
    </>
  );
}

function columnsOf(keys: readonly string[], hasCosts: boolean): Column<Value>[] {
  return [
    ...keys.map((title, at): Column<Value> => ({
      title,
      getValue: ({ keys: parts }) => parts[at] ?? '',
      type: 'text',
    })),
    { title: 'Value', getValue: ({ value }) => value, type: 'bar' },
    ...(hasCosts
      ? [{ title: 'Reduced cost', getValue: ({ reduced_cost }: Value) => reduced_cost, type: 'figure' } as const]
      : []),
  ];
}

function singleValues({ variables, families = [], reduced_costs }: Result): Value[] {
  const indexed = new Set(families.map(({ name }) => name));
  return Object.entries(variables).flatMap(([name, value]) =>
    indexed.has(name) ? [] : [{ keys: [name], value: Number(value), reduced_cost: reduced_costs?.[name] ?? null }],
  );
}

const totalOf = (variables: Result['variables'], name: string): number => Number(variables[name]);
