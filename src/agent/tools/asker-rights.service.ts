import { Injectable } from '@nestjs/common';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { ProjectEditor, ProjectReader } from '../../projects/project-access.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { AgentContext } from '../agent.js';

/** Restricts an agent to the rights that its asker has at the time of each call. */
@Injectable()
export class AskerRightsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
  ) {}

  /** Checks that a call may read the turn's project. @throws NotFound */
  async assertReads({ principal, project_id }: AgentContext): Promise<void> {
    await this.database.manager.withRepository(this.projects).require(ProjectReader.of(principal), project_id);
  }

  /** Checks that a call may change the turn's project. @throws NotFound @throws Forbidden */
  async assertWrites(tx: Tx, { principal, project_id }: AgentContext): Promise<void> {
    await tx.withRepository(this.projects).require(ProjectEditor.of(principal), project_id);
  }
}
