import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Resource } from '../../common/errors/codes.js';

/** Maximum number of files and directories in a tree, without its root. */
export const MAX_ENTRIES = 20_000;

interface KindOfContainer {
  /** Name in the 404 of a deleted container. */
  resource: Resource;
  /** Name in the error of a full tree. Kinds without it are copies, which have the limit of their source. */
  limited?: string;
}

/** What a tree of files belongs to; `agent_config` and `project_skills` are the two skill scopes of a project. */
export type ContainerKind = 'deployment' | 'workspace' | 'snapshot' | 'agent_config' | 'project_skills';

export const CONTAINER_KINDS: Record<ContainerKind, KindOfContainer> = {
  deployment: { resource: 'Deployment', limited: 'deployment' },
  workspace: { resource: 'Project', limited: 'workspace' },
  snapshot: { resource: 'Snapshot' },
  agent_config: { resource: 'Project' },
  project_skills: { resource: 'Project', limited: 'set of project skills' },
};

/** A tree of files. Its row is what writers of the tree lock. */
@Entity({ name: 'containers' })
export class Container {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  kind!: ContainerKind;

  /** The next free node id. */
  @Column('bigint')
  next_node!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  /** Deleted with what may come back: it keeps what it holds. */
  @Column('boolean', { default: false })
  is_restorable!: boolean;
}
