import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Origin of a file in a workspace. */
export type FileOrigin = 'upload' | 'agent' | 'execution' | 'deployment';

/** File or directory in a container. The root is node 0. */
@Entity({ name: 'nodes' })
export class Node {
  @PrimaryColumn('uuid')
  container_id!: string;

  @PrimaryColumn('bigint')
  node_id!: number;

  @Column('bigint', { nullable: true })
  parent_id!: number | null;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column('text')
  kind!: 'directory' | 'file';

  /** Whether the directory exists only because it has entries. */
  @Column('boolean')
  implied!: boolean;

  /** Number of direct entries, maintained by triggers. */
  @Column({ type: 'bigint', insert: false, update: false })
  entries!: number;

  @Column('uuid', { nullable: true })
  blob_id!: string | null;

  @Column('bigint', { nullable: true })
  size!: number | null;

  /** Id for clients, in workspaces and snapshots. */
  @Column('uuid', { nullable: true })
  file_id!: string | null;

  @Column('text', { nullable: true })
  content_type!: string | null;

  @Column('text', { nullable: true })
  source!: FileOrigin | null;

  @Column({ type: 'timestamptz', precision: 3 })
  modified!: Date;

  /** Container id, set for the root only. */
  @Column({
    type: 'uuid',
    nullable: true,
    generatedType: 'STORED',
    asExpression: 'CASE WHEN node_id = 0 THEN container_id END',
    insert: false,
    update: false,
  })
  root_of!: string | null;
}
