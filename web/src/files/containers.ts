import type { Schemas } from '@project-workspace/client';
import { formatDateTime } from '../frame/times';
import { useSnapshots } from '../project/snapshots';

/** Maximum number of snapshots offered, newest first. */
const MAX_SNAPSHOTS = 20;

/** Request fields that identify a container. */
export type ContainerRef = Omit<Schemas['FileContentRequest'], 'path'>;

/** File tree that users can browse in a project. */
export interface Container {
  /** Key of the container in URLs: `workspace`, `deployment`, or a snapshot id. */
  key: string;
  label: string;
  ref: ContainerRef;
}

export const WORKSPACE = 'workspace';
const DEPLOYMENT = 'deployment';

/** Returns a project's workspace and its read-only containers. */
export function useContainers({ id, origin_deployment_handle }: Schemas['ProjectResponse']): {
  containers: Container[];
  /** Reason why snapshots are missing, or null. */
  error: Error | null;
  retry: () => void;
} {
  const { data = [], error, refetch } = useSnapshots(id);
  const workspace = { key: WORKSPACE, label: 'Workspace', ref: { source: 'workspace' as const, project_id: id } };
  const deployment =
    origin_deployment_handle == null
      ? []
      : [
          {
            key: DEPLOYMENT,
            label: `Deployment ${origin_deployment_handle}`,
            ref: { source: 'deployment' as const, deployment_name: origin_deployment_handle },
          },
        ];
  const snapshots = data.slice(0, MAX_SNAPSHOTS).map(({ id: snapshot_id, created_at }) => ({
    key: snapshot_id,
    label: `Snapshot from ${formatDateTime(created_at)}`,
    ref: { source: 'snapshot' as const, snapshot_id },
  }));
  return { containers: [workspace, ...deployment, ...snapshots], error, retry: () => void refetch() };
}

/** Returns the container with the given key, even if it is not in the list. */
export function containerOf(containers: Container[], key: string): Container {
  const match = containers.find((container) => container.key === key);
  if (match !== undefined) return match;
  if (key === DEPLOYMENT)
    return { key, label: 'Deployment', ref: { source: 'deployment', deployment_name: 'of no project' } };
  return { key, label: 'Snapshot', ref: { source: 'snapshot', snapshot_id: key } };
}
