import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { ProjectsService } from '../projects/projects.service.js';
import { Execution } from './execution.entity.js';

/** Solve executions of projects. */
@Injectable()
export class ExecutionsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
  ) {}

  /** A project's executions, most recent first. */
  async list(company_id: string, projectId: string, { limit, offset }: PageQuery): Promise<Page<Execution>> {
    const { id: project_id } = await this.projects.require(company_id, projectId);
    const [rows, total] = await this.database.manager.findAndCount(Execution, {
      where: { project_id },
      order: { created_at: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { rows, total };
  }
}
