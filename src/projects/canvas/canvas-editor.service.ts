import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../database/checked-id.js';
import { ProjectEventsService } from '../../events/project-events.service.js';
import type { Tx } from '../../database/database.service.js';
import { Conflict, Invalid, invalidValue } from '../../common/errors/errors.js';
import { ProjectsRepository } from '../projects.repository.js';
import {
  type FileStates,
  isSetOfFile,
  judgeAndDerive,
  modelDigest,
  NO_FILES,
  plainVariables,
  questionOf,
  readData,
} from '../../../packages/canvas/index.js';
import type { Card } from './card.entity.js';
import { CardsRepository } from './cards.repository.js';
import { dataProblem } from './canvas.dto.js';
import { DataFileRefreshesRepository } from './data-file-refreshes.repository.js';
import { DataFilesService, type KnownFiles } from './data-files.service.js';

/** Most cards of a project, and bytes of their data as JSON: each change looks at all of them, each post answers them. */
const MAX_CARDS = 500;
const MAX_BYTES = 4 * 1024 ** 2;
/** Most bytes of a project's objective components: listings show them of a thousand projects at once. */
const MAX_COMPONENT_BYTES = 16 * 1024;

export type NewCard = Pick<Card, 'card_type' | 'label'> & Partial<Pick<Card, 'data' | 'instance_data'>>;

/** Absent fields stay; of objects the given keys are set and null removes one. */
export interface CardEdit {
  label?: string | undefined;
  data?: Card['data'] | undefined;
  instance_data?: Card['instance_data'] | undefined;
  /** The version that the edit was made for; absent: whichever is there. */
  version?: number | undefined;
}

/** The cards that a change is about, as they were and as they are. */
interface Edited {
  before: readonly Card[];
  after: readonly Card[];
}

/** What a change has done to a canvas. */
export interface CanvasChange {
  /** The card as it is now; as it was last when it has been removed. */
  card: Card;
  /** Every card that is no longer as it was, in the order of the canvas: gaps follow from other cards, too. */
  changed: Card[];
}

/**
 * Changes cards, in the transaction of a caller who has locked the project.
 *
 * What follows from the cards is stored in the same transaction: gaps and status with them, the rest with the project.
 */
@Injectable()
export class CanvasEditorService {
  constructor(
    private readonly cards: CardsRepository,
    private readonly projects: ProjectsRepository,
    private readonly files: DataFilesService,
    private readonly refreshes: DataFileRefreshesRepository,
    private readonly events: ProjectEventsService,
  ) {}

  /** @param wantedId the id it gets; default a new one @throws Conflict when the canvas is full */
  async add(
    tx: Tx,
    project_id: ProjectId,
    { card_type, label, data, instance_data }: NewCard,
    wantedId?: string,
  ): Promise<CanvasChange> {
    const card = { card_type, label, data: merged({}, data), instance_data: merged({}, instance_data) };
    const added = await tx.withRepository(this.cards).add(project_id, card, wantedId);
    await this.assertRoom(tx, project_id);
    return await this.derive(tx, project_id, added, { before: [], after: [added] });
  }

