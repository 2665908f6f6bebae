import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** File that was added or removed on behalf of a conversation. Kept until a turn has reported it to the agent. */
@Entity({ name: 'workspace_changes' })
export class WorkspaceChange {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('uuid')
  conversation_id!: ConversationId;

  @Column('text')
  kind!: 'uploaded' | 'deleted';

  @Column('text')
  path!: string;

  @Column('uuid', { nullable: true })
  turn_id!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
