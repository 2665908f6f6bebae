import type { ProjectId } from '../../database/checked-id.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A project whose data cards name files that have to be read again. */
@Entity({ name: 'data_file_refreshes' })
export class DataFileRefresh {
  @PrimaryColumn('uuid')
  project_id!: ProjectId;

  /** What has changed. */
  @PrimaryColumn('text')
  cause!: 'files' | 'canvas';

  /** Counts how often it was asked for since the row is there. */
  @Column('integer', { default: 1 })
  requests!: number;

  /** Who reads. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** When the owner counts as dead; without one, from when on it is to be read. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  due_at!: Date;

  @Column('integer', { default: 0 })
  generation!: number;

  /** Since it was last read. */
  @Column('integer', { default: 0 })
  attempts!: number;
}
