import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { UsageRepository } from './usage.repository.js';

/** Rows of the ledger that one transaction takes into the sums. */
const PAGE = 5_000;

/**
 * Keeps the running totals of the ledger per spender and half day, from which listings are answered.
 *
 * When a row was inserted, and by which transaction, does not matter: the ledger's trigger notes each as pending, and a
 * row is taken from there into the sums by one transaction. So no day is ever closed, nothing is counted twice or left out
 * after a crash, and nothing depends on clocks or on the numbers of transactions, which a restored backup begins anew.
 */
@Injectable()
export class RollupsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly usage: UsageRepository,
    private readonly periodic: PeriodicWorkService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('* * * * *', 'roll_up_usage', async () => await this.rollUp());
  }

  /** Takes all that is pending into the sums, `page` rows at a time; any number of processes may do so at once. */
  async rollUp(page = PAGE): Promise<void> {
    for (const kind of ['users', 'api_keys'] as const) while ((await this.rollUpSome(kind, page)) === page);
  }

  private async rollUpSome(kind: 'users' | 'api_keys', page: number): Promise<number> {
    return await this.database.transaction(async (tx) => {
      const usage = tx.withRepository(this.usage);
      await usage.lockSums();
      return await usage.rollUp(kind, page);
    });
  }
}
