import { Button, Checkbox, type ComboboxData, Group, Modal, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { selectProps } from '../frame/select-props';
import { keyOf } from '../project/project-data';
import type { Scenario } from '../project/scenarios';
import { Failure } from '../service/failure';
import { problemAt } from '../service/problems';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';
import { runPath } from './run-paths';
import { NO_OPTIONS, OptionFields, requestFields } from './run-options';
import { useInputFiles } from './runs-data';
import { SolveBlockerList, useSolveBlockers } from './solve-blockers';

type Request = Schemas['ExecutionCreateRequest'];

const CANVAS = 'canvas';
const MODEL_FILE = /\.(lp|mps)(\.gz)?$/i;
/** Prefixes of select values that identify a scenario or a model file. */
const SCENARIO = 'scenario:';
const FILE = 'file:';

interface SolveDialogProps {
  project: Schemas['ProjectResponse'];
  scenarios: Scenario[];
  opened: boolean;
  onClose: () => void;
}

/** Asks for the model and the run options, and starts the run. */
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
  const [model, setModel] = useState(CANVAS);
  const [options, setOptions] = useState(NO_OPTIONS);
  const [updatesChecklist, setUpdatesChecklist] = useState(true);
  const files = useInputFiles(project.id, MODEL_FILE);
  const blockers = useSolveBlockers(project);
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
  const isFile = model.startsWith(FILE);
  const isScenario = model.startsWith(SCENARIO);
  const isIncomplete = blockers.sentences.length > 0;
  // A scenario may turn off the cards that are incomplete.
  const isBlocked = !isFile && (isScenario ? blockers.isUnsolvable : isIncomplete);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate({
      ...requestFields(options),
      is_test: false,
      ...(isScenario ? { scenario_id: model.slice(SCENARIO.length) } : { affects_checklist: updatesChecklist }),
      ...(isFile && { input_file_ids: [model.slice(FILE.length)] }),
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
        {!isFile && <SolveBlockerList project={project} />}
        <Select
          {...selectProps}
          label="Model"
          data={choices}
          value={model}
          allowDeselect={false}
          searchable={scenarios.length + files.length > 6}
          onChange={(value) => {
            setModel(value ?? CANVAS);
            // By default, the run of a model file does not update the checklist of the canvas.
            setUpdatesChecklist(value?.startsWith(FILE) !== true);
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
            checked={updatesChecklist}
            onChange={({ currentTarget }) => setUpdatesChecklist(currentTarget.checked)}
          />
        )}
        {start.error !== null && <Failure title="Could not start the run" error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" data-autofocus loading={start.isPending} disabled={isBlocked}>
            {isScenario && isIncomplete ? 'Solve anyway' : 'Solve'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
