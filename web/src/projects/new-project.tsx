import { Button, Group, Modal, Radio, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { Schemas } from '@project-workspace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { selectProps } from '../frame/select-props';
import { Failure } from '../service/failure';
import { problemAt } from '../service/problems';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';
import { PROJECTS } from './listing';

type Request = Schemas['ProjectCreateRequest'];

/** Maximum number of deployments offered. Users can search for other deployments by name. */
const MAX_DEPLOYMENTS = 100;
const MAX_NAME_LENGTH = 100;
const EMPTY: Request = { name: '', short_description: '', from_deployment: null, visibility: 'company' };

/** Asks for the details of a new project and creates it. */
export function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="New project" closeButtonProps={{ 'aria-label': 'Close' }} centered>
      <Form onDone={onClose} />
    </Modal>
  );
}

function Form({ onDone }: { onDone: () => void }) {
  const { client } = useService();
  const queries = useQueryClient();
  const [, open] = useLocation();
  const [request, setRequest] = useState(EMPTY);
  const [isNameMissing, setNameMissing] = useState(false);
  const deployments = useQuery({
    queryKey: ['deployments'],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/v1/deployments', { params: { query: { limit: MAX_DEPLOYMENTS } }, signal })).data,
  });
  const creation = useIntent({
    mutationFn: async (body: Request, headers) => (await client.POST('/api/v1/projects', { body, headers })).data,
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: PROJECTS });
      open(`/projects/${id}`);
    },
  });
  const change = (part: Partial<Request>) => {
    setRequest({ ...request, ...part });
    setNameMissing(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = request.name.trim();
    if (name === '') setNameMissing(true);
    else creation.mutate({ ...request, name, short_description: request.short_description?.trim() || null });
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          required
          data-autofocus
          autoFocus
          maxLength={MAX_NAME_LENGTH}
          value={request.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          error={isNameMissing ? 'Give the project a name' : problemAt(creation.error, 'name')}
        />
        <Select
          {...selectProps}
          label="Deployment"
          description="Its instructions and skills tell the agent how your company plans."
          placeholder={deployments.isPending ? 'Loading deployments' : 'None'}
          data={(deployments.data?.deployments ?? []).map(({ name, handle }) => ({ value: handle, label: name }))}
          value={request.from_deployment ?? null}
          onChange={(from_deployment) => change({ from_deployment })}
          searchable
          clearable
          nothingFoundMessage="No matching deployments"
          error={problemAt(creation.error, 'from_deployment')}
        />
        {deployments.error !== null && (
          <Failure
            title="Could not load the deployments"
            error={deployments.error}
            onRetry={() => void deployments.refetch()}
          />
        )}
        <Textarea
          label="Description"
          rows={2}
          value={request.short_description ?? ''}
          onChange={({ currentTarget }) => change({ short_description: currentTarget.value })}
          error={problemAt(creation.error, 'short_description')}
        />
        <Radio.Group
          label="Visibility"
          value={request.visibility ?? 'company'}
          onChange={(visibility) => change({ visibility: visibility === 'private' ? 'private' : 'company' })}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="company" label="Company" description="Everyone in the company can view and edit it" />
            <Radio value="private" label="Private" description="Only its members and company managers can open it" />
          </Stack>
        </Radio.Group>
        {creation.error !== null && <Failure title="Could not create the project" error={creation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={creation.isPending}>
            Create project
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
