import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { EditingCaller, ProjectEditor, ProjectReader, ReadingCaller } from '../project-access.js';
import { IfMatch } from '../../common/etag/conditions.js';
import { ExpectedTags } from '../../common/etag/entity-tag.js';
import type { Tagged } from '../../common/etag/tagged.js';
import { Operation } from '../../common/openapi/operation.js';
import { CardCreateRequest, CardResponse, CardUpdateRequest } from './canvas.dto.js';
import { CardsService } from './cards.service.js';

@Controller('projects/:project_id/cards')
export class CanvasController {
  constructor(private readonly cards: CardsService) {}

  @Post()
  @Operation({
    tag: 'Canvas',
    summary: 'Create card',
    example: {
      card_type: 'kpi',
      label: 'Pieces',
      data: { expression: 'sum p in products: make[p]', unit: 'pieces', description: 'Chairs and tables in a week' },
    },
    description:
      'Only type and label are required. The response lists missing information in `gaps`. A canvas can have at ' +
      'most 500 cards with 4 MiB of data in total.',
    status: 201,
    response: CardResponse,
    errors: ['canvas_full'],
    idempotent: true,
    extension: true,
  })
  async createCard(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Body() body: CardCreateRequest,
  ): Promise<CardResponse> {
    return await this.cards.add(editor, projectId, body);
  }

  @Get(':card_id')
  @Operation({
    tag: 'Canvas',
    summary: 'Get card',
    description: 'Returns the card with its gaps.',
    response: CardResponse,
    tagged: true,
    extension: true,
  })
  async getCard(
    @ReadingCaller() reader: ProjectReader,
    @Param('project_id') projectId: string,
    @Param('card_id') cardId: string,
  ): Promise<Tagged<CardResponse>> {
    return CardResponse.tagged(await this.cards.get(reader, projectId, cardId));
  }

  @Patch(':card_id')
  @Operation({
    tag: 'Canvas',
    summary: 'Update card',
    example: { version: 1, label: 'Working hours a week' },
    description: 'Returns 409 if the card has changed since `version`.',
    response: CardResponse,
    errors: ['canvas_full', 'version_conflict'],
    tagged: true,
    extension: true,
  })
  async updateCard(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('card_id') cardId: string,
    @Body() body: CardUpdateRequest,
    @IfMatch() expected: ExpectedTags,
  ): Promise<Tagged<CardResponse>> {
    return CardResponse.tagged(await this.cards.edit(editor, projectId, cardId, body, expected));
  }

  @Delete(':card_id')
  @Operation({
    tag: 'Canvas',
    summary: 'Delete card',
    description: 'Removes the card from the canvas and updates completeness.',
    status: 204,
    tagged: true,
    extension: true,
  })
  async deleteCard(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('card_id') cardId: string,
    @IfMatch() expected: ExpectedTags,
  ): Promise<void> {
    await this.cards.remove(editor, projectId, cardId, expected);
  }
}
