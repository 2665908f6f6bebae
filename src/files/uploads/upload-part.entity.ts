import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Part of an open upload that was received or is being received. */
@Entity({ name: 'upload_parts' })
export class UploadPart {
  @PrimaryColumn('uuid')
  upload_id!: string;

  @PrimaryColumn('integer')
  part_number!: number;

  /** Number of received bytes. */
  @Column('bigint', { default: 0 })
  size!: number;

  /** Number of bytes that the newest request may send to replace the received bytes. */
  @Column('bigint', { default: 0 })
  expected!: number;

  /** Id of the newest request, while it is running. */
  @Column('uuid', { nullable: true })
  put_id!: string | null;
}
