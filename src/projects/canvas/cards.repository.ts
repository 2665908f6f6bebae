import type { CardId, ProjectId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { sharedRead } from '../../database/shared-reads.js';
import { NotFound, parseId } from '../../common/errors/errors.js';
import { entityTag } from '../../common/etag/entity-tag.js';
import type { ProjectReader } from '../project-access.js';
import { isVisible, projectOf } from '../project-access.sql.js';
import type { Judgement } from '../../../packages/canvas/index.js';
import { Card } from './card.entity.js';

/** Columns shown in a CardResponse. */
const SHOWN = [
  ...(['id', 'project_id', 'card_type', 'label', 'status', 'version'] as const),
  ...(['data', 'gaps', 'created_at', 'updated_at', 'instance_data'] as const),
];
export type ShownCard = Pick<Card, (typeof SHOWN)[number]>;

/** Returns the entity tag for all cards in a project. @throws NotFound if there is no row for the project */
function tagOfAll([project]: readonly { cards_revision: string }[]): string {
  if (project === undefined) throw new NotFound('Project');
  return entityTag('cards', project.cards_revision);
}

/**
 * Returns the entity tag of a card. It contains the revision instead of the version, because gaps also depend on other cards
 * and files.
 */
export const cardTag = ({ revision }: Pick<Card, 'revision'>): string => entityTag('card', revision);

const REVISION = `SELECT p.cards_revision FROM projects p WHERE p.id = $2 AND ${isVisible('p', '$1')}`;
const ALL = `
  SELECT ${SHOWN.map((column) => `c.${column}`).join(', ')}, p.cards_revision
    FROM projects p LEFT JOIN cards c ON c.project_id = p.id
   WHERE p.id = $2 AND ${isVisible('p', '$1')} ORDER BY c.created_at, c.id`;

/** Stores project cards. The caller must have locked the project before changing them. */
export class CardsRepository extends EntityRepository(Card) {
  /** Returns all cards in a project, oldest first. */
  async list(project_id: ProjectId): Promise<Card[]> {
    return await this.query('SELECT * FROM cards WHERE project_id = $1 ORDER BY created_at, id', [project_id]);
  }

  /** Returns all cards in a project, oldest first. Returns an empty array if the project is not visible to the caller. */
  async listVisible(reader: ProjectReader, project_id: string): Promise<Card[]> {
    return await this.query(`SELECT * FROM cards WHERE project_id = ${projectOf('$1', '$2')} ORDER BY created_at, id`, [
      reader.parameter,
      project_id,
    ]);
  }

  /**
   * Returns the entity tag for all cards in a project that is visible to the caller.
   * @throws NotFound if the project does not exist or is not visible
   */
  async tag(reader: ProjectReader, project_id: string): Promise<string> {
    const parameters = [reader.parameter, project_id];
    return tagOfAll(await sharedRead<{ cards_revision: string }[]>(this.manager, REVISION, parameters));
  }

  /**
   * Returns all cards in a project that is visible to the caller, oldest first, with their entity tag.
   * @throws NotFound if the project does not exist or is not visible
   */
  async showAll(reader: ProjectReader, project_id: string): Promise<{ tag: string; cards: ShownCard[] }> {
    const rows: (ShownCard & { cards_revision: string })[] = await this.query(ALL, [reader.parameter, project_id]);
    // A project without cards yields a single row without a card.
    return { tag: tagOfAll(rows), cards: rows[0]?.id == null ? [] : rows };
  }

  /** Returns a card in a project that is visible to the caller, or undefined if the card does not exist. */
  async show(reader: ProjectReader, project_id: string, cardId: string): Promise<Card | undefined> {
    const [card]: Card[] = await this.query(
      `SELECT * FROM cards WHERE project_id = ${projectOf('$1', '$2')} AND id = $3`,
      [reader.parameter, project_id, parseId(cardId, 'Card')],
    );
    return card;
  }

  /**
   * Returns a card in a project.
   * @throws NotFound
   */
  async require(project_id: ProjectId, cardId: string): Promise<Card> {
    const [card]: Card[] = await this.query('SELECT * FROM cards WHERE project_id = $1 AND id = $2', [
      project_id,
      parseId(cardId, 'Card'),
    ]);
    if (card === undefined) throw new NotFound('Card');
    return card;
  }

  /** Adds a card as a draft. */
  async add(
    project_id: ProjectId,
    { card_type, label, data, instance_data }: Pick<Card, 'card_type' | 'label' | 'data' | 'instance_data'>,
    wantedId: string | null = null,
  ): Promise<Card> {
    const [added]: Card[] = await this.query(
      `INSERT INTO cards (project_id, card_type, label, status, data, instance_data, created_at, updated_at, id)
       SELECT $1, $2, $3, 'draft', $4, $5, moment, moment, coalesce($6, uuidv7()) FROM clock_timestamp() moment RETURNING *`,
      [project_id, card_type, label, data, instance_data, wantedId],
    );
    if (added === undefined) throw new Error('The card was not created');
    return added;
  }

  /** Changes a card and increments its version. */
  async change(
    project_id: ProjectId,
    id: CardId,
    { label, data, instance_data }: Pick<Card, 'label' | 'data' | 'instance_data'>,
  ): Promise<void> {
    await this.query(
      `UPDATE cards SET label = $3, data = $4, instance_data = $5, version = version + 1, updated_at = clock_timestamp()
        WHERE project_id = $1 AND id = $2`,
      [project_id, id, label, data, instance_data],
    );
  }

  /**
   * Stores the derived gaps and status of cards, and returns the new revisions by card id. The versions of the cards do not
   * change.
   */
  async judge(project_id: ProjectId, judged: readonly (Pick<Card, 'id'> & Judgement)[]): Promise<Map<string, string>> {
    const [rows]: [Pick<Card, 'id' | 'revision'>[], number] = await this.query(
      `UPDATE cards c SET gaps = j.gaps, status = j.status
           FROM jsonb_to_recordset($2::jsonb) AS j (id uuid, gaps jsonb, status text)
          WHERE c.project_id = $1 AND c.id = j.id
      RETURNING c.id, c.revision`,
      [project_id, JSON.stringify(judged.map(({ id, gaps, status }) => ({ id, gaps, status })))],
    );
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  /** Returns the number of a project's cards, and the total size of their `data` and `instance_data` in bytes of JSON. */
  async size(project_id: ProjectId): Promise<{ cards: number; bytes: number }> {
    const [row]: { cards: number; bytes: number | null }[] = await this.query(
      `SELECT count(*)::integer AS cards,
              sum(octet_length(data::text) + octet_length(instance_data::text))::float8 AS bytes
         FROM cards WHERE project_id = $1`,
      [project_id],
    );
    return { cards: row?.cards ?? 0, bytes: row?.bytes ?? 0 };
  }
}
