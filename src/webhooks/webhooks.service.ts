import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { CompanyPrincipal } from '../auth/company-level.js';
import { DatabaseService } from '../database/database.service.js';
import { Conflict, Invalid, invalidValue, isId } from '../common/errors/errors.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { EventsRepository } from '../events/events.repository.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { ProjectReader } from '../projects/project-access.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { urlProblem } from './addresses.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { newSecret } from './webhook-signature.js';
import { MAX_WEBHOOKS, type Webhook } from './webhook.entity.js';
import { WebhookCreatedResponse, type WebhookCreateRequest, type WebhookUpdateRequest } from './webhooks.dto.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Error message for requests and deliveries when the webhook is inactive. */
export const INACTIVE = 'The webhook is inactive';
/** Name of the periodic work that removes deliveries. */
export const REMOVE_DELIVERIES = 'remove_old_deliveries';

/** Manages companies' webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly events: EventsRepository,
    private readonly projects: ProjectsRepository,
    private readonly periodic: PeriodicWorkService,
  ) {}

  /**
   * Creates a webhook, which receives events from now on.
   *
   * @returns the webhook with its secret, which is not shown again
   * @throws Invalid if the URL or the project is invalid
   * @throws Conflict if there are too many webhooks
   */
  async create(
    caller: CompanyPrincipal,
    { url, events, project_id = null }: WebhookCreateRequest,
  ): Promise<WebhookCreatedResponse> {
    const { company_id } = caller;
    const href = this.hrefOf(url);
    await this.checkProject(caller, project_id);
    const [id, secret] = [randomUUID(), newSecret()];
    const sealed = await this.secrets.seal(id, secret);
    return await this.database.transaction(async (tx) => {
      const webhooks = tx.withRepository(this.webhooks);
      await webhooks.lockCompany(company_id);
      return await caller.once(tx, async () => {
        if ((await webhooks.countBy({ company_id })) >= MAX_WEBHOOKS) {
          throw new Conflict(
            'too_many_webhooks',
            `A company can have at most ${MAX_WEBHOOKS} webhooks; delete one first`,
          );
        }
        await webhooks.insert({ id, company_id, url: href, events: [...new Set(events)], project_id, secret: sealed });
        await tx.withRepository(this.events).follow(company_id);
        return WebhookCreatedResponse.with({ webhook: await webhooks.require(company_id, id), secret });
      });
    });
  }

  /** Lists webhooks, newest first. */
  async list({ company_id }: CompanyPrincipal, page: WalkQuery): Promise<Page<Webhook>> {
    return await this.webhooks.page(company_id, page);
  }

  /**
   * Changes a webhook. If it becomes inactive, its pending deliveries fail.
   *
   * @throws NotFound
   * @throws Invalid if the URL or the project is invalid
   */
  async update(caller: CompanyPrincipal, webhookId: string, change: WebhookUpdateRequest): Promise<Webhook> {
    const { company_id } = caller;
    const { url, events, project_id, active } = change;
    const href = url === undefined ? undefined : this.hrefOf(url);
    if (project_id != null) await this.checkProject(caller, project_id);
    return await this.database.transaction(async (tx) => {
      const webhooks = tx.withRepository(this.webhooks);
      await webhooks.lockCompany(company_id);
      const { id } = await webhooks.require(company_id, webhookId);
      await webhooks.change(id, {
        ...(href !== undefined && { url: href }),
        ...(events !== undefined && { events: [...new Set(events)] }),
        ...(project_id !== undefined && { project_id }),
        ...(active === false && { active }),
      });
      if (active === true) await webhooks.activate(id);
      if (active === false) await tx.withRepository(this.deliveries).failPending(id, INACTIVE);
      else await tx.withRepository(this.events).follow(company_id);
      return await webhooks.require(company_id, id);
    });
  }

  /**
   * Deletes a webhook. Its deliveries are removed shortly afterwards.
   * @throws NotFound
   */
  async delete({ company_id }: CompanyPrincipal, webhookId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const webhooks = tx.withRepository(this.webhooks);
      await webhooks.lockCompany(company_id);
      const { id } = await webhooks.require(company_id, webhookId);
      await webhooks.delete({ company_id, id });
      this.database.afterCommit(tx, () => this.periodic.requestRun(REMOVE_DELIVERIES));
    });
  }

  /** Returns the normalized URL, so that readers of the webhook see the host and path that requests are sent to. */
  private hrefOf(url: string): string {
    const problem = urlProblem(url, this.config.webhookAddresses);
    if (problem !== undefined) throw new Invalid([invalidValue(['body', 'url'], problem, url)]);
    return new URL(url).href;
  }

  private async checkProject(caller: CompanyPrincipal, project_id: string | null): Promise<void> {
    if (project_id === null) return;
    const problem = invalidValue(['body', 'project_id'], 'the company has no such project', project_id);
    if (!isId(project_id)) throw new Invalid([problem]);
    const unseen = await this.projects.indexesOfInvisible(ProjectReader.of(caller), [project_id]);
    if (unseen.length > 0) throw new Invalid([problem]);
  }
}
