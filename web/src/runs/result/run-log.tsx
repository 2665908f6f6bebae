import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { useService } from '../../service/service';
import { isFinished, type Run } from '../runs-data';
import classes from '../runs.module.css';
import { Disclosure } from './disclosure';

/** Shows the live solver log. */
export function RunLog({ projectId, run }: { projectId: string; run: Run }) {
  return (
    <Disclosure title="Log">
      <Lines projectId={projectId} run={run} />
    </Disclosure>
  );
}

function Lines({ projectId, run }: { projectId: string; run: Run }) {
  const { client } = useService();
  const end = useRef<HTMLElement>(null);
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(projectId, 'execution', run.id, 'log', isFinished(run)),
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId, execution_id: run.id } };
      const path = '/api/v1/projects/{project_id}/solve/executions/{execution_id}/log';
      return (await client.GET(path, { params, signal })).data.lines;
    },
    staleTime: isFinished(run) ? 'static' : 0,
  });
  const isLive = !isFinished(run);
  useEffect(() => {
    if (isLive && end.current !== null) end.current.scrollTop = end.current.scrollHeight;
  }, [data, isLive]);
  if (data === undefined)
    return error === null ? (
      <Loading name="the log" />
    ) : (
      <Failure title="Could not load the log" error={error} onRetry={() => void refetch()} />
    );
  if (data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The log is empty.
      </Text>
    );
  return (
    <Code block className={classes.log} tabIndex={0} ref={end}>
      {data.join('\n')}
    </Code>
  );
}
