import { Anchor, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { ConflictError, NotFoundError, PreconditionFailedError, type Schemas } from '@project-workspace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { keyOf } from '../../project/project-data';
import type { Scenario } from '../../project/scenarios';
import { Failure } from '../../service/failure';
import { Loading } from '../../service/loading';
import { entriesOf, problemAt, problemMessage } from '../../service/problems';
import { useService } from '../../service/service';
import { useDraft } from '../../service/use-draft';
import { useIntent } from '../../service/use-intent';
import { scenariosPath } from '../run-paths';
import classes from '../runs.module.css';
import { useCanvasNames } from './canvas-names';
import { type ChangeDraft, changeOf, draftOf, newDraft, problemOf } from './change-draft';
import { ChangeFields } from './change-fields';
import { changeInWords } from './change-words';

const SCENARIO = '/api/v1/projects/{project_id}/scenarios/{scenario_id}';
const MAX_NAME_LENGTH = 100;
const MAX_CHANGES = 100;

interface EditorProps {
  projectId: string;
  /** Undefined for a new scenario. */
  scenarioId: string | undefined;
  mayWrite: boolean;
}

/** Scenario, with the entity tag of the version that was loaded. */
interface LoadedScenario {
  scenario: Scenario;
  etag: string;
}

/** Scenario to save, and whether to overwrite changes by other users. */
interface SaveRequest {
  overwrite: boolean;
  body: Schemas['ScenarioCreateRequest'];
}

/** Creates or edits a scenario. */
export function ScenarioEditor({ projectId, scenarioId, mayWrite }: EditorProps) {
  const { client } = useService();
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(projectId, 'scenarios', 'one', scenarioId),
    enabled: scenarioId !== undefined,
    queryFn: async ({ signal }): Promise<LoadedScenario> => {
      const params = { path: { project_id: projectId, scenario_id: scenarioId ?? '' } };
      const { data: scenario, response } = await client.GET(SCENARIO, { params, signal });
      return { scenario, etag: response.headers.get('etag') ?? '' };
    },
  });
  if (scenarioId === undefined)
    return mayWrite ? <Form projectId={projectId} newest={undefined} /> : <ScenarioNotFound projectId={projectId} />;
  // Another user may have deleted the scenario while the editor was open.
  if (error instanceof NotFoundError) return <ScenarioNotFound projectId={projectId} />;
  if (data === undefined)
    return error === null ? (
      <Loading name="the scenario" />
    ) : (
      <Stack p="md">
        <Failure title="Could not load the scenario" error={error} onRetry={() => void refetch()} />
      </Stack>
    );
  return mayWrite ? (
    <Form projectId={projectId} newest={data} />
  ) : (
    <ScenarioInWords projectId={projectId} scenario={data.scenario} />
  );
}

function ScenarioNotFound({ projectId }: { projectId: string }) {
  return (
    <Stack p="md" align="flex-start">
      <Text role="alert">This project has no such scenario.</Text>
      <Anchor component={Link} href={scenariosPath(projectId)} size="sm">
        All scenarios
      </Anchor>
    </Stack>
  );
}

/** Read-only view of a scenario. */
function ScenarioInWords({
  projectId,
  scenario: { name, description, changes },
}: {
  projectId: string;
  scenario: Scenario;
}) {
  const { cards } = useCanvasNames(projectId);
  return (
    <div className={classes.scrolling}>
      <Stack p="md" gap="xs">
        <Title order={2} size="h4" className={classes.anywhere}>
          {name}
        </Title>
        {description !== null && <Text size="sm">{description}</Text>}
        <ol className={classes.changes}>
          {changes.map((change, index) => (
            <li key={index}>{changeInWords(change, cards)}</li>
          ))}
        </ol>
        {changes.length === 0 && (
          <Text size="sm" c="dimmed">
            This scenario has no changes.
          </Text>
        )}
      </Stack>
    </div>
  );
}

/** Unsaved scenario. */
interface Draft {
  /** Version from which the form was initialized. Undefined for a new scenario. */
  base?: LoadedScenario | undefined;
  name: string;
  description: string;
  drafts: ChangeDraft[];
}

const draftFrom = (base: LoadedScenario | undefined): Draft => ({
  base,
  name: base?.scenario.name ?? '',
  description: base?.scenario.description ?? '',
  drafts: base?.scenario.changes.map(draftOf) ?? [newDraft('value')],
});

