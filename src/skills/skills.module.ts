import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { FilesModule } from '../files/files.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AgentConfigService } from './agent-config.service.js';
import { DeploymentConfigController } from './deployment-config.controller.js';
import { DeploymentSkillsService } from './deployment-skills.service.js';
import { InstructionsService } from './instructions.service.js';
import { EffectiveConfigService } from './effective-config.service.js';
import { ProjectSkillsController } from './project-skills.controller.js';
import { ProjectSkillsService } from './project-skills.service.js';
import { SkillSetsService } from './skill-sets.service.js';

/** Manages the skills and instructions of deployments and projects, and resolves the effective configuration of turns. */
@Module({
  imports: [FilesModule, DeploymentsModule, ProjectsModule],
  controllers: [ProjectSkillsController, DeploymentConfigController],
  providers: [
    SkillSetsService,
    InstructionsService,
    ProjectSkillsService,
    DeploymentSkillsService,
    AgentConfigService,
    EffectiveConfigService,
  ],
  exports: [EffectiveConfigService, InstructionsService, DeploymentSkillsService],
})
export class SkillsModule {}
