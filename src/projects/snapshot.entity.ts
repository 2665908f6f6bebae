import type { ProjectId } from '../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Card } from './canvas/card.entity.js';

/** Immutable copy of a project's workspace and cards. */
@Entity({ name: 'snapshots' })
export class Snapshot {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('uuid')
  container_id!: string;

  @Column('jsonb')
  cards!: Omit<Card, 'revision'>[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