/** @param newest current version; undefined for a new scenario */
function Form({ projectId, newest }: { projectId: string; newest: LoadedScenario | undefined }) {
  const { client } = useService();
  const queries = useQueryClient();
  const [, open] = useLocation();
  const names = useCanvasNames(projectId);
  const [draft, setDraft, forget] = useDraft(
    `scenario ${newest?.scenario.id ?? 'new'} in ${projectId}`,
    useMemo(() => draftFrom(newest), [newest]),
  );
  const { base, name, description, drafts } = draft;
  const update = (part: Partial<Draft>): void => setDraft((current) => ({ ...current, ...part }));
  /** Whether empty required fields are reported. This starts with the first attempt to save. */
  const [showsProblems, setShowsProblems] = useState(false);
  const saving = useIntent({
    mutationFn: async ({ overwrite, body }: SaveRequest, headers) => {
      if (base === undefined) {
        const params = { path: { project_id: projectId } };
        return (await client.POST('/api/v1/projects/{project_id}/scenarios', { params, body, headers })).data;
      }
      const path = { project_id: projectId, scenario_id: base.scenario.id };
      const header = { 'If-Match': overwrite ? '*' : base.etag };
      return (await client.PATCH(SCENARIO, { params: { path, header }, body })).data;
    },
    onSuccess: () => {
      forget();
      void queries.invalidateQueries({ queryKey: keyOf(projectId, 'scenarios') });
      open(scenariosPath(projectId));
    },
  });
  const save = ({ overwrite }: Pick<SaveRequest, 'overwrite'>): void => {
    const body = { name: name.trim(), description: description.trim() || null, changes: drafts.map(changeOf) };
    saving.mutate({ overwrite, body });
  };
  const isOutdated = newest !== undefined && base !== undefined && newest.etag !== base.etag;
  const isConflict = saving.error instanceof PreconditionFailedError;
  const loadNewest = () => {
    if (newest === undefined) return;
    setDraft(draftFrom(newest));
    saving.reset();
  };
  const edit = (next: ChangeDraft[]) => {
    update({ drafts: next });
    // The service's errors identify changes by index, so they no longer apply after an edit.
    if (saving.isError) saving.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowsProblems(true);
    if (name.trim() !== '' && drafts.every((one) => problemOf(one) === undefined)) save({ overwrite: false });
  };
  const validationErrors = entriesOf(saving.error);
  const isNameTaken = saving.error instanceof ConflictError && saving.error.code === 'scenario_exists';
  const listError = validationErrors.find(({ loc }) => loc[1] === 'changes' && loc.length === 2);
  const isOtherFailure = saving.error !== null && validationErrors.length === 0 && !isNameTaken && !isConflict;

  return (
    <form onSubmit={submit} noValidate className={classes.scrolling}>
      <Stack p="md" gap="sm">
        <Title order={2} size="h4">
          {base === undefined ? 'New scenario' : 'Edit scenario'}
        </Title>
        {(isOutdated || isConflict) && (
          <Stack gap={6} role="alert" className={classes.notice}>
            <Text size="sm">Someone changed this scenario after you opened it.</Text>
            <Group gap="xs">
              <Button size="compact-sm" variant="default" disabled={!isOutdated} onClick={loadNewest}>
                Show their version
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                loading={saving.isPending}
                onClick={() => save({ overwrite: true })}
              >
                Overwrite with mine
              </Button>
            </Group>
          </Stack>
        )}
        <TextInput
          label="Name"
          required
          autoFocus={base === undefined}
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={({ currentTarget }) => update({ name: currentTarget.value })}
          error={
            showsProblems && name.trim() === ''
              ? 'Give the scenario a name'
              : isNameTaken
                ? 'Another scenario already has this name'
                : problemAt(saving.error, 'name')
          }
        />
        <Textarea
          label="Description"
          autosize
          maxRows={6}
          value={description}
          onChange={({ currentTarget }) => update({ description: currentTarget.value })}
          error={problemAt(saving.error, 'description')}
        />
        <div>
          <Text size="sm" fw={550}>
            Changes
          </Text>
          <Text size="xs" c="dimmed">
            Applied in order to the canvas as it is when you solve. Other files are applied first. The canvas itself
            does not change.
          </Text>
        </div>
        {drafts.map((one, index) => (
          <ChangeFields
            key={one.id}
            projectId={projectId}
            draft={one}
            position={index + 1}
            count={drafts.length}
            names={names}
            problems={problemsOf(one, index, saving.error, showsProblems)}
            onChange={(next) => edit(drafts.with(index, next))}
            onMove={(by) => edit(drafts.toSpliced(index, 1).toSpliced(index + by, 0, one))}
            onRemove={() => edit(drafts.toSpliced(index, 1))}
          />
        ))}
        {drafts.length === 0 && (
          <Text size="sm" c="dimmed">
            Without changes, the scenario is the same model as the canvas.
          </Text>
        )}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            disabled={drafts.length >= MAX_CHANGES}
            onClick={() => edit([...drafts, newDraft(drafts.at(-1)?.kind ?? 'value')])}
          >
            Add a change
          </Button>
        </Group>
        {isOtherFailure && <Failure title="Could not save the scenario" error={saving.error} />}
        {validationErrors.length > 0 && (
          <Text size="sm" c="red" role="alert">
            The scenario was not saved:{' '}
            {listError === undefined ? 'correct the marked fields.' : problemMessage(listError)}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" component={Link} href={scenariosPath(projectId)} onClick={forget}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending} disabled={isOutdated}>
            {base === undefined ? 'Create scenario' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns the problems with a change by field. Problems are empty fields and the service's validation errors. */
function problemsOf(draft: ChangeDraft, index: number, error: unknown, showsProblems: boolean): Map<string, string> {
  const problems = new Map<string, string>();
  const empty = showsProblems ? problemOf(draft) : undefined;
  if (empty !== undefined) problems.set(empty.field, empty.problem);
  for (const entry of entriesOf(error)) {
    const { loc } = entry;
    if (loc[1] !== 'changes' || loc[2] !== index) continue;
    const field = String(loc[3] ?? '');
    // If the field is hidden, its error is shown for the change as a whole.
    problems.set(visibleFields(draft).includes(field) ? field : '', problemMessage(entry));
  }
  return problems;
}

function visibleFields({ kind, operation }: ChangeDraft): readonly string[] {
  const always = ['kind', 'target'];
  switch (kind) {
    case 'add':
    case 'off':
      return always;
    case 'file':
      return [...always, 'to'];
    case 'column':
      return [...always, 'where', operation];
    case 'cell':
      return [...always, 'key', operation];
    default:
      return [...always, operation];
  }
}
