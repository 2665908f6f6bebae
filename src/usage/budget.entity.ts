import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Maximum number of budgets per company. */
export const MAX_BUDGETS = 1_000;
/** Maximum limit in credits. Up to this limit, a JSON number represents millionths exactly. */
export const MAX_LIMIT = 1_000_000_000;

/**
 * Scopes of budgets, which determine whose spend counts: the company’s, a user’s (including their API keys), an API key’s, or a
 * project’s.
 */
export const BUDGET_SCOPES = ['company', 'user', 'api_key', 'project'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Period after which counting restarts, in UTC. A total never restarts. */
export const BUDGET_PERIODS = ['day', 'month', 'total'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Effect of reaching the limit. */
export const BUDGET_ACTIONS = ['block', 'notice'] as const;
export type BudgetAction = (typeof BUDGET_ACTIONS)[number];

/** Spending limit per period. Unique by scope, subject and period. */
@Entity({ name: 'usage_budgets' })
export class Budget {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  scope!: BudgetScope;

  /** Id of the user, API key or project. For a company budget, the id of the company. */
  @Column('text')
  subject_id!: string;

  @Column('text')
  period!: BudgetPeriod;

  @Column('numeric', { precision: 20, scale: 6 })
  limit_credits!: number;

  @Column('text')
  action!: BudgetAction;

  /** Time when the limit was reached, and the start of that period. Set once per period. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  reached_at!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  reached_period!: Date | null;

  /** Last `reached_period` that was announced by an event. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  told_period!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
