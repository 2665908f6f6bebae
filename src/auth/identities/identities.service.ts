import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DatabaseService } from '../../database/database.service.js';
import { CompaniesRepository } from './companies.repository.js';
import type { TokenUser } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

const KNOWN_MS = 60_000;
const KNOWN_USERS = 10_000;

/** Stores companies and users as described by their tokens. */
@Injectable()
export class IdentitiesService {
  /** Users that this process stored recently. Saves a query for each request. */
  private readonly stored = new LRUCache<string, string>({ max: KNOWN_USERS, ttl: KNOWN_MS });

  constructor(
    private readonly database: DatabaseService,
    private readonly companies: CompaniesRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Stores a token's company and user. Does nothing if this token was already stored or a later token has been seen.
   *
   * The user's API keys take their role from this record.
   */
  async remember(user: TokenUser): Promise<void> {
    const key = JSON.stringify([user.company_id, user.id]);
    const text = JSON.stringify(user);
    if (this.stored.get(key) === text) return;
    await this.store(user);
    this.stored.set(key, text);
  }

  private async store(user: TokenUser): Promise<void> {
    if (await this.users.isUpToDate(user)) return;
    await this.database.transaction(async (tx) => {
      await tx.withRepository(this.companies).add(user.company_id);
      await tx.withRepository(this.users).store(user);
    });
  }
}
