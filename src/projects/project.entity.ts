import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { RevisionColumn } from '../database/revision-column.js';
import type { ProjectId } from '../database/checked-id.js';
import type { Checklist } from '../../packages/canvas/index.js';

export const WORKSPACE_MODES = ['define', 'run'] as const;
export type WorkspaceMode = (typeof WORKSPACE_MODES)[number];

export const VISIBILITIES = ['company', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Activity of a project. */
export const PROJECT_STATUSES = ['solving', 'working', 'idle'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

/** Columns of a project that refer to its own containers. */
export const CONTAINER_COLUMNS = ['workspace_id', 'agent_config_id', 'project_skills_id'] as const;

/** Project with values derived from its cards, and counters that other modules maintain. */
@Entity({ name: 'projects' })
export class Project {
  @PrimaryGeneratedColumn('uuid')
  id!: ProjectId;

  @Column('text')
  company_id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { nullable: true })
  short_description!: string | null;

  @Column('text', { default: 'define' })
  workspace_mode!: WorkspaceMode;

  @Column('text', { nullable: true })
  run_setup_status!: 'ready' | null;

  @Column('uuid', { nullable: true })
  current_snapshot_id!: string | null;

  @Column('uuid', { nullable: true })
  origin_deployment_id!: string | null;

  /** Container of the workspace files. */
  @Column('uuid')
  workspace_id!: string;

  /** Container of the deployment scope: the project's copy of a deployment's instructions and skills. */
  @Column('uuid')
  agent_config_id!: string;

  /** Hash of the deployment scope. Equal to the deployment's hash while the copy is up to date. */
  @Column('text', { default: () => `encode(sha256(''), 'hex')` })
  config_digest!: string;

  /** Container of the project's own skills. */
  @Column('uuid')
  project_skills_id!: string;

  @Column('text', { nullable: true })
  created_by!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  /** Time of the last change to the project or its contents. Determines the order of listings. */
  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deleted_at!: Date | null;

  /** Time when the project's purge began. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  purge_began_at!: Date | null;

  /** Users who can see the project in addition to its members: everybody in the company, or only company-level callers. */
  @Column('text', { default: 'company' })
  visibility!: Visibility;

  @Column('integer', { default: 0 })
  card_count!: number;

  @Column({ type: 'jsonb', default: [] })
  objective_components!: Record<string, unknown>[];

  @Column('boolean', { default: false })
  objective_confirmed!: boolean;

  @Column('text', { nullable: true })
  objective_description!: string | null;

  @Column('text', { nullable: true })
  objective_type!: string | null;

  @Column('boolean', { default: false })
  all_constraints_classified!: boolean;

  @Column('boolean', { default: false })
  all_variables_provided!: boolean;

  @Column('boolean', { default: false })
  data_available!: boolean;

  @Column('boolean', { default: false })
  kpis_defined!: boolean;

  @Column('boolean', { default: false })
  objective_drafted!: boolean;

  @Column('boolean', { default: false })
  objectives_defined!: boolean;

  @Column('boolean', { default: false })
  production_requirements_defined!: boolean;

  /** Hash of the file contents that contain sets. Empty without such files, null if no data card refers to a file. */
  @Column('text', { nullable: true })
  data_files_digest!: string | null;

  @Column('text', { default: 'unchecked' })
  feasibility_result!: Checklist['feasibility_result'];

  /** `complete` if all seven flags are true and the model is feasible. Computed by the database. */
  @Column({ type: 'text', insert: false, update: false })
  overall!: Checklist['overall'];

  @Column('integer', { default: 0 })
  active_turns!: number;

  @Column('integer', { default: 0 })
  active_solves!: number;

  /** Sum of the project's ledger entries. */
  @Column('numeric', { precision: 20, scale: 6, default: 0 })
  total_credits!: number;

  @RevisionColumn()
  revision!: string;

  /** Changes whenever one of the project's cards changes. */
  @RevisionColumn()
  cards_revision!: string;
}
