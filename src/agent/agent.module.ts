import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { FilesModule } from '../files/files.module.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ScenariosModule } from '../scenarios/scenarios.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { BudgetsService } from '../usage/budgets.service.js';
import { UsageModule } from '../usage/usage.module.js';
import { Agent } from './agent.js';
import { GuideAgent } from './guide.agent.js';
import { ImagesService } from './images/images.service.js';
import { AgentFilesService } from './tools/agent-files.service.js';
import { AskerRightsService } from './tools/asker-rights.service.js';
import { CardFilesService } from './tools/card-files.service.js';
import { CardToolsService } from './tools/card-tools.service.js';
import { FileToolsService } from './tools/file-tools.service.js';
import { askUserQuestion } from './tools/question-tools.js';
import { ResultToolsService } from './tools/result-tools.service.js';
import { ScenarioToolsService } from './tools/scenario-tools.service.js';
import { SkillToolsService } from './tools/skill-tools.service.js';
import { SolveToolsService } from './tools/solve-tools.service.js';
import { TurnSolvesService } from './tools/turn-solves.service.js';
import { TableToolsService } from './tools/table-tools.service.js';
import type { Tool } from './tools/tool.js';
import { ToolboxesService, TOOLS } from './tools/toolboxes.service.js';

/** Provides the agent that answers turns, and its tools. */
@Module({
  imports: [FilesModule, TablesModule, ProjectsModule, UsageModule, ExecutionsModule, ScenariosModule],
  providers: [
    AgentFilesService,
    AskerRightsService,
    ImagesService,
    FileToolsService,
    TableToolsService,
    SkillToolsService,
    CardFilesService,
    CardToolsService,
    SolveToolsService,
    TurnSolvesService,
    ResultToolsService,
    ScenarioToolsService,
    {
      provide: TOOLS,
      inject: [
        FileToolsService,
        TableToolsService,
        SkillToolsService,
        CardToolsService,
        SolveToolsService,
        ResultToolsService,
        ScenarioToolsService,
      ],
      useFactory: (
        files: FileToolsService,
        tables: TableToolsService,
        skills: SkillToolsService,
        cards: CardToolsService,
        solves: SolveToolsService,
        results: ResultToolsService,
        scenarios: ScenarioToolsService,
      ): Tool[] => [
        files.list,
        files.read,
        files.write,
        tables.describe,
        tables.query,
        skills.read,
        cards.upsert,
        cards.remove,
        solves.run,
        results.result,
        results.values,
        results.constraints,
        scenarios.upsert,
        scenarios.remove,
        scenarios.list,
        scenarios.solve,
        scenarios.compare,
        askUserQuestion,
      ],
    },
    ToolboxesService,
    {
      provide: Agent,
      inject: [Config, ToolboxesService, CardFilesService, ImagesService, BudgetsService, LOGGER],
      useFactory: async (
        config: Config,
        toolboxes: ToolboxesService,
        cardFiles: CardFilesService,
        images: ImagesService,
        budgets: BudgetsService,
        logger: Logger,
      ): Promise<Agent> => {
        if (config.AGENT_PROVIDER === undefined) return new GuideAgent(config, toolboxes, cardFiles);
        // The provider packages load hundreds of modules. A process that is configured without a model does not need them.
        const { LlmAgent } = await import('./llm/llm.agent.js');
        return new LlmAgent(config, toolboxes, images, budgets, logger);
      },
    },
  ],
  exports: [Agent, ToolboxesService],
})
export class AgentModule {}
