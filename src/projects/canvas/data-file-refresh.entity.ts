import type { ProjectId } from '../../database/checked-id.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Queued request to read the files that a project's data cards refer to. */
@Entity({ name: 'data_file_refreshes' })
export class DataFileRefresh {
  @PrimaryColumn('uuid')
  project_id!: ProjectId;

  /** Kind of change that caused the request. */
  @PrimaryColumn('text')
  cause!: 'files' | 'canvas';

  /** Number of requests since the row was created. */
  @Column('integer', { default: 1 })
  requests!: number;

  /** Process that is reading the files. */
  @Column('uuid', { nullable: true })
  owner!: string | null;

  /** Expiry of the owner's lease. If there is no owner, the earliest time at which a process may read the files. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  due_at!: Date;

  @Column('integer', { default: 0 })
  generation!: number;

  /** Number of attempts since the files were last read successfully. */
  @Column('integer', { default: 0 })
  attempts!: number;
}
