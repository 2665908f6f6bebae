import type { ProjectId } from '../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Roles in a project, in ascending order. Each includes the rights of the previous role. */
export const PROJECT_ROLES = ['viewer', 'editor', 'owner'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** User's role in a project. */
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
