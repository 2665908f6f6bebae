import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Resource } from '../../common/errors/codes.js';

/** Maximum number of files and directories in a tree, not counting its root. */
export const MAX_ENTRIES = 20_000;

interface KindOfContainer {
  /** Name in the 404 error of a deleted container. */
  resource: Resource;
  /** Name in the error of a full tree. Kinds without a name are copies, which have the limit of their source. */
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

/** Tree of files. Writers of the tree lock its row. */
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

  /** Set if the container was deleted together with something restorable, so that its content is kept. */
  @Column('boolean', { default: false })
  is_restorable!: boolean;
}
