import { Controller, Get, Header, Headers, Ip } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/decorators.js';
import { MetricsAccessService } from './metrics-access.service.js';

/** Metrics for Prometheus, outside `/api/v1` and the OpenAPI document. */
@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly access: MetricsAccessService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async getMetrics(
    @Headers('authorization') authorization: string | undefined,
    @Ip() address: string | undefined,
  ): Promise<string> {
    return await this.access.scrape(authorization, address);
  }
}
