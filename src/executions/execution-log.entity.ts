import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RevisionColumn } from '../database/revision-column.js';

/** Phases of a run. `explaining` searches for the reason why the model has no solution. */
export const PHASES = ['reading', 'solving', 'explaining'] as const;
export type Phase = (typeof PHASES)[number];

export interface Progress {
  phase: Phase;
  /** Seconds since the attempt began. */
  seconds: number;
  /** Objective of the best plan found so far. Null if there is no plan yet, and for linear programs. */
  incumbent: number | null;
  /** Best objective that is still possible. Null if unknown, and for linear programs. */
  bound: number | null;
  /** Distance between incumbent and bound, relative to the incumbent. */
  gap: number | null;
  /** Number of branch-and-bound nodes explored. */
  nodes: number;
}

/** Maximum number of lines kept in a log. */
export const MAX_LINES = 200;

/** Progress of an execution and the last lines of its log. */
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
