import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';

/** Conversation in a project. Every project has a default conversation. */
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

  /** Sequence number of the newest message. Numbering starts at 1 without gaps, so this is also the number of messages. */
  @Column('integer', { default: 0 })
  last_sequence!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  /** Set together with the project's `deleted_at`. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  @RevisionColumn()
  revision!: string;
}
