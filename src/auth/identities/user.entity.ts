import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import { RevisionColumn } from '../../database/revision-column.js';
import type { Role } from '../principal.js';

/** User as described by the latest of their tokens. */
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

  /** Limits the role of the user's API keys. */
  @Column('text', { default: 'member' })
  role!: Role;

  /** Issue time of the latest token. Later tokens take precedence. Tokens without an issue time have the lowest priority. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'to_timestamp(0)' })
  token_issued_at!: Date;

  @RevisionColumn()
  revision!: string;
}

/** User as described by a token. */
export type TokenUser = Omit<User, 'created_at' | 'updated_at' | 'revision'>;
