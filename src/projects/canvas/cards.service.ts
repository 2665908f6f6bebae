import type { ProjectId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../../events/project-events.service.js';
import { DatabaseService, type Tx } from '../../database/database.service.js';
import { NotFound, parseId } from '../../common/errors/errors.js';
import { assertExpected } from '../../common/etag/conditions.js';
import type { ExpectedTags, KnownTags } from '../../common/etag/entity-tag.js';
import { Tagged } from '../../common/etag/tagged.js';
import type { JsonBytes } from '../../common/http/json-text.js';
import { ProjectsRepository } from '../projects.repository.js';
import { type CanvasChange, CanvasEditorService } from './canvas-editor.service.js';
import { type CardCreateRequest, CardListResponse, CardResponse, type CardUpdateRequest } from './canvas.dto.js';
import type { Card } from './card.entity.js';
import { CardsRepository, cardTag } from './cards.repository.js';
import { RecentCanvasesService } from './recent-canvases.service.js';
import type { ProjectEditor, ProjectReader } from '../project-access.js';

/** What clients do with a canvas. Each change is a transaction that locks the project first. */
@Injectable()
export class CardsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly recent: RecentCanvasesService,
    private readonly editor: CanvasEditorService,
    private readonly events: ProjectEventsService,
  ) {}

  /** The whole canvas, oldest card first, unless the caller has it already. @throws NotFound */
  async list(reader: ProjectReader, projectId: string, known: KnownTags): Promise<Tagged<JsonBytes>> {
    const project_id = parseId(projectId, 'Project');
    const tag = await this.cards.tag(reader, project_id);
    if (known.has(tag)) return Tagged.unchanged(tag);
    const recent = this.recent.find(project_id, tag);
    if (recent !== undefined) return recent;
    const read = await this.cards.showAll(reader, project_id);
    return this.recent.keep(project_id, read.tag, JSON.stringify(CardListResponse.from(read.cards)));
  }

  /** @throws NotFound */
  async get(reader: ProjectReader, projectId: string, cardId: string): Promise<Card> {
    const card = await this.cards.show(reader, parseId(projectId, 'Project'), cardId);
    if (card !== undefined) return card;
    await this.projects.require(reader, projectId);
    throw new NotFound('Card');
  }

  /** @param wantedId the id it gets; default a new one @throws NotFound @throws Conflict when the canvas is full */
  async add(
    editor: ProjectEditor,
    projectId: string,
    card: CardCreateRequest,
    wantedId?: string,
  ): Promise<CardResponse> {
    return await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return await editor.once(tx, async () => CardResponse.from((await this.editor.add(tx, id, card, wantedId)).card));
    });
  }

  /** @throws NotFound @throws PreconditionFailed @throws Conflict when the card has another version */
  async edit(
    editor: ProjectEditor,
    projectId: string,
    cardId: string,
    edit: CardUpdateRequest,
    expected: ExpectedTags,
  ): Promise<Card> {
    return await this.change(editor, projectId, async (tx, id) => {
      await this.assertExpected(tx, id, cardId, expected);
      return await this.editor.edit(tx, id, cardId, edit);
    });
  }

  /** @throws NotFound @throws PreconditionFailed */
  async remove(editor: ProjectEditor, projectId: string, cardId: string, expected: ExpectedTags): Promise<void> {
    await this.change(editor, projectId, async (tx, id) => {
      await this.assertExpected(tx, id, cardId, expected);
      return await this.editor.remove(tx, id, cardId);
    });
  }

  private async assertExpected(tx: Tx, project_id: ProjectId, cardId: string, expected: ExpectedTags): Promise<void> {
    await assertExpected(expected, async () =>
      cardTag(await tx.withRepository(this.cards).require(project_id, cardId)),
    );
  }

  private async change(
    editor: ProjectEditor,
    projectId: string,
    work: (tx: Tx, id: ProjectId) => Promise<CanvasChange>,
  ): Promise<Card> {
    return await this.database.transaction(async (tx) => {
      const { id } = await tx.withRepository(this.projects).lock(editor, projectId);
      this.events.by(tx, editor.caller);
      return (await work(tx, id)).card;
    });
  }
}
