import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { CompanyCaller, type CompanyPrincipal } from '../auth/company-level.js';
import { CompanyLevel } from '../auth/decorators.js';
import { PageQuery } from '../common/listing/page.query.js';
import { Operation } from '../common/openapi/operation.js';
import { MAX_BUDGETS } from './budget.entity.js';
import { BudgetListResponse, BudgetRequest, BudgetResponse } from './budgets.dto.js';
import { BudgetsService } from './budgets.service.js';

@Controller('usage/budgets')
export class BudgetsController {
  constructor(private readonly budgets: BudgetsService) {}

  @Put()
  @CompanyLevel()
  @Operation({
    tag: 'Usage',
    summary: 'Set budget',
    example: { scope: 'company', period: 'month', limit_credits: 100, action: 'notice' },
    description:
      'Creates the budget for the scope, subject and period, or replaces its limit and action. When a blocking budget ' +
      'reaches its limit, new messages and solves that count towards it return 402. Running turns end at the next model ' +
      'step. Running solves finish. A company has at most ' +
      `${MAX_BUDGETS} budgets.`,
    response: BudgetResponse,
    errors: ['too_many_budgets'],
    extension: true,
  })
  async setBudget(@CompanyCaller() caller: CompanyPrincipal, @Body() body: BudgetRequest): Promise<BudgetResponse> {
    return BudgetResponse.from(await this.budgets.put(caller, body));
  }

  @Get()
  @CompanyLevel()
  @Operation({
    tag: 'Usage',
    summary: 'List budgets',
    description: 'Returns budgets, newest first, each with the credits charged in its current period.',
    response: BudgetListResponse,
    extension: true,
  })
  async listBudgets(@CompanyCaller() caller: CompanyPrincipal, @Query() query: PageQuery): Promise<BudgetListResponse> {
    return BudgetListResponse.from(await this.budgets.list(caller, query), query);
  }

  @Delete(':budget_id')
  @CompanyLevel()
  @Operation({
    tag: 'Usage',
    summary: 'Delete budget',
    description: 'Operations that the budget blocked are allowed again immediately.',
    status: 204,
    extension: true,
  })
  async deleteBudget(@CompanyCaller() caller: CompanyPrincipal, @Param('budget_id') budgetId: string): Promise<void> {
    await this.budgets.delete(caller, budgetId);
  }
}
