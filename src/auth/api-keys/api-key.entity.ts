import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Access, Role } from '../principal.js';

/** A credential that a user has made for a program. Its row stays when it is revoked: spend refers to it. */
@Entity({ name: 'api_keys' })
export class ApiKey {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  name!: string;

  /** Non-secret part of the key; unique. */
  @Column('text')
  prefix!: string;

  /** SHA-256 of the secret, which is kept nowhere. */
  @Column('bytea')
  secret_hash!: Buffer;

  /** Requested role; limited by the creator's role. */
  @Column('text')
  role!: Role;

  @Column('text', { default: 'write' })
  access!: Access;

  /** Null: all that the creator sees. */
  @Column('uuid', { array: true, nullable: true })
  project_ids!: string[] | null;

  /** User id of the creator. */
  @Column('text')
  created_by!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expires_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revoked_at!: Date | null;

  /** Precise to the minute. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  last_used_at!: Date | null;
}
