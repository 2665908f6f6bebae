import { Controller, Get, Header, UseFilters } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { Public } from '../auth/decorators.js';
import { Operation } from '../common/openapi/operation.js';
import { LivenessResponse, ReadinessResponse } from './health.dto.js';
import { HealthService } from './health.service.js';
import { NotReadyFilter } from './not-ready.filter.js';

/** Health checks for operators, outside `/api/v1`. */
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Header('Cache-Control', 'no-store')
  @Operation({
    tag: 'Health',
    summary: 'Get liveness',
    description:
      'Responds while the process runs, even if its dependencies are down. Restart a process that does not respond.',
    response: LivenessResponse,
    extension: true,
    isPublic: true,
  })
  getLiveness(): LivenessResponse {
    return { status: 'ok' };
  }

  @Get('ready')
  @Header('Cache-Control', 'no-store')
  @UseFilters(NotReadyFilter)
  @ApiResponse({ status: 503, description: 'Not ready for requests', type: ReadinessResponse })
  @Operation({
    tag: 'Health',
    summary: 'Get readiness',
    description:
      'Returns whether this process is ready for requests, and the state of its dependencies. Responds within a few ' +
      'seconds.',
    response: ReadinessResponse,
    extension: true,
    isPublic: true,
  })
  async getReadiness(): Promise<ReadinessResponse> {
    return await this.health.readiness();
  }
}
