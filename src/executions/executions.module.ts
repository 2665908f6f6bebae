import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';

/** Runs of the solver. */
@Module({ imports: [ProjectsModule], controllers: [ExecutionsController], providers: [ExecutionsService] })
export class ExecutionsModule {}
