import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { ProjectsService } from '../projects.service.js';
import { type CanvasChange, CanvasService } from './canvas.service.js';
import { type CardCreateRequest, CardResponse, type CardUpdateRequest } from './canvas.dto.js';

/** Changes of a canvas by clients, each a transaction that locks the project first. */
@Injectable()
export class CardsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly canvas: CanvasService,
  ) {}

  /** @throws NotFound @throws Conflict when the canvas is full */
  async add(company_id: string, projectId: string, card: CardCreateRequest): Promise<CardResponse> {
    return await this.change(company_id, projectId, (tx, id) => this.canvas.add(tx, id, card));
  }

  /** @throws NotFound @throws Conflict when the card has another version */
  async edit(company_id: string, projectId: string, cardId: string, edit: CardUpdateRequest): Promise<CardResponse> {
    return await this.change(company_id, projectId, (tx, id) => this.canvas.edit(tx, id, cardId, edit));
  }

  /** @throws NotFound */
  async remove(company_id: string, projectId: string, cardId: string): Promise<void> {
    await this.change(company_id, projectId, (tx, id) => this.canvas.remove(tx, id, cardId));
  }

  private async change(
    company_id: string,
    projectId: string,
    work: (tx: Tx, project_id: string) => Promise<CanvasChange>,
  ): Promise<CardResponse> {
    return await this.database.transaction(async (tx) => {
      const { id } = await this.projects.lock(tx, company_id, projectId);
      return CardResponse.from((await work(tx, id)).card);
    });
  }
}
