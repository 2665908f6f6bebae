import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of an open upload that is there or under way. */
@Entity({ name: 'upload_parts' })
export class UploadPart {
  @PrimaryColumn('uuid')
  upload_id!: string;

  @PrimaryColumn('integer')
  part_number!: number;

  /** Bytes that are there. */
  @Column('bigint', { default: 0 })
  size!: number;

  /** Bytes that the newest request may bring in their place. */
  @Column('bigint', { default: 0 })
  expected!: number;

  /** That request, while it is under way. */
  @Column('uuid', { nullable: true })
  put_id!: string | null;
}
