import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { UsageRepository } from './usage.repository.js';

/** Number of ledger rows that a transaction adds to the sums. */
const PAGE = 5_000;

/**
 * Maintains running totals of the ledger per spender and half day, which listings read.
 *
 * A row's insertion time and transaction do not matter. The ledger's trigger records each row as pending, and a single
 * transaction moves it from there into the sums. As a result, late rows still count, and a crash neither loses nor duplicates
 * rows. Nothing depends on clocks or transaction ids, which start again in a restored backup.
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

  /** Adds all pending rows to the sums, `page` rows at a time. Any number of processes may call it concurrently. */
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
