import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ContainerResolverService } from '../files/container-resolver.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { type CompanyPrincipal, companyLevel } from '../auth/company-level.js';
import { CompaniesRepository } from '../auth/identities/companies.repository.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import type { Page } from '../common/listing/page.js';
import { Conflict, NotFound } from '../common/errors/errors.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import type { Deployment } from './deployment.entity.js';
import { type DeploymentCreateRequest, DeploymentResponse } from './deployments.dto.js';
import { DEPLOYMENT_CONTAINERS, DeploymentsRepository } from './deployments.repository.js';
import { freeHandle, slugOf } from './handle.js';
import { TemplatesService } from './templates.service.js';

/** Deployment with the hash of its agent configuration, see {@link TemplatesService.digest}. */
export type DeploymentDetails = Deployment & { config_digest: string };

/** Manages companies' project templates. Changes require a {@link CompanyPrincipal}. */
@Injectable()
export class DeploymentsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly deployments: DeploymentsRepository,
    private readonly companies: CompaniesRepository,
    private readonly containers: ContainersService,
    private readonly resolver: ContainerResolverService,
    private readonly templates: TemplatesService,
  ) {}

  onModuleInit(): void {
    this.resolver.provide('deployment', DEPLOYMENT_CONTAINERS);
  }

  /** Returns the company's deployments, newest first. */
  async list(company_id: string, page: WalkQuery): Promise<Page<Deployment>> {
    return await this.deployments.page(company_id, page);
  }

  /**
   * Creates an empty deployment.
   * @throws Conflict if the name is taken
   */
  async create(caller: CompanyPrincipal, { name }: DeploymentCreateRequest): Promise<DeploymentResponse> {
    const { company_id } = companyLevel(caller);
    return await this.database.transaction(async (tx) => {
      // Prevents concurrent requests from the company from taking the same name or handle between this check and the insert.
      await tx.withRepository(this.companies).lock(company_id);
      return await caller.once(tx, async () => {
        const deployments = tx.withRepository(this.deployments);
        if (await deployments.hasName(company_id, name))
          throw new Conflict('deployment_exists', 'A deployment with this name already exists');
        const slug = slugOf(name);
        const handle = freeHandle(slug, new Set(await deployments.handlesLike(company_id, slug)));
        const container_id = await this.containers.create(tx, company_id, 'deployment');
        const deployment = await deployments.save({ company_id, name, handle, container_id, deleted_at: null });
        return DeploymentResponse.detailed(await this.withDigest(deployment, tx));
      });
    });
  }

  /**
   * Returns the deployment with this handle or name, with its digest.
   * @throws NotFound
   */
  async details(company_id: string, name: string): Promise<DeploymentDetails> {
    return await this.withDigest(await this.require(company_id, name));
  }

  /**
   * Deletes a deployment with its tree. Projects keep their copies. The name can be used again, but the handle cannot.
   *
   * @throws NotFound
   */
  async delete(caller: CompanyPrincipal, name: string): Promise<void> {
    const { company_id } = companyLevel(caller);
    await this.database.transaction(async (tx) => {
      const deployment = await this.require(company_id, name, tx);
      // This locks the container before the deployment's row, like every change to the tree. It throws if the container was
      // already deleted.
      await this.containers.delete(tx, company_id, deployment.container_id);
      await tx.withRepository(this.deployments).markDeleted(deployment);
    });
  }

  /**
   * Returns the deployment with this handle or name, so that the caller can change its contents.
   * @throws NotFound
   */
  async requireForWriting(caller: CompanyPrincipal, name: string): Promise<Deployment> {
    return await this.require(companyLevel(caller).company_id, name);
  }

  /** Updates a deployment's change time, in the transaction that changed its tree. */
  async touch(tx: Tx, deployment: Deployment): Promise<void> {
    await tx.withRepository(this.deployments).touch(deployment);
  }

  /**
   * Returns the deployment with this handle or name, see {@link find}.
   * @throws NotFound
   */
  async require(company_id: string, name: string, tx?: Tx): Promise<Deployment> {
    const deployment = await this.find(company_id, name, tx);
    if (deployment === undefined) throw new NotFound('Deployment');
    return deployment;
  }

  /** Returns the deployment with this handle, otherwise the deployment with exactly this name, otherwise undefined. */
  async find(company_id: string, name: string, tx: Tx = this.database.manager): Promise<Deployment | undefined> {
    return await tx.withRepository(this.deployments).findByName(company_id, name);
  }

  /** Returns the deployment with this id, or null if it does not exist in the company or was deleted. */
  async findById(company_id: string, id: string | null, tx: Tx = this.database.manager): Promise<Deployment | null> {
    return id === null ? null : await tx.withRepository(this.deployments).findById(company_id, id);
  }

  private async withDigest(deployment: Deployment, tx?: Tx): Promise<DeploymentDetails> {
    const { company_id, container_id } = deployment;
    return { ...deployment, config_digest: await this.templates.digest({ company_id, container_id }, tx) };
  }
}
