import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Most budgets of a company. */
export const MAX_BUDGETS = 1_000;
/** Highest limit: its millionths are exact in a number of JSON. */
export const MAX_LIMIT = 1_000_000_000;

/** Whose spend counts: of all, of a user and their API keys, of an API key, or in a project. */
export const BUDGET_SCOPES = ['company', 'user', 'api_key', 'project'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** When counting begins anew, in UTC; a total never does. */
export const BUDGET_PERIODS = ['day', 'month', 'total'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What follows once the limit is reached. */
export const BUDGET_ACTIONS = ['block', 'notice'] as const;
export type BudgetAction = (typeof BUDGET_ACTIONS)[number];

/** What may be spent in each period. One for each scope, subject and period. */
@Entity({ name: 'usage_budgets' })
export class Budget {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  scope!: BudgetScope;

  /** Id of the user, API key, project or, of its own budget, the company. */
  @Column('text')
  subject_id!: string;

  @Column('text')
  period!: BudgetPeriod;

  @Column('numeric', { precision: 20, scale: 6 })
  limit_credits!: number;

  @Column('text')
  action!: BudgetAction;

  /** When the limit was reached, and the start of the period in which it was; set once in a period. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  reached_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  reached_period!: Date | null;

  /** The last `reached_period` that an event has told of. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  told_period!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
