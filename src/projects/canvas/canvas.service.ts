import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { Conflict, Invalid, invalidValue, NotFound, parseId } from '../../platform/errors/errors.js';
import { projectOf } from '../projects.queries.js';
import { Card } from './card.entity.js';
import { dataProblem } from './canvas.dto.js';
import { type Derived, judgeAndDerive } from './derivation.js';
import { modelDigest } from './model-digest.js';

/** Most cards of a project, and bytes of their data as JSON: each change looks at all of them, each post answers them. */
const MOST_CARDS = 500;
const MOST_BYTES = 4 * 1024 ** 2;
/** Most bytes of a project's objective components: listings show them of a thousand projects at once. */
const MOST_COMPONENT_BYTES = 16 * 1024;

export type NewCard = Pick<Card, 'card_type' | 'label'> & Partial<Pick<Card, 'data' | 'instance_data'>>;

/** Absent fields stay; of objects the given keys are set and null removes one. */
export interface CardEdit {
  label?: string | undefined;
  data?: Card['data'] | undefined;
  instance_data?: Card['instance_data'] | undefined;
  /** The version that the edit was made for; absent: whichever is there. */
  version?: number | undefined;
}

/** What a change has done to a canvas. */
export interface CanvasChange {
  /** The card as it is now; as it was last when it has been removed. */
  card: Card;
  /** Every card that is no longer as it was, in the order of the canvas: gaps follow from other cards, too. */
  changed: Card[];
}

/**
 * The cards of projects. The caller has made sure that the project is the company's, and for changes has locked it.
 *
 * What follows from the cards is stored in the same transaction: gaps and status with them, the rest with the project.
 */
@Injectable()
export class CanvasService {
  constructor(private readonly database: Database) {}

  /** All cards of a project, oldest first. */
  async list(project_id: string, tx: Tx = this.database.manager): Promise<Card[]> {
    return await tx.query('SELECT * FROM cards WHERE project_id = $1 ORDER BY created_at, id', [project_id]);
  }

  /** The same for somebody who has not made sure yet whose project it is: none in another company's. */
  async listOf(company_id: string, project_id: string): Promise<Card[]> {
    return await this.database.manager.query(
      `SELECT * FROM cards WHERE project_id = ${projectOf('$1', '$2')} ORDER BY created_at, id`,
      [company_id, project_id],
    );
  }

  /** @throws Conflict when the canvas is full */
  async add(tx: Tx, project_id: string, { card_type, label, data, instance_data }: NewCard): Promise<CanvasChange> {
    const [added]: Card[] = await tx.query(
      `INSERT INTO cards (project_id, card_type, label, status, data, instance_data, created_at, updated_at)
       SELECT $1, $2, $3, 'draft', $4, $5, moment, moment FROM clock_timestamp() moment RETURNING *`,
      [project_id, card_type, label, merged({}, data), merged({}, instance_data)],
    );
    if (added === undefined) throw new Error('The card was not created');
    await this.assertRoom(tx, project_id);
    return await this.settle(tx, project_id, added, changesModel([], [added]));
  }

  /**
   * Changes a card; an edit that leaves everything as it is changes nothing, its version included.
   *
   * @throws NotFound
   * @throws Conflict when the card has another version than the edit was made for, or the canvas would become too large
   * @throws Invalid when the card would become too large
   */
  async edit(tx: Tx, project_id: string, cardId: string, { version, ...edit }: CardEdit): Promise<CanvasChange> {
    const card = await this.require(tx, project_id, cardId);
    if (version !== undefined && version !== card.version) {
      throw new Conflict(`The card has changed: it is at version ${card.version}, not ${version}`);
    }
    const { label = card.label } = edit;
    const data = merged(card.data, edit.data);
    const instance_data = merged(card.instance_data, edit.instance_data);
    if (
      isDeepStrictEqual(data, card.data) &&
      label === card.label &&
      isDeepStrictEqual(instance_data, card.instance_data)
    ) {
      return { card, changed: [] };
    }
    for (const [field, value] of Object.entries({ data, instance_data })) {
      const problem = dataProblem(value);
      if (problem !== undefined) throw new Invalid([invalidValue(['body', field], problem, edit.data ?? null)]);
    }
    await tx.query(
      `UPDATE cards SET label = $3, data = $4, instance_data = $5, version = version + 1, updated_at = clock_timestamp()
        WHERE project_id = $1 AND id = $2`,
      [project_id, card.id, label, data, instance_data],
    );
    // A canvas that is too large already can still shrink.
    if (bytesOf({ data, instance_data }) > bytesOf(card)) await this.assertRoom(tx, project_id);
    return await this.settle(tx, project_id, card, changesModel([card], [{ ...card, data }]));
  }

