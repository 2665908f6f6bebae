import { Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { keyOf } from '../../project/project-data';
import type { Scenario } from '../../project/scenarios';
import { Failure } from '../../service/failure';
import { entriesOf, problemMessage } from '../../service/problems';
import { useService } from '../../service/service';
import { useIntent } from '../../service/use-intent';
import { countLabel } from '../figures';
import { NO_OPTIONS, OptionFields, requestFields } from '../run-options';
import classes from '../runs.module.css';
import { useSolveBlockers } from '../solve-blockers';

interface SolveScenariosProps {
  project: Schemas['ProjectResponse'];
  scenarios: Scenario[];
  opened: boolean;
  onClose: () => void;
  onStarted: () => void;
}

/** Asks for run options and starts several scenarios together. */
export function SolveScenarios({ opened, onClose, ...rest }: SolveScenariosProps) {
  const { scenarios } = rest;
  const title = scenarios.length === 1 ? 'Solve scenario' : `Solve ${countLabel(scenarios.length, 'scenario')}`;
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }} centered>
      <Form {...rest} onClose={onClose} />
    </Modal>
  );
}

function Form({ project, scenarios, onClose, onStarted }: Omit<SolveScenariosProps, 'opened'>) {
  const { client } = useService();
  const queries = useQueryClient();
  const { id: projectId } = project;
  const [includesCanvas, setIncludesCanvas] = useState(true);
  const isComplete = useSolveBlockers(project).sentences.length === 0;
  const withCanvas = includesCanvas && isComplete;
  const [options, setOptions] = useState(NO_OPTIONS);
  const start = useIntent({
    mutationFn: async (body: Schemas['ScenarioSolveRequest'], headers) => {
      const params = { path: { project_id: projectId } };
      return await client.POST('/api/v1/projects/{project_id}/scenarios/solve', { params, body, headers });
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keyOf(projectId, 'executions') });
      onStarted();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({
      ...requestFields(options),
      scenario_ids: scenarios.map(({ id }) => id),
      include_base: withCanvas,
      is_test: false,
    });
  };
  const scenarioErrors = entriesOf(start.error).filter(({ loc }) => loc[1] === 'scenario_ids');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed" className={classes.anywhere} lineClamp={3}>
          {scenarios.map(({ name }) => name).join(', ')}
        </Text>
        <Checkbox
          label="Include the canvas"
          description={
            isComplete
              ? 'All runs use the same version of the canvas, so their results are comparable'
              : 'The canvas cannot be solved yet: its cards have gaps'
          }
          disabled={!isComplete}
          checked={withCanvas}
          onChange={({ currentTarget }) => setIncludesCanvas(currentTarget.checked)}
        />
        <OptionFields
          options={options}
          error={start.error}
          placeholder="Names of the scenarios"
          onChange={setOptions}
        />
        {scenarioErrors.length > 0 && (
          <List size="sm" role="alert" className={classes.wrong}>
            {scenarioErrors.map((entry, index) => (
              <List.Item key={index}>
                {[scenarios[Number(entry.loc[2])]?.name, problemMessage(entry)]
                  .filter((part) => part !== undefined)
                  .join(': ')}
              </List.Item>
            ))}
          </List>
        )}
        {start.error !== null && scenarioErrors.length === 0 && (
          <Failure title="Could not start the runs" error={start.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" data-autofocus loading={start.isPending}>
            Solve
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
