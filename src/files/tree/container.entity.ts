import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Resource } from '../../common/errors/codes.js';

/** Maximum number of files and directories in a tree, not counting its root. */
export const MAX_ENTRIES = 20_000;

interface KindOfContainer {
  /** Name in the 404 error for a deleted container. */
  resource: Resource;
  /** Name in the error for a full tree. Kinds without a name are copies, to which the limit of their source applies. */
  limited?: string;
}

/** Kind of a container. `agent_config` and `project_skills` are the two skill scopes of a project. */
export type ContainerKind = 'deployment' | 'workspace' | 'snapshot' | 'agent_config' | 'project_skills';

export const CONTAINER_KINDS: Record<ContainerKind, KindOfContainer> = {
  deployment: { resource: 'Deployment', limited: 'deployment' },
  workspace: { resource: 'Project', limited: 'workspace' },
  snapshot: { resource: 'Snapshot' },
  agent_config: { resource: 'Project' },
  project_skills: { resource: 'Project', limited: 'set of project skills' },
};

/** File tree. Writers to the tree lock its row. */
@Entity({ name: 'containers' })
export class Container {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  kind!: ContainerKind;

  /** Next free node id. */
  @Column('bigint')
  next_node!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  /** Whether the deleted container can be restored, so that its content must be kept. */
  @Column('boolean', { default: false })
  is_restorable!: boolean;
}
