import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../../auth/api-keys/api-keys.service.js';
import type { ProjectRights } from '../../auth/principal.js';
import type { Tx } from '../../database/database.service.js';
import { BudgetsService } from '../../usage/budgets.service.js';
import type { ExhaustedBudget } from '../../usage/exhausted-budget.js';
import type { Spender } from '../../usage/spender.js';
import { spenderOf } from './turn.entity.js';
import type { LeasedTurn } from './turns.repository.js';

/** Looks up the rights and budgets of the users and API keys that ask the agent. */
@Injectable()
export class AskersService {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly budgets: BudgetsService,
  ) {}

  /** Returns the asker's rights in projects. */
  async rightsOf({ user_id, api_key_id }: Spender): Promise<ProjectRights> {
    return user_id === null
      ? await this.apiKeys.rightsOf(api_key_id)
      : { person_id: user_id, sees_all: null, access: 'write', project_ids: null };
  }

  /** Returns an exhausted budget of the asker, the project or the company, if any. */
  async exhaustedBudget(tx: Tx, turn: LeasedTurn): Promise<ExhaustedBudget | null> {
    return await this.budgets.exhausted(turn.company_id, turn.project_id, spenderOf(turn), tx);
  }
}
