import { Body, Controller, Delete, Param, Patch, Post } from '@nestjs/common';
import { EditingCaller, ProjectEditor } from '../project-access.js';
import { RequestOnce } from '../../platform/idempotency/idempotency.interceptor.js';
import { Once } from '../../platform/idempotency/once.js';
import { Operation } from '../../platform/openapi/operation.js';
import { CardCreateRequest, CardResponse, CardUpdateRequest } from './canvas.dto.js';
import { CardsService } from './cards.service.js';

@Controller('projects/:project_id/cards')
export class CanvasController {
  constructor(private readonly cards: CardsService) {}

  @Post()
  @Operation({
    tag: 'Projects',
    summary: 'Create card',
    example: { card_type: 'variable', label: 'Chairs', data: { unit: 'pieces', lower: 0 } },
    description:
      'Only type and label are required; `gaps` lists what the card still lacks. A canvas has at most 500 cards ' +
      'with 4 MiB of data.',
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
    @RequestOnce() once: Once<CardResponse>,
  ): Promise<CardResponse> {
    return await this.cards.add(editor, projectId, body, once);
  }

  @Patch(':card_id')
  @Operation({
    tag: 'Projects',
    summary: 'Update card',
    example: { label: 'Chairs a week' },
    description: '409 if the card has changed since `version`.',
    response: CardResponse,
    errors: ['canvas_full', 'version_conflict'],
    extension: true,
  })
  async updateCard(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('card_id') cardId: string,
    @Body() body: CardUpdateRequest,
  ): Promise<CardResponse> {
    return await this.cards.edit(editor, projectId, cardId, body);
  }

  @Delete(':card_id')
  @Operation({
    tag: 'Projects',
    summary: 'Delete card',
    description: 'Removes it from the canvas and updates completeness.',
    status: 204,
    extension: true,
  })
  async deleteCard(
    @EditingCaller() editor: ProjectEditor,
    @Param('project_id') projectId: string,
    @Param('card_id') cardId: string,
  ): Promise<void> {
    await this.cards.remove(editor, projectId, cardId);
  }
}
