import type { CardId, ProjectId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';
import type { CardType } from './kinds/card-kinds.js';

export const CARD_STATUSES = ['draft', 'needs_input', 'complete'] as const;

export interface Gap {
  field: string;
  message: string;
  severity: 'blocking' | 'warning' | 'info';
}

/** One card of a project's canvas. */
@Entity({ name: 'cards' })
export class Card {
  @PrimaryGeneratedColumn('uuid')
  id!: CardId;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('text')
  card_type!: CardType;

  @Column('text')
  label!: string;

  @Column('text')
  status!: (typeof CARD_STATUSES)[number];

  @Column('integer', { default: 1 })
  version!: number;

  @Column('jsonb', { default: {} })
  data!: Record<string, unknown>;

  @Column('jsonb', { default: [] })
  gaps!: Gap[];

  @Column('jsonb', { default: {} })
  instance_data!: Record<string, unknown>;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @RevisionColumn()
  revision!: string;
}
