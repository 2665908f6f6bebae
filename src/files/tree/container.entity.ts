import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Maximum number of files and directories in a tree, without its root. */
export const MAX_ENTRIES = 20_000;

/** What a tree of files belongs to; `agent_config` and `project_skills` are the two skill scopes of a project. */
export type ContainerKind = 'deployment' | 'workspace' | 'snapshot' | 'agent_config' | 'project_skills';

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
