import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Requests counted in one window. The table is unlogged: after a crash of the server counting begins anew. */
@Entity({ name: 'request_counts' })
export class RequestCount {
  /** Whose requests, and of what kind; ordered by bytes. */
  @PrimaryColumn('text')
  key!: string;

  @Column('integer')
  hits!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  ends_at!: Date;
}
