import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';
import type { Role } from '../principal.js';

/** A user as the latest of their tokens describes them. */
@Entity({ name: 'users' })
export class User {
  @PrimaryColumn('text')
  company_id!: string;

  /** Unique in the company. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  display_name!: string;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  avatar_url!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  /** Limits what the API keys of the user may do. */
  @Column('text', { default: 'member' })
  role!: Role;

  /** Later tokens win; a token without a time of issue loses to all. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'to_timestamp(0)' })
  token_issued_at!: Date;

  @RevisionColumn()
  revision!: string;
}

/** What a token says about its user. */
export type KnownUser = Omit<User, 'created_at' | 'updated_at' | 'revision'>;
