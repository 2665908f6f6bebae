import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import { RevisionColumn } from '../database/revision-column.js';

/** A company's project template: a file tree with AGENTS.md, skills and other files that new projects start with. */
@Entity({ name: 'deployments' })
export class Deployment {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  name!: string;

  /** Stable identifier of the deployment in paths. An ASCII slug that is never changed or reused. */
  @Column('text')
  handle!: string;

  @Column('uuid')
  container_id!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  @RevisionColumn()
  revision!: string;
}
