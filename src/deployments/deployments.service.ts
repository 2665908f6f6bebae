import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { ContainerDirectory } from '../files/container-directory.js';
import { ContainersService } from '../files/containers.service.js';
import { type CompanyPrincipal, companyLevel } from '../platform/auth/company-level.js';
import { Database, type Tx } from '../platform/database/database.js';
import { Conflict, NotFound } from '../platform/errors/errors.js';
import { type JsonPage, readJsonPage } from '../platform/database/json-page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { Deployment } from './deployment.entity.js';
import type { DeploymentCreateRequest } from './deployments.dto.js';
import { freeHandle, slugOf } from './handle.js';
import { TemplatesService } from './templates.service.js';

/** A deployment with the hash of its agent configuration, see {@link TemplatesService.digest}. */
export type DeploymentDetails = Deployment & { config_digest: string };

/** SELECT from the deployment of the company `$2` that `$1` names, see {@link DeploymentsService.find}. */
const deploymentOf = (columns: string): string => `
  SELECT ${columns} FROM deployments
   WHERE company_id = $2 AND deleted_at IS NULL AND (handle = $1 OR name = $1)
   ORDER BY (handle = $1) DESC LIMIT 1`;

/** A name as the database can hold it; of those with U+0000 it has none. */
const storableName = (name: string): string => name.replaceAll('\0', '\u{FFFD}');

/** Company-owned templates. What changes one takes a {@link CompanyPrincipal}. */
@Injectable()
export class DeploymentsService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly containers: ContainersService,
    private readonly directory: ContainerDirectory,
    private readonly templates: TemplatesService,
  ) {}

  onModuleInit(): void {
    this.directory.provide('deployment', {
      resource: 'Deployment',
      select: deploymentOf('container_id, NULL::uuid AS project_id'),
      parse: storableName,
    });
  }

  /** The company's deployments as DeploymentResponse, newest first. */
  async list(company_id: string, page: PageQuery): Promise<JsonPage> {
    return await readJsonPage(
      this.database.manager,
      {
        items: `
          SELECT id, name, handle, iso_timestamp(created_at) AS created_at, iso_timestamp(updated_at) AS updated_at
            FROM deployments d WHERE company_id = $1 AND deleted_at IS NULL
           ORDER BY d.created_at DESC, d.id DESC`,
        count: 'SELECT count(*) FROM deployments WHERE company_id = $1 AND deleted_at IS NULL',
        parameters: [company_id],
      },
      page,
    );
  }

  /** Creates an empty deployment. @throws Conflict when the company has one of that name. */
  async create(caller: CompanyPrincipal, { name }: DeploymentCreateRequest): Promise<DeploymentDetails> {
    const { company_id } = companyLevel(caller);
    const created = await this.database.transaction(async (tx) => {
      // One creation at a time in a company, so that names and handles can be looked up before the insert.
      await tx.query('SELECT FROM companies WHERE id = $1 FOR NO KEY UPDATE', [company_id]);
      const namesakes = await tx.countBy(Deployment, { company_id, name, deleted_at: IsNull() });
      if (namesakes > 0) throw new Conflict('A deployment of this name exists already');
      const slug = slugOf(name);
      const taken: { handle: string }[] = await tx.query(
        `SELECT handle FROM deployments WHERE company_id = $1 AND handle >= $2 AND handle < $2 || '.'`,
        [company_id, slug],
      );
      const handle = freeHandle(slug, new Set(taken.map((row) => row.handle)));
      const container_id = await this.containers.create(tx, company_id, 'deployment');
      return await tx.save(Deployment, { company_id, name, handle, container_id, deleted_at: null });
    });
    return await this.withDigest(created);
  }

  /** The deployment of this handle or name with its digest. @throws NotFound */
  async details(company_id: string, name: string): Promise<DeploymentDetails> {
    return await this.withDigest(await this.require(company_id, name));
  }

  /**
   * Deletes a deployment with its tree; projects keep their copies. Its name is free again, its handle is never given to
   * another one.
   *
   * @throws NotFound
   */
  async delete(caller: CompanyPrincipal, name: string): Promise<void> {
    const { company_id } = companyLevel(caller);
    await this.database.transaction(async (tx) => {
      const { id, container_id } = await this.require(company_id, name, tx);
      // Before the deployment's row, as in every change of its tree; refuses when somebody else has deleted it meanwhile.
      await this.containers.delete(tx, company_id, container_id);
      await tx.update(Deployment, { company_id, id }, { deleted_at: () => 'now()' });
    });
  }

  /** The deployment of this handle or name, for somebody who may change what it holds. @throws NotFound */
  async requireForWriting(caller: CompanyPrincipal, name: string): Promise<Deployment> {
    return await this.require(companyLevel(caller).company_id, name);
  }

  /** Marks a deployment as changed now, in the transaction that has changed its tree. */
  async touch(tx: Tx, { company_id, id }: Deployment): Promise<void> {
    await tx.query(
      'UPDATE deployments SET updated_at = greatest(updated_at, clock_timestamp()) WHERE company_id = $1 AND id = $2',
      [company_id, id],
    );
  }

  /** The deployment that `name` names, see {@link find}. @throws NotFound */
  async require(company_id: string, name: string, tx?: Tx): Promise<Deployment> {
    const deployment = await this.find(company_id, name, tx);
    if (deployment === undefined) throw new NotFound('Deployment');
    return deployment;
  }

  /** The deployment with this handle, else the one with exactly this name; undefined when there is neither. */
  async find(company_id: string, name: string, tx: Tx = this.database.manager): Promise<Deployment | undefined> {
    const [deployment]: Deployment[] = await tx.query(deploymentOf('*'), [storableName(name), company_id]);
    return deployment;
  }

  /** The deployment of this id, or null when the company has none or it was deleted. */
  async findById(company_id: string, id: string | null, tx: Tx = this.database.manager): Promise<Deployment | null> {
    return id === null ? null : await tx.findOneBy(Deployment, { company_id, id, deleted_at: IsNull() });
  }

  private async withDigest(deployment: Deployment): Promise<DeploymentDetails> {
    const { company_id, container_id } = deployment;
    return { ...deployment, config_digest: await this.templates.digest({ company_id, container_id }) };
  }
}
