import type { ProjectId } from '../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** What somebody may do in a project, each more than the one before. */
export const PROJECT_ROLES = ['viewer', 'editor', 'owner'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** A user who was given a role in a project. */
@Entity({ name: 'project_members' })
export class ProjectMember {
  @PrimaryColumn('uuid')
  project_id!: ProjectId;

  @Column('text')
  company_id!: string;

  @PrimaryColumn('text')
  user_id!: string;

  @Column('text')
  role!: ProjectRole;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  added_at!: Date;
}
