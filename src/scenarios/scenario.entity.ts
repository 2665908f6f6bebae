import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ProjectId, ScenarioId } from '../database/checked-id.js';
import { RevisionColumn } from '../database/revision-column.js';
import { entityTag } from '../common/etag/entity-tag.js';
import type { Change } from '../../packages/canvas/index.js';

/** Maximum number of scenarios per project. */
export const MAX_SCENARIOS = 100;

/** Named set of changes to a project's canvas. */
@Entity({ name: 'scenarios' })
export class Scenario {
  @PrimaryGeneratedColumn('uuid')
  id!: ScenarioId;

  @Column('uuid')
  project_id!: ProjectId;

  /** Unique in the project. */
  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Changes in the order in which they are applied. */
  @Column('jsonb')
  changes!: Change[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;

  @RevisionColumn()
  revision!: string;
}

/** Returns the entity tag of a scenario. */
export const scenarioTag = ({ revision }: Pick<Scenario, 'revision'>): string => entityTag('scenario', revision);
