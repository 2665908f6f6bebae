import { Module } from '@nestjs/common';
import { Agent } from './agent.js';
import { GuideAgent } from './guide/guide.agent.js';

/** Who answers turns. */
@Module({ providers: [{ provide: Agent, useClass: GuideAgent }], exports: [Agent] })
export class AgentModule {}
