import { Badge, Button, Text, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { RelativeTime } from '../frame/relative-time';
import { keyOf } from '../project/project-data';
import { useSnapshots } from '../project/snapshots';
import { Failure } from '../service/failure';
import { useService } from '../service/service';
import { useIntent } from '../service/use-intent';
import classes from './canvas.module.css';
import { NUMBER } from './numbers';

/** Number of snapshots shown before the user expands the list. */
const INITIAL_COUNT = 3;

/** Lists a project's snapshots, which are copies of its canvas and files. Run mode solves the current snapshot. */
export function Snapshots({ projectId, mayWrite }: { projectId: string; mayWrite: boolean }) {
  const { client } = useService();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const listing = useSnapshots(projectId);
  const refresh = () => queries.invalidateQueries({ queryKey: keyOf(projectId, 'project') });
  const creation = useIntent({
    mutationFn: async (_: void, headers) => {
      const params = { path: { project_id: projectId } };
      return (await client.POST('/api/v1/projects/{project_id}/snapshots', { params, headers })).data;
    },
    onSuccess: refresh,
  });
  const removal = useIntent({
    mutationFn: async (snapshot_id: string) => {
      const params = { path: { project_id: projectId, snapshot_id } };
      await client.DELETE('/api/v1/projects/{project_id}/snapshots/{snapshot_id}', { params });
    },
    onSuccess: refresh,
  });
  const snapshots = listing.data ?? [];
  const visibleSnapshots = isOpen ? snapshots : snapshots.slice(0, INITIAL_COUNT);
  return (
    <section className={classes.panel} aria-label="Snapshots">
      <div className={classes.panelHead}>
        <h2>Snapshots</h2>
        {mayWrite && (
          <Button
            variant="subtle"
            size="compact-xs"
            className={classes.quiet}
            loading={creation.isPending}
            onClick={() => creation.mutate()}
          >
            Take a snapshot
          </Button>
        )}
      </div>
      <Text size="xs" c="dimmed" mb={visibleSnapshots.length > 0 ? 'xs' : 0}>
        Copies of all cards and files. In run mode, solves use the current snapshot.
      </Text>
      {listing.error !== null && (
        <Failure title="Could not load the snapshots" error={listing.error} onRetry={() => void listing.refetch()} />
      )}
      {creation.error !== null && <Failure title="Could not take the snapshot" error={creation.error} />}
      {removal.error !== null && <Failure title="Could not remove the snapshot" error={removal.error} />}
      {listing.isSuccess && snapshots.length === 0 && <Text size="sm">No snapshots yet</Text>}
      <ul className={classes.snapshots}>
        {visibleSnapshots.map(({ id, created_at, is_current, card_count }) => (
          <li key={id}>
            <span>
              <RelativeTime moment={created_at} /> ·{' '}
              {card_count === 1 ? '1 card' : `${NUMBER.format(card_count)} cards`}
            </span>
            {is_current ? (
              <Badge variant="default" size="sm">
                Current
              </Badge>
            ) : (
              mayWrite && <RemoveSnapshot isRemoving={removal.isPending} onRemove={() => removal.mutate(id)} />
            )}
          </li>
        ))}
      </ul>
      {snapshots.length > INITIAL_COUNT && (
        <UnstyledButton className={classes.more} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${NUMBER.format(snapshots.length)}`}
        </UnstyledButton>
      )}
    </section>
  );
}

/** Asks for confirmation before removing a snapshot, because removal cannot be undone. */
function RemoveSnapshot({ isRemoving, onRemove }: { isRemoving: boolean; onRemove: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Button
      variant="subtle"
      color={isConfirming ? 'red' : 'gray'}
      size="compact-xs"
      disabled={isRemoving}
      onClick={() => (isConfirming ? onRemove() : setConfirming(true))}
      onBlur={() => setConfirming(false)}
    >
      {isConfirming ? 'Remove permanently?' : 'Remove'}
    </Button>
  );
}
