import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How a file came into a workspace. */
export type FileOrigin = 'upload' | 'agent' | 'execution' | 'deployment';

/** A file or directory of a container; the root is node 0. */
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

  /** A directory that is there only because something is in it. */
  @Column('boolean')
  implied!: boolean;

  /** How many nodes are directly in it; triggers keep it. */
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

  /** The container, in the row of the root. */
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
