import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { CompaniesRepository } from './companies.repository.js';
import type { KnownUser } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

const KNOWN_MS = 60_000;
const KNOWN_USERS = 10_000;

/** Companies and users as their tokens describe them. */
@Injectable()
export class IdentitiesService {
  /** What this process has stored lately, by user, so that it need not look whether it is there. */
  private readonly known = new Map<string, { text: string; until: number }>();

  constructor(
    private readonly database: Database,
    private readonly companies: CompaniesRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Stores the company and the user as a token describes them, once for each token, and not when a later one was seen.
   *
   * The role is remembered for the API keys of the user.
   */
  async remember(user: KnownUser): Promise<void> {
    const key = JSON.stringify([user.company_id, user.id]);
    const text = JSON.stringify(user);
    const known = this.known.get(key);
    if (known?.text === text && known.until > performance.now()) return;
    await this.store(user);
    const [oldest] = this.known.keys();
    if (this.known.size >= KNOWN_USERS && oldest !== undefined) this.known.delete(oldest);
    this.known.set(key, { text, until: performance.now() + KNOWN_MS });
  }

  private async store(user: KnownUser): Promise<void> {
    if (await this.users.isUpToDate(user)) return;
    await this.database.transaction(async (tx) => {
      await tx.withRepository(this.companies).add(user.company_id);
      await tx.withRepository(this.users).store(user);
    });
  }
}
