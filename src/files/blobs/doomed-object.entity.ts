import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Object in the store whose blob was deleted. The row remains until the object is deleted, too. */
@Entity({ name: 'doomed_objects' })
export class DoomedObject {
  @PrimaryColumn('uuid')
  blob_id!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  doomed_at!: Date;
}
