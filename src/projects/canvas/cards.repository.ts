import { EntityRepository } from '../../platform/database/entity-repository.js';
import { NotFound, parseId } from '../../platform/errors/errors.js';
import type { ProjectReader } from '../project-access.js';
import { projectOf } from '../project-access.sql.js';
import { Card } from './card.entity.js';
import type { Judgement } from './derivation.js';
import type { ProjectId } from '../project.entity.js';

/** The cards of projects. For changes the caller has locked the project. */
export class CardsRepository extends EntityRepository(Card) {
  /** All cards of a project, oldest first. */
  async list(project_id: ProjectId): Promise<Card[]> {
    return await this.query('SELECT * FROM cards WHERE project_id = $1 ORDER BY created_at, id', [project_id]);
  }

  /** The same for somebody who has not made sure yet that they may see the project: none where they may not. */
  async listOf(reader: ProjectReader, project_id: string): Promise<Card[]> {
    return await this.query(
      `SELECT * FROM cards WHERE project_id = ${projectOf(reader.access('$1'), '$2')} ORDER BY created_at, id`,
      [reader.parameter, project_id],
    );
  }

  /** @throws NotFound */
  async require(project_id: ProjectId, cardId: string): Promise<Card> {
    const card = await this.findOneBy({ project_id, id: parseId(cardId, 'Card') });
    if (card === null) throw new NotFound('Card');
    return card;
  }

  /** Adds a card as a draft. */
  async add(
    project_id: ProjectId,
    { card_type, label, data, instance_data }: Pick<Card, 'card_type' | 'label' | 'data' | 'instance_data'>,
  ): Promise<Card> {
    const [added]: Card[] = await this.query(
      `INSERT INTO cards (project_id, card_type, label, status, data, instance_data, created_at, updated_at)
       SELECT $1, $2, $3, 'draft', $4, $5, moment, moment FROM clock_timestamp() moment RETURNING *`,
      [project_id, card_type, label, data, instance_data],
    );
    if (added === undefined) throw new Error('The card was not created');
    return added;
  }

  /** Gives a card its next version. */
  async change(
    project_id: ProjectId,
    id: string,
    { label, data, instance_data }: Pick<Card, 'label' | 'data' | 'instance_data'>,
  ): Promise<void> {
    await this.query(
      `UPDATE cards SET label = $3, data = $4, instance_data = $5, version = version + 1, updated_at = clock_timestamp()
        WHERE project_id = $1 AND id = $2`,
      [project_id, id, label, data, instance_data],
    );
  }

  /** Keeps what was derived of cards; their versions stay. */
  async judge(project_id: ProjectId, judged: readonly (Pick<Card, 'id'> & Judgement)[]): Promise<void> {
    await this.query(
      `UPDATE cards c SET gaps = j.gaps, status = j.status
           FROM jsonb_to_recordset($2::jsonb) AS j (id uuid, gaps jsonb, status text)
          WHERE c.project_id = $1 AND c.id = j.id`,
      [project_id, JSON.stringify(judged.map(({ id, gaps, status }) => ({ id, gaps, status })))],
    );
  }

  /** How many cards a project has, and the bytes of `data` and `instance_data` of all of them as JSON. */
  async size(project_id: ProjectId): Promise<{ cards: number; bytes: number }> {
    const [held]: { cards: number; bytes: number | null }[] = await this.query(
      `SELECT count(*)::integer AS cards,
              sum(octet_length(data::text) + octet_length(instance_data::text))::float8 AS bytes
         FROM cards WHERE project_id = $1`,
      [project_id],
    );
    return { cards: held?.cards ?? 0, bytes: held?.bytes ?? 0 };
  }
}
