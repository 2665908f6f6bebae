import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { Card } from './card.entity.js';

/** The cards of projects. The caller has made sure that the project is the company's. */
@Injectable()
export class CanvasService {
  constructor(private readonly database: Database) {}

  /** All cards of a project, oldest first. */
  async list(project_id: string, tx: Tx = this.database.manager): Promise<Card[]> {
    return await tx.find(Card, { where: { project_id }, order: { created_at: 'ASC', id: 'ASC' } });
  }
}
