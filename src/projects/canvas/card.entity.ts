import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { CardId, ProjectId } from '../../database/checked-id.js';
import { RevisionColumn } from '../../database/revision-column.js';
import type { CardContent, Gap, Judgement } from '../../../packages/canvas/index.js';

/** Card on a project's canvas. */
@Entity({ name: 'cards' })
export class Card implements CardContent, Judgement {
  @PrimaryGeneratedColumn('uuid')
  id!: CardId;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('text')
  card_type!: CardContent['card_type'];

  @Column('text')
  label!: string;

  @Column('text')
  status!: Judgement['status'];

  @Column('integer', { default: 1 })
  version!: number;

  @Column('jsonb', { default: {} })
  data!: CardContent['data'];

  @Column('jsonb', { default: [] })
  gaps!: Gap[];

  @Column('jsonb', { default: {} })
  instance_data!: CardContent['data'];

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @RevisionColumn()
  revision!: string;
}
