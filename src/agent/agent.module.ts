import { Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { FilesModule } from '../files/files.module.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ScenariosModule } from '../scenarios/scenarios.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { Budgets } from '../usage/budgets.service.js';
import { UsageModule } from '../usage/usage.module.js';
import { Agent } from './agent.js';
import { GuideAgent } from './guide/guide.agent.js';
import { Images } from './images/images.service.js';
import { AgentFiles } from './tools/agent-files.service.js';
import { AskerRights } from './tools/asker-rights.service.js';
import { CardFiles } from './tools/card-files.service.js';
import { CardTools } from './tools/card-tools.service.js';
import { FileTools } from './tools/file-tools.service.js';
import { askUserQuestion } from './tools/question-tools.js';
import { ResultTools } from './tools/result-tools.service.js';
import { ScenarioTools } from './tools/scenario-tools.service.js';
import { SkillTools } from './tools/skill-tools.service.js';
import { SolveTools } from './tools/solve-tools.service.js';
import { TableTools } from './tools/table-tools.service.js';
import type { Tool } from './tools/tool.js';
import { Toolboxes, TOOLS } from './tools/toolbox.service.js';

/** Who answers turns, and with what tools. */
@Module({
  imports: [FilesModule, TablesModule, ProjectsModule, UsageModule, ExecutionsModule, ScenariosModule],
  providers: [
    AgentFiles,
    AskerRights,
    Images,
    FileTools,
    TableTools,
    SkillTools,
    CardFiles,
    CardTools,
    SolveTools,
    ResultTools,
    ScenarioTools,
    {
      provide: TOOLS,
      inject: [FileTools, TableTools, SkillTools, CardTools, SolveTools, ResultTools, ScenarioTools],
      useFactory: (
        files: FileTools,
        tables: TableTools,
        skills: SkillTools,
        cards: CardTools,
        solves: SolveTools,
        results: ResultTools,
        scenarios: ScenarioTools,
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
    Toolboxes,
    {
      provide: Agent,
      inject: [Config, Toolboxes, CardFiles, Images, Budgets, LOGGER],
      useFactory: async (
        config: Config,
        toolboxes: Toolboxes,
        cardFiles: CardFiles,
        images: Images,
        budgets: Budgets,
        logger: Logger,
      ): Promise<Agent> => {
        if (config.AGENT_PROVIDER === undefined) return new GuideAgent(config, toolboxes, cardFiles);
        // The providers' packages are hundreds of modules, which a start without a model need not wait for.
        const { LlmAgent } = await import('./llm/llm.agent.js');
        return new LlmAgent(config, toolboxes, images, budgets, logger);
      },
    },
  ],
  exports: [Agent, Toolboxes],
})
export class AgentModule {}
