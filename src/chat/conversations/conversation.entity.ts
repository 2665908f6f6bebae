import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';

/** A conversation of a project; every project has a default one. */
@Entity({ name: 'conversations' })
export class Conversation {
  @PrimaryGeneratedColumn('uuid')
  id!: ConversationId;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('boolean', { default: false })
  is_default!: boolean;

  /** Of the newest message; counts from 1 without gaps, so it is the number of messages too. */
  @Column('integer', { default: 0 })
  last_sequence!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  /** Set with the project's. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  @RevisionColumn()
  revision!: string;
}
