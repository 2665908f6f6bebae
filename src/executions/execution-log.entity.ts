import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RevisionColumn } from '../database/revision-column.js';

/** What a run does: reads the model, has it solved, or finds out why it has no solution. */
export const PHASES = ['reading', 'solving', 'explaining'] as const;
export type Phase = (typeof PHASES)[number];

/** How far a run is. */
export interface Progress {
  phase: Phase;
  /** Since the attempt began. */
  seconds: number;
  /** The objective of the best plan so far; null while there is none, and of a linear program. */
  incumbent: number | null;
  /** What no plan can be better than; null while that is not known, and of a linear program. */
  bound: number | null;
  /** Distance between both, relative to the incumbent. */
  gap: number | null;
  /** Branchings that were looked at. */
  nodes: number;
}

/** Lines that are kept of a log. */
export const MAX_LINES = 200;

/** How far an execution is, and the last lines of its log. */
@Entity({ name: 'execution_logs' })
export class ExecutionLog {
  @PrimaryColumn('uuid')
  execution_id!: string;

  @Column('jsonb')
  progress!: Progress;

  @Column('text', { array: true })
  lines!: string[];

  @RevisionColumn()
  revision!: string;
}
