import { Button, Checkbox, type ComboboxData, Group, Modal, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { selectProps } from '../frame/select-props';
import { keyOf } from '../project/project-data';
import { Failure } from '../service/failure';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';
import { MissingParts, useMissing } from './missing-parts';
import { runPath } from './places';
import { problemAt } from './problems';
import { NO_OPTIONS, OptionFields, requestedOf } from './run-options';
import { type Scenario, useInputFiles } from './runs-data';

type Request = Schemas['ExecutionCreateRequest'];

const CANVAS = 'canvas';
const MODEL_FILE = /\.lp$/i;
/** Prefixes of select values that identify a scenario or a model file. */
const SCENARIO = 'scenario:';
const FILE = 'file:';

interface SolveDialogProps {
  project: Schemas['ProjectResponse'];
  scenarios: Scenario[];
  opened: boolean;
  onClose: () => void;
}

/** Asks for the model and the run options, then starts the run. */
export function SolveDialog({ opened, onClose, ...rest }: SolveDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Solve" closeButtonProps={{ 'aria-label': 'Close' }} centered>
      <Form {...rest} onClose={onClose} />
    </Modal>
  );
}

function Form({ project, scenarios, onClose }: Omit<SolveDialogProps, 'opened'>) {
  const { client } = useService();
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [what, setWhat] = useState(CANVAS);
  const [options, setOptions] = useState(NO_OPTIONS);
  const [isCounted, setCounted] = useState(true);
  const files = useInputFiles(project.id, MODEL_FILE);
  const missing = useMissing(project);
  const start = useIntent({
    mutationFn: async (body: Request, headers) => {
      const params = { path: { project_id: project.id } };
      return (await client.POST('/api/v1/projects/{project_id}/solve/executions', { params, body, headers })).data;
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: keyOf(project.id, 'executions') });
      open(runPath(project.id, id));
    },
  });
  const isFile = what.startsWith(FILE);
  const isScenario = what.startsWith(SCENARIO);
  const isIncomplete = missing.sentences.length > 0;
  // A scenario may turn off the incomplete cards.
  const mustFail = !isFile && (isScenario ? missing.isHopeless : isIncomplete);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({
      ...requestedOf(options),
      is_test: false,
      ...(isScenario ? { scenario_id: what.slice(SCENARIO.length) } : { affects_checklist: isCounted }),
      ...(isFile && { input_file_ids: [what.slice(FILE.length)] }),
    });
  };
  const choices: ComboboxData = [
    {
      value: CANVAS,
      label: project.workspace_mode === 'run' ? 'The canvas in the current snapshot' : 'The canvas',
    },
    ...(scenarios.length === 0
      ? []
      : [{ group: 'Scenarios', items: scenarios.map(({ id, name }) => ({ value: SCENARIO + id, label: name })) }]),
    ...(files.length === 0
      ? []
      : [{ group: 'Model files', items: files.map((path) => ({ value: FILE + path, label: path })) }]),
  ];
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {!isFile && <MissingParts project={project} />}
        <Select
          {...selectProps}
          label="Model"
          data={choices}
          value={what}
          allowDeselect={false}
          searchable={scenarios.length + files.length > 6}
          onChange={(value) => {
            setWhat(value ?? CANVAS);
            // By default, a run of a model file does not count for the canvas checklist.
            setCounted(value?.startsWith(FILE) !== true);
          }}
          error={problemAt(start.error, 'scenario_id') ?? problemAt(start.error, 'input_file_ids')}
        />
        <OptionFields options={options} error={start.error} placeholder="Optional" onChange={setOptions} />
        {isScenario ? (
          <Text size="sm" c="dimmed">
            Solving a scenario does not change the checklist.
          </Text>
        ) : (
          <Checkbox
            label="Update the checklist with the result"
            checked={isCounted}
            onChange={({ currentTarget }) => setCounted(currentTarget.checked)}
          />
        )}
        {start.error !== null && <Failure title="Could not start the run" error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" data-autofocus loading={start.isPending} disabled={mustFail}>
            {isScenario && isIncomplete ? 'Solve anyway' : 'Solve'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
