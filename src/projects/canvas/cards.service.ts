import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.service.js';
import { parseId } from '../../platform/errors/errors.js';
import { Once } from '../../platform/idempotency/once.js';
import { ProjectsRepository } from '../projects.repository.js';
import { type CanvasChange, CanvasEditor } from './canvas-editor.service.js';
import { type CardCreateRequest, CardResponse, type CardUpdateRequest } from './canvas.dto.js';
import type { Card } from './card.entity.js';
import { CardsRepository } from './cards.repository.js';
import type { ProjectId } from '../project.entity.js';
import type { ProjectEditor, ProjectReader } from '../project-access.js';

/** What clients do with a canvas. Each change is a transaction that locks the project first. */
@Injectable()
export class CardsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly editor: CanvasEditor,
  ) {}

  /** The whole canvas, oldest card first. @throws NotFound */
  async list(reader: ProjectReader, projectId: string): Promise<Card[]> {
    const cards = await this.cards.listOf(reader, parseId(projectId, 'Project'));
    if (cards.length === 0) await this.projects.require(reader, projectId);
    return cards;
  }

  /** @throws NotFound @throws Conflict when the canvas is full */
  async add(
    editor: ProjectEditor,
    projectId: string,
    card: CardCreateRequest,
    once = Once.unkept<CardResponse>(),
  ): Promise<CardResponse> {
    return await this.change(editor, projectId, (tx, id) => this.editor.add(tx, id, card), once);
  }

  /** @throws NotFound @throws Conflict when the card has another version */
  async edit(editor: ProjectEditor, projectId: string, cardId: string, edit: CardUpdateRequest): Promise<CardResponse> {
    return await this.change(editor, projectId, (tx, id) => this.editor.edit(tx, id, cardId, edit));
  }

  /** @throws NotFound */
  async remove(editor: ProjectEditor, projectId: string, cardId: string): Promise<void> {
    await this.change(editor, projectId, (tx, id) => this.editor.remove(tx, id, cardId));
  }

  private async change(
    editor: ProjectEditor,
    projectId: string,
    work: (tx: Tx, id: ProjectId) => Promise<CanvasChange>,
    once = Once.unkept<CardResponse>(),
  ): Promise<CardResponse> {
    return await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lock(editor, projectId);
      return await once.do(tx, async () => CardResponse.from((await work(tx, id)).card));
    });
  }
}
