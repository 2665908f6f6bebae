import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Access, Role } from '../principal.js';

/** Credential that a user created for a program. The row is kept after a revocation, because usage records refer to it. */
@Entity({ name: 'api_keys' })
export class ApiKey {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  name!: string;

  /** Non-secret, unique part of the key. */
  @Column('text')
  prefix!: string;

  /** SHA-256 of the secret. The secret itself is not stored. */
  @Column('bytea')
  secret_hash!: Buffer;

  /** Requested role. Limited by the creator's role. */
  @Column('text')
  role!: Role;

  @Column('text', { default: 'write' })
  access!: Access;

  /** Projects that the key can access. Null if the key can access all of its creator's projects. */
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
