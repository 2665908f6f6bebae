import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An object of the store whose blob has been deleted, until it is deleted as well. */
@Entity({ name: 'doomed_objects' })
export class DoomedObject {
  @PrimaryColumn('uuid')
  blob_id!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  doomed_at!: Date;
}
