import { Button, CloseButton, Group, Progress, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { Virtualizer } from 'virtua';
import { formatBytes } from '../../frame/sizes';
import { reasonOf } from '../../service/failure';
import classes from '../files.module.css';
import { displayName } from '../paths';
import type { UploadItem, Uploads } from './uploads';

interface UploadListProps {
  uploads: Uploads;
  items: readonly UploadItem[];
}

/** Lists uploads in progress and completed uploads. */
export function UploadList({ uploads, items }: UploadListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const undecided = items.filter(({ state }) => state === 'asking');
  const doneCount = items.filter(({ state }) => state === 'done').length;
  const decideAll = (decide: (key: number) => void): void => undecided.forEach(({ key }) => decide(key));
  // Uploads that need a decision come first, and completed uploads come last.
  const sorted = items.toSorted((one, other) => STATE_ORDER[one.state] - STATE_ORDER[other.state]);
  return (
    <section className={classes.uploads} aria-label="Uploads">
      <Group justify="space-between" gap="xs" className={classes.uploadsHead}>
        <Text size="sm" fw={550} role="status">
          {doneCount === items.length
            ? `${fileCountLabel(doneCount)} uploaded`
            : `${doneCount} of ${fileCountLabel(items.length)} uploaded`}
        </Text>
        {doneCount > 0 && (
          <Button size="compact-xs" variant="default" onClick={() => uploads.removeDone()}>
            Clear
          </Button>
        )}
      </Group>
      {undecided.length > 1 && (
        <Group gap="xs" className={classes.uploadsHead} role="group" aria-label="For all files that already exist">
          <Text size="xs" c="dimmed" flex={1}>
            {undecided.length} already exist
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => decideAll((key) => uploads.decide(key, 'keep both'))}
          >
            Keep both for all
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => decideAll((key) => uploads.decide(key, 'replace'))}
          >
            Replace all
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => decideAll((key) => uploads.remove(key))}>
            Skip all
          </Button>
        </Group>
      )}
      <div className={classes.uploadsScroll} ref={scroll} tabIndex={0} role="list" aria-label="Upload list">
        <Virtualizer data={sorted} scrollRef={scroll}>
          {(item) => <Line key={item.key} item={item} uploads={uploads} />}
        </Virtualizer>
      </div>
    </section>
  );
}

const STATE_ORDER: Record<UploadItem['state'], number> = {
  asking: 0,
  failed: 1,
  sending: 2,
  paused: 2,
  waiting: 3,
  done: 4,
};

const fileCountLabel = (count: number): string => (count === 1 ? '1 file' : `${count} files`);

function Line({ item, uploads }: { item: UploadItem; uploads: Uploads }) {
  const { key, name, path, state, loaded, total, error } = item;
  const percent = total === 0 ? 0 : (loaded / total) * 100;
  return (
    <div className={classes.upload} role="listitem">
      <Stack gap={2} flex={1} miw={0}>
        <Group gap="xs" wrap="nowrap" justify="space-between">
          <Text size="sm" truncate title={path} className={classes.fileName}>
            {displayName(path)}
          </Text>
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {progressText(item)}
          </Text>
        </Group>
        {(state === 'sending' || state === 'paused') && (
          <Progress
            value={percent}
            size="sm"
            color={state === 'paused' ? 'gray' : undefined}
            aria-label={`Uploading ${name}`}
          />
        )}
        {state === 'failed' && (
          <Text size="xs" c="red" role="alert">
            Upload failed. {reasonOf(error)}
          </Text>
        )}
        {state === 'asking' && (
          <Group gap="xs">
            <Text size="xs" flex={1}>
              A file with this name already exists
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => uploads.decide(key, 'keep both')}>
              Keep both
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => uploads.decide(key, 'replace')}>
              Replace
            </Button>
          </Group>
        )}
      </Stack>
      {(state === 'sending' || state === 'waiting') && (
        <Button size="compact-xs" variant="subtle" aria-label={`Pause ${name}`} onClick={() => uploads.pause(key)}>
          Pause
        </Button>
      )}
      {state === 'paused' && (
        <Button size="compact-xs" variant="subtle" aria-label={`Resume ${name}`} onClick={() => uploads.resume(key)}>
          Resume
        </Button>
      )}
      {state === 'failed' && (
        <Button size="compact-xs" variant="subtle" aria-label={`Try ${name} again`} onClick={() => uploads.resume(key)}>
          Try again
        </Button>
      )}
      <CloseButton
        size="sm"
        aria-label={state === 'done' ? `Remove ${name} from the list` : `Cancel upload of ${name}`}
        onClick={() => uploads.remove(key)}
      />
    </div>
  );
}

/** Describes the progress of an upload. */
function progressText({ state, loaded, total }: UploadItem): string {
  if (state === 'done') return `${formatBytes(total)}, uploaded`;
  if (state === 'waiting') return `${formatBytes(total)}, waiting`;
  return state === 'asking' ? formatBytes(total) : `${formatBytes(loaded)} of ${formatBytes(total)}`;
}