  /** @throws NotFound */
  async remove(tx: Tx, project_id: string, cardId: string): Promise<CanvasChange> {
    const card = await this.require(tx, project_id, cardId);
    await tx.delete(Card, { project_id, id: card.id });
    return await this.settle(tx, project_id, card, changesModel([card], []));
  }

  /** @throws Conflict when a canvas holds more than it may, after a change that made it larger */
  private async assertRoom(tx: Tx, project_id: string): Promise<void> {
    const [held]: { cards: number; bytes: number }[] = await tx.query(
      `SELECT count(*)::integer AS cards,
              sum(octet_length(data::text) + octet_length(instance_data::text))::float8 AS bytes
         FROM cards WHERE project_id = $1`,
      [project_id],
    );
    if ((held?.cards ?? 0) > MOST_CARDS) throw new Conflict(`A canvas has at most ${MOST_CARDS} cards`);
    if ((held?.bytes ?? 0) > MOST_BYTES) {
      throw new Conflict(`The data and instance_data of a canvas have at most ${MOST_BYTES} bytes together, as JSON`);
    }
  }

  private async require(tx: Tx, project_id: string, cardId: string): Promise<Card> {
    const card = await tx.findOneBy(Card, { project_id, id: parseId(cardId, 'Card') });
    if (card === null) throw new NotFound('Card');
    return card;
  }

  /** Makes everything that follows from the cards agree with them again, after a change of `target`. */
  private async settle(tx: Tx, project_id: string, target: Card, isNewModel: boolean): Promise<CanvasChange> {
    const stored = await this.list(project_id, tx);
    const { judgements, derived } = judgeAndDerive(stored);
    const cards = stored.map((card, index) => ({ ...card, ...judgements[index] }));
    const rejudged = cards.filter(
      ({ gaps, status }, index) => status !== stored[index]?.status || !isDeepStrictEqual(gaps, stored[index].gaps),
    );
    if (rejudged.length > 0) {
      await tx.query(
        `UPDATE cards c SET gaps = j.gaps, status = j.status
           FROM jsonb_to_recordset($2::jsonb) AS j (id uuid, gaps jsonb, status text)
          WHERE c.project_id = $1 AND c.id = j.id`,
        [project_id, JSON.stringify(rejudged.map(({ id, gaps, status }) => ({ id, gaps, status })))],
      );
    }
    await this.storeDerived(tx, project_id, derived, isNewModel);
    const touched = new Set([target.id, ...rejudged.map(({ id }) => id)]);
    return {
      card: cards.find(({ id }) => id === target.id) ?? target,
      changed: cards.filter(({ id }) => touched.has(id)),
    };
  }

  private async storeDerived(tx: Tx, project_id: string, derived: Derived, isNewModel: boolean): Promise<void> {
    const { objective_components, ...fields } = derived;
    const names = Object.keys(fields);
    await tx.query(
      `UPDATE projects
          SET ${names.map((name, index) => `${name} = $${index + 4}`).join(', ')}, objective_components = $2,
              feasibility_result = CASE WHEN $3 THEN 'unchecked' ELSE feasibility_result END, updated_at = now()
        WHERE id = $1`,
      [project_id, JSON.stringify(fitting(objective_components)), isNewModel, ...Object.values(fields)],
    );
  }
}

/** Whether the last result says nothing of the cards after a change of some of them. */
const changesModel = (before: Card[], after: Card[]): boolean => modelDigest(before) !== modelDigest(after);

/** The size of what a client keeps in a card. */
const bytesOf = ({ data, instance_data }: Pick<Card, 'data' | 'instance_data'>): number =>
  Buffer.byteLength(JSON.stringify([data, instance_data]));

/** As many of the first components as are shown. */
function fitting<Component>(components: Component[]): Component[] {
  let left = MOST_COMPONENT_BYTES;
  return components.filter((component) => (left -= Buffer.byteLength(JSON.stringify(component))) >= 0);
}

/** The object with the keys of another one set; null removes one. */
function merged(present: Card['data'], given: Card['data'] = {}): Card['data'] {
  return Object.fromEntries(Object.entries({ ...present, ...given }).filter(([, value]) => value != null));
}
