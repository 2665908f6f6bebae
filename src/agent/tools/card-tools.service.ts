import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ProjectId } from '../../database/checked-id.js';
import type { Tx } from '../../database/database.service.js';
import { CARD_KINDS, CARD_TYPES, FILE_FIELDS, MAX_LABEL_LENGTH } from '../../../packages/canvas/index.js';
import { CardResponse, dataProblem } from '../../projects/canvas/canvas.dto.js';
import { type CanvasChange, CanvasEditorService } from '../../projects/canvas/canvas-editor.service.js';
import type { Card } from '../../projects/canvas/card.entity.js';
import { CardsRepository } from '../../projects/canvas/cards.repository.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { AgentContext } from '../agent.js';
import { CardFilesService } from './card-files.service.js';
import { refusing } from './problem.js';
import { type Tool, ToolFailure, type ToolOutcome } from './tool.js';

const upsertInput = z.strictObject({
  card_id: z.string().optional().describe('Card to change. Default: the card with this type and label, or a new card'),
  card_type: z.enum(CARD_TYPES).optional().describe('Required without card_id'),
  label: z.string().min(1).max(MAX_LABEL_LENGTH).optional().describe('Required without card_id'),
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .superRefine(refusing((data) => data && dataProblem(data)))
    .describe('Keys to set. Null removes a key; other keys are unchanged'),
  version: z.int().min(1).optional().describe('Rejects the change if the card no longer has this version'),
});
const removeInput = z.strictObject({ card_id: z.string() });

type Upsert = z.infer<typeof upsertInput>;

/** Keys of `data` that affect the members of a set in a file. If any of them is set, the file must be read again. */
const SET_FIELDS = ['set', ...FILE_FIELDS];
const CHECKLIST = [
  'objective_confirmed',
  'all_constraints_classified',
  'all_variables_provided',
  'data_available',
  'kpis_defined',
  'objective_drafted',
  'objectives_defined',
  'production_requirements_defined',
] as const;

const isSame = (card: Card, card_type: string | undefined, label: string | undefined): boolean =>
  card.card_type === card_type && card.label.toLowerCase() === label?.toLowerCase();

/** Tools for the project's canvas. */
@Injectable()
export class CardToolsService {
  readonly upsert: Tool<Upsert> = {
    name: 'upsert_card',
    description: [
      'Creates or changes a card on the canvas and returns its gaps. Contents of `data` by type:',
      `${CARD_TYPES.map((type) => CARD_KINDS[type].toolDescription).join(';\n')}.`,
    ].join('\n'),
    input: upsertInput,
    run: async (input, context) => {
      // The result reports problems with the card's file, so the file must be read first.
      await this.files.statesOf(context, await this.preview(input, context));
      return { effect: async (tx, { id }) => await this.outcome(tx, id, await this.upsertCard(tx, id, input)) };
    },
  };

  readonly remove: Tool<z.infer<typeof removeInput>> = {
    name: 'remove_card',
    description: 'Removes a card from the canvas.',
    input: removeInput,
    run: ({ card_id }) => {
      return Promise.resolve({
        effect: async (tx, { id }) => {
          const change = await this.editor.remove(tx, id, card_id);
          return { ...(await this.outcome(tx, id, change)), removed_card_ids: [change.card.id] };
        },
      });
    },
  };

  constructor(
    private readonly editor: CanvasEditorService,
    private readonly cards: CardsRepository,
    private readonly projects: ProjectsRepository,
    private readonly files: CardFilesService,
  ) {}

  /** Returns the card as it will be after the change, or an empty array if the change does not concern a file. */
  private async preview(
    { card_id, card_type, label, data }: Upsert,
    { project_id }: AgentContext,
  ): Promise<Pick<Card, 'card_type' | 'data'>[]> {
    const isOfFile = SET_FIELDS.some((field) => data?.[field] !== undefined);
    if (!isOfFile) return [];
    const cards = await this.cards.list(project_id);
    const old = cards.find((card) => (card_id === undefined ? isSame(card, card_type, label) : card.id === card_id));
    const merged = Object.entries({ ...old?.data, ...data }).filter(([, value]) => value !== null);
    return [{ card_type: old?.card_type ?? card_type ?? 'data', data: Object.fromEntries(merged) }];
  }

  private async upsertCard(
    tx: Tx,
    project_id: ProjectId,
    { card_id, card_type, label, data, version }: Upsert,
  ): Promise<CanvasChange> {
    if (card_id !== undefined) return await this.editor.edit(tx, project_id, card_id, { label, data, version });
    if (card_type === undefined || label === undefined) {
      throw new ToolFailure('invalid_input', 'card_type and label are required without card_id');
    }
    const existing = (await tx.withRepository(this.cards).list(project_id)).find((card) =>
      isSame(card, card_type, label),
    );
    return existing === undefined
      ? await this.editor.add(tx, project_id, { card_type, label, data: data ?? {} })
      : await this.editor.edit(tx, project_id, existing.id, { label, data, version });
  }

  private async outcome(tx: Tx, project_id: ProjectId, { card, changed }: CanvasChange): Promise<ToolOutcome> {
    const { id, card_type, label, status, version, gaps } = card;
    const project = await tx.withRepository(this.projects).findOneByOrFail({ id: project_id });
    const checklist = Object.fromEntries(CHECKLIST.map((flag) => [flag, project[flag]]));
    return {
      result: { card_id: id, card_type, label, status, version, gaps, checklist },
      cards: changed.map((one) => CardResponse.from(one)),
    };
  }
}
