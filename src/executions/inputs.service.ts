import { Injectable } from '@nestjs/common';
import { BlobsService } from '../files/blobs/blobs.service.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { ContainersService } from '../files/tree/containers.service.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import { FileTreeReader } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../platform/database/database.service.js';
import { Invalid, invalidValue } from '../platform/errors/errors.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import type { Card } from '../projects/canvas/card.entity.js';
import { makesModel } from '../projects/canvas/model-digest.js';
import type { Project } from '../projects/project.entity.js';
import { SnapshotsRepository } from '../projects/snapshots.repository.js';
import type { Execution } from './execution.entity.js';
import { MODEL_LIMITS } from './model/model.js';
import type { ModelCard, ModelSource } from './solver/task.js';

/** What an execution solves: cards, or the only file of a container. */
export type Pinned = Pick<Execution, 'cards' | 'inputs_id'>;

const MODEL_FILE = /\.lp$/i;
const AT = ['body', 'input_file_ids'];

/**
 * What executions solve, kept as it is when they start: the collector leaves a file alone that a container holds. In run
 * mode it is taken from the project's current snapshot.
 */
@Injectable()
export class InputsService {
  constructor(
    private readonly cards: CardsRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly containers: ContainersService,
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReader,
    private readonly blobs: BlobsService,
  ) {}

  /**
   * Pins the model file that is named, by id or path, or else the canvas of a locked project.
   *
   * @throws Invalid at the reference that is unknown, no `.lp` file, or too large
   */
  async pin(tx: Tx, project: Project, references: readonly string[]): Promise<Pinned> {
    const { company_id, id, workspace_id, workspace_mode, current_snapshot_id } = project;
    const snapshot =
      workspace_mode === 'run' && current_snapshot_id !== null
        ? await tx.withRepository(this.snapshots).require(company_id, current_snapshot_id)
        : undefined;
    const [reference] = references;
    if (reference === undefined) {
      return {
        cards: (snapshot?.cards ?? (await tx.withRepository(this.cards).list(id))).flatMap(toModelCard),
        inputs_id: null,
      };
    }
    const from = { company_id, container_id: snapshot?.container_id ?? workspace_id };
    const file = await this.modelFile(tx, from, reference);
    const inputs_id = await this.containers.create(tx, company_id, 'snapshot');
    await this.fileTree.putFile(tx, { company_id, container_id: inputs_id }, file.path, file);
    return { cards: null, inputs_id };
  }

  /** What a running execution has pinned, ready for the solver. */
  async read({ cards, inputs_id, company_id }: Pinned & Pick<Execution, 'company_id'>): Promise<ModelSource> {
    if (cards !== null) return { kind: 'canvas', cards };
    if (inputs_id === null) throw new Error('An execution has nothing to solve');
    const [file] = await this.reader.filesBelow({ company_id, container_id: inputs_id }, '');
    if (file === undefined) throw new Error('The model file of an execution is gone');
    const [content] = await this.blobs.readAll([file]);
    if (content === undefined) throw new Error('The model file of an execution has no content');
    return { kind: 'file', path: file.path, content };
  }

  /** Releases the inputs pinned by an execution that is over. Locks of containers come last. */
  async release(tx: Tx, company_id: string, inputs_id: string | null): Promise<void> {
    if (inputs_id !== null) await this.containers.delete(tx, company_id, inputs_id);
  }

  private async modelFile(tx: Tx, from: ContainerRef, reference: string): Promise<TreeFile> {
    const refuse = (text: string): never => {
      throw new Invalid([invalidValue([...AT, 0], text, reference)]);
    };
    const file = (await this.reader.findAll(from, [reference], tx)).get(reference);
    if (file === undefined) return refuse('the workspace has no such file');
    if (!MODEL_FILE.test(file.path)) return refuse('a model is read from an .lp file');
    if (file.size > MODEL_LIMITS.bytes) return refuse(`a model file has at most ${MODEL_LIMITS.bytes} bytes`);
    return file;
  }
}

/** The cards that make the model, without what it does not take from them. */
function toModelCard({ id, card_type, label, data }: Card): ModelCard[] {
  return makesModel(card_type) ? [{ id, card_type, label, data }] : [];
}
