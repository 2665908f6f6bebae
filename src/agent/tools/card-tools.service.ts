import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.service.js';
import { CardResponse, dataProblem, MAX_LABEL_LENGTH } from '../../projects/canvas/canvas.dto.js';
import { type CanvasChange, CanvasEditor } from '../../projects/canvas/canvas-editor.service.js';
import { CARD_TYPES } from '../../projects/canvas/card.entity.js';
import { CardsRepository } from '../../projects/canvas/cards.repository.js';
import { derive } from '../../projects/canvas/derivation.js';
import { refusing } from './problem.js';
import { type Tool, ToolFailure, type ToolOutcome } from './tool.js';
import type { ProjectId } from '../../projects/project.entity.js';

const upsertInput = z.strictObject({
  card_id: z.string().optional().describe('The card to change; absent: the card of this type and label, or a new one'),
  card_type: z.enum(CARD_TYPES).optional().describe('Needed without card_id'),
  label: z.string().min(1).max(MAX_LABEL_LENGTH).optional().describe('Needed without card_id'),
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .superRefine(refusing((data) => data && dataProblem(data)))
    .describe('Keys to set; null removes one, others stay'),
  version: z.int().min(1).optional().describe('Refuses the change when the card has another version by now'),
});
const removeInput = z.strictObject({ card_id: z.string() });

type Upsert = z.infer<typeof upsertInput>;

/** Tools on the project's canvas. */
@Injectable()
export class CardTools {
  readonly upsert: Tool<Upsert> = {
    name: 'upsert_card',
    description: [
      'Creates or changes a card of the canvas and answers what it still lacks. What `data` holds, by type:',
      'objective: sense (maximize, minimize), expression (3x + 2y), weight (with several objectives), confirmed (true only when the user said so), description;',
      'variable: name (as in expressions), index (p in products: one variable for each member), domain (continuous, integer, binary), lower (else 0, or none if free), upper (numbers; with an index also formulas of what is known), free, unit, description;',
      'constraint: expression (x + y <= 4), index (one constraint for each member), classification (hard, soft), penalty (of a soft one, per unit), description;',
      'kpi: description, expression, unit, target;',
      'data: file_path, values (numbers by name) or in_formulas (true: every figure stands in them), description; a set: set (its name), members (a list, or "1 to 52"), values (by name, an object of numbers or texts by member);',
      'production_requirement: description, quantity, unit, product.',
    ].join('\n'),
    input: upsertInput,
    run: (input) => {
      return Promise.resolve({
        effect: async (tx, { id }) => await this.outcome(tx, id, await this.put(tx, id, input)),
      });
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
    private readonly editor: CanvasEditor,
    private readonly cards: CardsRepository,
  ) {}

  private async put(
    tx: Tx,
    project_id: ProjectId,
    { card_id, card_type, label, data, version }: Upsert,
  ): Promise<CanvasChange> {
    if (card_id !== undefined) return await this.editor.edit(tx, project_id, card_id, { label, data, version });
    if (card_type === undefined || label === undefined) {
      throw new ToolFailure('invalid_input', 'Without card_id a card needs card_type and label');
    }
    const same = (await tx.withRepository(this.cards).list(project_id)).find(
      (card) => card.card_type === card_type && card.label.toLowerCase() === label.toLowerCase(),
    );
    return same === undefined
      ? await this.editor.add(tx, project_id, { card_type, label, data: data ?? {} })
      : await this.editor.edit(tx, project_id, same.id, { label, data, version });
  }

  private async outcome(tx: Tx, project_id: ProjectId, { card, changed }: CanvasChange): Promise<ToolOutcome> {
    const { id, card_type, label, status, version, gaps } = card;
    const cards = await tx.withRepository(this.cards).list(project_id);
    const checklist = Object.fromEntries(
      Object.entries(derive(cards)).filter(([, value]) => typeof value === 'boolean'),
    );
    return {
      result: { card_id: id, card_type, label, status, version, gaps, checklist },
      cards: changed.map((one) => CardResponse.from(one)),
    };
  }
}
