import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { CompanyPrincipal } from '../auth/company-level.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict, Invalid, invalidValue, isId } from '../common/errors/errors.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import type { Page } from '../common/listing/page.js';
import type { PageQuery } from '../common/listing/page.query.js';
import { ProjectLifeService } from '../projects/project-life.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { MAX_BUDGETS } from './budget.entity.js';
import type { BudgetRequest } from './budgets.dto.js';
import { type BudgetRow, BudgetsRepository } from './budgets.repository.js';
import type { ExhaustedBudget } from './exhausted-budget.js';
import type { Spender } from './spender.js';

const SUBJECTS = { user: 'user', api_key: 'API key', project: 'project' } as const;

/**
 * Manages companies' budgets. Only charged credits count. No credits are reserved for running turns and solves.
 *
 * Chat posts and solve starts check budgets in the statements of their own repositories (`exhaustedBudget`). Turns check them
 * before each model step, and solves when they are taken from the queue.
 */
@Injectable()
export class BudgetsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly budgets: BudgetsRepository,
    private readonly projects: ProjectsRepository,
    private readonly life: ProjectLifeService,
    private readonly periodic: PeriodicWorkService,
    private readonly events: ProjectEventsService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('* * * * *', 'note_reached_budgets', async () => await this.recordReached());
    this.periodic.every('20 3 * * *', 'forget_budget_periods', async () => await this.budgets.forgetPeriods());
    this.life.onPurge(async (tx, project_id) => {
      const budgets = tx.withRepository(this.budgets);
      const { company_id } = await tx.withRepository(this.projects).findOneByOrFail({ id: project_id });
      await budgets.lockCompany(company_id);
      await budgets.removeOf(company_id, 'project', project_id);
      return false;
    });
  }

  /** Records reached budgets and announces each of them once per period. */
  private async recordReached(): Promise<void> {
    await this.budgets.recordReached();
    for (const company_id of await this.budgets.companiesToNotify()) {
      await this.database.transaction(async (tx) => {
        for (const budget of await tx.withRepository(this.budgets).takeUnannounced(company_id)) {
          await this.events.noteInCompany(tx, company_id, 'budget.reached', budget);
        }
      });
    }
  }

  /**
   * Creates or changes the budget for a scope, subject and period.
   *
   * @throws Invalid if the company does not have the subject
   * @throws Conflict if there are too many budgets
   */
  async put({ company_id }: CompanyPrincipal, request: BudgetRequest): Promise<BudgetRow> {
    return await this.database.transaction(async (tx) => {
      const budgets = tx.withRepository(this.budgets);
      await budgets.lockCompany(company_id);
      const subject_id = await this.subjectOf(tx, company_id, request);
      const fields = { ...request, subject_id };
      const { id, is_new } = await budgets.put(company_id, fields);
      if (is_new) {
        if ((await budgets.countOf(company_id)) > MAX_BUDGETS) {
          throw new Conflict('too_many_budgets', `A company can have at most ${MAX_BUDGETS} budgets; delete one first`);
        }
        await budgets.countEarlier(company_id, id, fields);
      }
      await budgets.noteChanged(id);
      return await budgets.require(company_id, id);
    });
  }

  /** Lists budgets, newest first. */
  async list({ company_id }: CompanyPrincipal, page: PageQuery): Promise<Page<BudgetRow>> {
    return await this.budgets.page(company_id, page);
  }

  /**
   * Deletes a budget.
   * @throws NotFound
   */
  async delete({ company_id }: CompanyPrincipal, budgetId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const budgets = tx.withRepository(this.budgets);
      await budgets.lockCompany(company_id);
      const { id } = await budgets.require(company_id, budgetId);
      await budgets.delete({ company_id, id });
    });
  }

  /** Returns a used-up budget, see {@link BudgetsRepository.exhausted}. The transaction is optional. */
  async exhausted(
    company_id: string,
    project_id: string,
    spender: Spender,
    tx: Tx = this.database.manager,
  ): Promise<ExhaustedBudget | null> {
    return await tx.withRepository(this.budgets).exhausted(company_id, project_id, spender);
  }

  /** Returns the subject id as it is stored. */
  private async subjectOf(tx: Tx, company_id: string, { scope, subject_id }: BudgetRequest): Promise<string> {
    if (scope === 'company' || subject_id == null) return company_id;
    const id = scope === 'user' ? subject_id : subject_id.toLowerCase();
    const exists =
      (scope === 'user' || isId(id)) && (await tx.withRepository(this.budgets).hasSubject(company_id, scope, id));
    if (exists) return id;
    throw new Invalid([invalidValue(['body', 'subject_id'], `the company has no such ${SUBJECTS[scope]}`, subject_id)]);
  }
}