  /**
   * Changes a card; an edit that leaves everything as it is changes nothing, its version included.
   *
   * @throws NotFound
   * @throws Conflict when the card has another version than the edit was made for, or the canvas would become too large
   * @throws Invalid when the card would become too large
   */
  async edit(tx: Tx, project_id: ProjectId, cardId: string, { version, ...edit }: CardEdit): Promise<CanvasChange> {
    const card = await tx.withRepository(this.cards).require(project_id, cardId);
    if (version !== undefined && version !== card.version) {
      throw new Conflict('version_conflict', `The card has changed: it is at version ${card.version}, not ${version}`);
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
    await tx.withRepository(this.cards).change(project_id, card.id, { label, data, instance_data });
    // A canvas that is too large already can still shrink.
    if (bytesOf({ data, instance_data }) > bytesOf(card)) await this.assertRoom(tx, project_id);
    return await this.derive(tx, project_id, card, { before: [card], after: [{ ...card, data }] });
  }

  /** @throws NotFound */
  async remove(tx: Tx, project_id: ProjectId, cardId: string): Promise<CanvasChange> {
    const card = await tx.withRepository(this.cards).require(project_id, cardId);
    await tx.withRepository(this.cards).delete({ project_id, id: card.id });
    return await this.derive(tx, project_id, card, { before: [card], after: [] });
  }

  /** Makes what follows from the cards and their files agree with them, after a change of the files. */
  async rederive(tx: Tx, project_id: ProjectId): Promise<void> {
    const { rejudged } = await this.deriveAll(tx, project_id, { before: [], after: [] }, false);
    if (rejudged.length > 0) this.noteChanged(tx, project_id, rejudged);
  }

  /** @throws Conflict when a canvas holds more than it may, after a change that made it larger */
  private async assertRoom(tx: Tx, project_id: ProjectId): Promise<void> {
    const { cards, bytes } = await tx.withRepository(this.cards).size(project_id);
    if (cards > MAX_CARDS) throw new Conflict('canvas_full', `A canvas has at most ${MAX_CARDS} cards`);
    if (bytes > MAX_BYTES) {
      throw new Conflict(
        'canvas_full',
        `The data and instance_data of a canvas have at most ${MAX_BYTES} bytes together, as JSON`,
      );
    }
  }

  /** Makes everything that follows from the cards agree with them again, after a change of `target`. */
  private async derive(tx: Tx, project_id: ProjectId, target: Card, edited: Edited): Promise<CanvasChange> {
    const { cards, rejudged } = await this.deriveAll(tx, project_id, edited, true);
    const touched = new Set([target.id, ...rejudged.map(({ id }) => id)]);
    const changed = cards.filter(({ id }) => touched.has(id));
    const card = cards.find(({ id }) => id === target.id);
    this.noteChanged(tx, project_id, changed, card === undefined ? [target] : []);
    return { card: card ?? target, changed };
  }

  private noteChanged(tx: Tx, project_id: ProjectId, changed: readonly Card[], removed: readonly Card[] = []): void {
    const [card_ids, removed_card_ids] = [changed, removed].map((cards) => cards.map(({ id }) => id));
    this.events.note(tx, project_id, 'cards.changed', {
      card_ids: card_ids ?? [],
      removed_card_ids: removed_card_ids ?? [],
    });
  }

  /**
   * @param reads whether files that nobody knows are to be read soon
   * @returns all cards as they are now, and those among them that are judged in another way than before */
  private async deriveAll(
    tx: Tx,
    project_id: ProjectId,
    { before, after }: Edited,
    reads: boolean,
  ): Promise<{ cards: Card[]; rejudged: Card[] }> {
    const stored = await tx.withRepository(this.cards).list(project_id);
    const { states, digest } = await this.lookAtFiles(tx, project_id, stored, reads);
    const { judgements, derived } = judgeAndDerive(stored, states);
    const judged = stored.map((card, index) => ({ ...card, ...judgements[index] }));
    const rejudged = judged.filter(
      ({ gaps, status }, index) => status !== stored[index]?.status || !isDeepStrictEqual(gaps, stored[index].gaps),
    );
    const revisions =
      rejudged.length === 0 ? NO_REVISIONS : await tx.withRepository(this.cards).judge(project_id, rejudged);
    const cards = judged.map((card) => ({ ...card, revision: revisions.get(card.id) ?? card.revision }));
    const kept = { ...derived, objective_components: fitting(derived.objective_components) };
    // Whether the last result says nothing of the cards any more.
    const variables = plainVariables(stored);
    const isNewModel = modelDigest(before, variables) !== modelDigest(after, variables);
    await tx.withRepository(this.projects).keepDerived(project_id, kept, digest, isNewModel);
    return { cards, rejudged };
  }

  /** What is known of the files that cards name; what is not known yet is read soon. */
  private async lookAtFiles(
    tx: Tx,
    project_id: ProjectId,
    cards: readonly Card[],
    reads: boolean,
  ): Promise<KnownFiles> {
    if (!cards.some(({ card_type, data }) => card_type === 'data' && data['file_path'] !== undefined))
      return { states: NO_FILES, digest: null };
    const project = await tx.withRepository(this.projects).findOneByOrFail({ id: project_id });
    const { company_id, workspace_id, data_files_digest } = project;
    const known = await this.files.known({ company_id, container_id: workspace_id }, cards, tx);
    // Until the first file is named, nobody tells of files that come meanwhile.
    if (reads && (data_files_digest === null || isUnread(cards, known.states)))
      await tx.withRepository(this.refreshes).request(project_id);
    return known;
  }
}

const NO_REVISIONS: ReadonlyMap<string, string> = new Map();

/** Whether a set stands in a file that nobody has read yet. */
const isUnread = (cards: readonly Card[], states: FileStates): boolean =>
  cards.some((card) => {
    const { file } = isSetOfFile(card) ? readData(card) : {};
    return file !== undefined && states.get(questionOf(file)) === 'unread';
  });

/** The size of what a client keeps in a card. */
const bytesOf = ({ data, instance_data }: Pick<Card, 'data' | 'instance_data'>): number =>
  Buffer.byteLength(JSON.stringify([data, instance_data]));

/** As many of the first components as are shown. */
function fitting<Component>(components: Component[]): Component[] {
  let left = MAX_COMPONENT_BYTES;
  return components.filter((component) => (left -= Buffer.byteLength(JSON.stringify(component))) >= 0);
}

/** The object with the keys of another one set; null removes one. */
function merged(present: Card['data'], given: Card['data'] = {}): Card['data'] {
  return Object.fromEntries(Object.entries({ ...present, ...given }).filter(([, value]) => value != null));
}
