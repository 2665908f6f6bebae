import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../auth/api-keys/api-keys.service.js';
import type { ProjectRights } from '../../auth/principal.js';
import type { Tx } from '../../database/database.service.js';
import { BudgetsService } from '../../usage/budgets.service.js';
import type { ExhaustedBudget } from '../../usage/exhausted-budget.js';
import type { Spender } from '../../usage/spender.js';
import { spenderOf } from './turn.entity.js';
import type { LeasedTurn } from './turns.repository.js';

/** What those who ask the agent something may do and spend. */
@Injectable()
export class AskersService {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly budgets: BudgetsService,
  ) {}

  /** What the one who has asked may do in projects. */
  async rightsOf({ user_id, api_key_id }: Spender): Promise<ProjectRights> {
    return user_id === null
      ? await this.apiKeys.rightsOf(api_key_id)
      : { person_id: user_id, sees_all: null, access: 'write', project_ids: null };
  }

  /** A budget of the asker, their project or company that is used up. */
  async exhaustedBudget(tx: Tx, turn: LeasedTurn): Promise<ExhaustedBudget | null> {
    return await this.budgets.exhausted(turn.company_id, turn.project_id, spenderOf(turn), tx);
  }
}
