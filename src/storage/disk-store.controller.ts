import { Controller, Get, Headers, Param, Put, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../auth/decorators.js';
import { DiskTransfersService } from './disk-transfers.service.js';

/**
 * Serves the disk store's signed URLs. Their signature grants access. The URLs are not part of `/api/v1` or the OpenAPI
 * document.
 */
@Public()
@ApiExcludeController()
@Controller('store')
export class DiskStoreController {
  constructor(private readonly transfers: DiskTransfersService) {}

  @Put(':folder/:name')
  async receivePart(
    @Param('folder') folder: string,
    @Param('name') name: string,
    @Query() query: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.set('ETag', await this.transfers.receive(`${folder}/${name}`, query, request));
  }

  @Get(':folder/:name')
  async sendObject(
    @Param('folder') folder: string,
    @Param('name') name: string,
    @Query() query: unknown,
    @Headers('range') range: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { status, headers, body } = await this.transfers.send(`${folder}/${name}`, query, range);
    // Express's own setter would add a charset to the content type.
    response.status(status).setHeaders(new Map(Object.entries(headers)));
    return new StreamableFile(body);
  }
}
