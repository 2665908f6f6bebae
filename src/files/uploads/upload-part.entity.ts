import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of an open upload that is there or under way. */
@Entity({ name: 'upload_parts' })
export class UploadPart {
  @PrimaryColumn('uuid')
  upload_id!: string;

  @PrimaryColumn('integer')
  part_number!: number;

  /** Bytes. */
  @Column('bigint')
  size!: number;
}
