import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../projects/project-access.js';
import { ClientSignal } from '../common/http/client-signal.js';
import { IfMatch, IfNoneMatch } from '../common/etag/conditions.js';
import { ExpectedTags, ClientTags } from '../common/etag/entity-tag.js';
import type { Tagged } from '../common/etag/tagged.js';
import type { CsvText } from '../common/http/csv-text.js';
import { WantsCsv } from '../common/http/wants-csv.js';
import { WalkQuery } from '../common/listing/walk.query.js';
import { EXAMPLE } from '../common/openapi/examples.js';
import { Operation } from '../common/openapi/operation.js';
import { ScenarioComparisonQuery, ScenarioComparisonResponse } from './scenario-comparison.dto.js';
import { ScenarioComparisonService } from './scenario-comparison.service.js';
import { ScenarioSolvesService } from './scenario-solves.service.js';
import {
  ScenarioCreateRequest,
  ScenarioListResponse,
  ScenarioResponse,
  ScenarioSolveRequest,
  ScenarioSolveResponse,
  ScenarioUpdateRequest,
} from './scenarios.dto.js';
import { ScenariosService } from './scenarios.service.js';

@Controller('projects/:project_id/scenarios')
export class ScenariosController {
  constructor(
    private readonly scenarios: ScenariosService,
    private readonly solves: ScenarioSolvesService,
    private readonly comparison: ScenarioComparisonService,
  ) {}

  @Post()
  @Operation({
    tag: 'Scenarios',
    summary: 'Create scenario',
    example: { name: 'Longer days', changes: [{ kind: 'value', target: EXAMPLE.value, times: 1.25 }] },
    description:
      'Creates a named set of changes to the canvas. Returns 422 for a change that does not apply to the canvas. A ' +
      'project has at most 100 scenarios.',
    status: 201,
    response: ScenarioResponse,
    errors: ['scenario_exists', 'too_many_scenarios'],
    idempotent: true,
    extension: true,
  })
  async createScenario(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ScenarioCreateRequest,
  ): Promise<ScenarioResponse> {
    return await this.scenarios.create(editor, projectId, body);
  }

  @Get()
  @Operation({
    tag: 'Scenarios',
    summary: 'List scenarios',
    description: 'Newest first.',
    response: ScenarioListResponse,
    extension: true,
  })
  async listScenarios(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: WalkQuery,
  ): Promise<ScenarioListResponse> {
    return ScenarioListResponse.from(await this.scenarios.list(reader, projectId, query), query);
  }

  @Post('solve')
  @Operation({
    tag: 'Scenarios',
    summary: 'Solve scenarios',
    example: { scenario_ids: [EXAMPLE.scenario_id], include_base: true },
    description:
      'Starts an execution for each scenario. If one of them cannot start, none of them do. All executions use the ' +
      'same state of the canvas: the state at the time of the request, or the current snapshot in run mode. They ' +
      'count as a single waiting execution. Returns 429 if the company has 20 waiting executions, and 422 for a ' +
      'scenario that no longer applies.',
    status: 201,
    response: ScenarioSolveResponse,
    errors: ['budget_exhausted', 'too_many_executions'],
    idempotent: true,
    extension: true,
  })
  async solveScenarios(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: ScenarioSolveRequest,
  ): Promise<ScenarioSolveResponse> {
    return await this.solves.solve(editor, projectId, body);
  }

  @Get('compare')
  @Operation({
    tag: 'Scenarios',
    summary: 'Compare scenarios',
    description:
      'Compares the latest finished run of each scenario with the latest finished run of the canvas. With `Accept: ' +
      'text/csv`, returns one line per run and no ETag.',
    response: ScenarioComparisonResponse,
    csv: true,
    tagged: true,
    errors: ['comparison_too_large', 'store_full'],
    extension: true,
  })
  async compareScenarios(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Query() query: ScenarioComparisonQuery,
    @WantsCsv() wantsCsv: boolean,
    @IfNoneMatch() clientTags: ClientTags,
    @ClientSignal() signal: AbortSignal,
  ): Promise<Tagged<ScenarioComparisonResponse> | CsvText> {
    const ids = ScenarioComparisonQuery.idsIn(query);
    if (!wantsCsv) return await this.comparison.compareTagged(reader, projectId, ids, clientTags, signal);
    return ScenarioComparisonResponse.csv(await this.comparison.compare(reader, projectId, ids, signal));
  }

  @Get(':scenario_id')
  @Operation({
    tag: 'Scenarios',
    summary: 'Get scenario',
    description: 'Returns the scenario with its changes.',
    response: ScenarioResponse,
    tagged: true,
    extension: true,
  })
  async getScenario(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('scenario_id') scenarioId: string,
  ): Promise<Tagged<ScenarioResponse>> {
    return ScenarioResponse.tagged(await this.scenarios.get(reader, projectId, scenarioId));
  }

  @Patch(':scenario_id')
  @Operation({
    tag: 'Scenarios',
    summary: 'Update scenario',
    example: { name: 'Three shifts', changes: [{ kind: 'value', target: EXAMPLE.value, times: 3 }] },
    description: '`changes` replaces all earlier changes. Returns 422 for a change that does not apply to the canvas.',
    response: ScenarioResponse,
    errors: ['scenario_exists'],
    tagged: true,
    extension: true,
  })
  async updateScenario(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('scenario_id') scenarioId: string,
    @Body() body: ScenarioUpdateRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<ScenarioResponse>> {
    return ScenarioResponse.tagged(await this.scenarios.update(editor, projectId, scenarioId, body, expected));
  }

  @Delete(':scenario_id')
  @Operation({
    tag: 'Scenarios',
    summary: 'Delete scenario',
    description: 'Deletes the scenario and keeps its executions.',
    status: 204,
    tagged: true,
    extension: true,
  })
  async deleteScenario(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('scenario_id') scenarioId: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.scenarios.delete(editor, projectId, scenarioId, expected);
  }
}
