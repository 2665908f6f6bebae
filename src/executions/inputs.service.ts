import { Injectable } from '@nestjs/common';
import { BlobsService } from '../files/blobs/blobs.service.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { ContainersService } from '../files/tree/containers.service.js';
import type { TreeFile } from '../files/tree/tree-file.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { Tx } from '../database/database.service.js';
import { Invalid, invalidValue } from '../common/errors/errors.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import { type ModelCard, pathOfSet } from '../../packages/canvas/index.js';
import type { Project } from '../projects/project.entity.js';
import type { Snapshot } from '../projects/snapshot.entity.js';
import { SnapshotsRepository } from '../projects/snapshots.repository.js';
import { isModelFile, MODEL_LIMITS } from '../../packages/solver/index.js';
import type { Execution } from './execution.entity.js';
import { SetTablesService } from './set-tables.service.js';
import type { ModelSource } from './solver/task.js';

/** Pinned inputs of an execution: cards and the container with their files, or a container that holds only the model file. */
export type Pinned = Pick<Execution, 'cards' | 'inputs_id'>;

/** Canvas that a solve would use now. */
export interface Canvas {
  cards: Snapshot['cards'];
  /** Files that the cards refer to. */
  files: ContainerRef;
}

const AT = ['body', 'input_file_ids'];

/**
 * Pins the inputs of executions when the executions are started. Pinned files are added to a container, so the garbage
 * collector does not delete their content. In run mode the inputs come from the project's current snapshot.
 */
@Injectable()
export class InputsService {
  constructor(
    private readonly cards: CardsRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly containers: ContainersService,
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
    private readonly tables: SetTablesService,
  ) {}

  /**
   * Pins the model file that the reference names by id or path. Without a reference, pins the canvas of a locked project.
   *
   * @throws Invalid if the file does not exist, is not a model file, or is too large
   */
  async pin(tx: Tx, project: Project, references: readonly string[]): Promise<Pinned> {
    const { company_id } = project;
    const snapshot = await this.snapshot(tx, project);
    const [reference] = references;
    if (reference !== undefined) {
      const file = await this.modelFile(tx, filesOf(project, snapshot), reference);
      return { cards: null, inputs_id: await this.keep(tx, company_id, [file]) };
    }
    const canvas = await this.canvasOf(tx, project, snapshot);
    const [pinned] = await this.pinCards(tx, canvas.files, [canvas.cards]);
    if (pinned === undefined) throw new Error('The canvas was not pinned');
    return pinned;
  }

  /** Returns the canvas of a locked project that a solve would use now. */
  async canvas(tx: Tx, project: Project): Promise<Canvas> {
    return await this.canvasOf(tx, project, await this.snapshot(tx, project));
  }

  /** Pins variants of a canvas, each with the files that it refers to. */
  async pinCards(tx: Tx, from: ContainerRef, variants: readonly (readonly ModelCard[])[]): Promise<Pinned[]> {
    const models = variants.map((cards) => cards.map(toModelCard));
    const pathsByModel = models.map(pathsOf);
    const allPaths = [...new Set(pathsByModel.flat())];
    const filesByPath = allPaths.length === 0 ? NO_FILES : await this.reader.findAll(from, allPaths, tx);
    // Pinned trees by the paths of their files. If another variant has the same files, its tree is copied as a whole.
    const trees = new Map<string, string>();
    const pinned: Pinned[] = [];
    for (const [at, cards] of models.entries()) {
      const paths = (pathsByModel[at] ?? []).filter((path) => filesByPath.has(path));
      const key = JSON.stringify(paths);
      const tree = trees.get(key);
      const files = paths.flatMap((path) => filesByPath.get(path) ?? []);
      const inputs_id =
        files.length === 0
          ? null
          : tree === undefined
            ? await this.keep(tx, from.company_id, files)
            : await this.copyTree(tx, from.company_id, tree);
      if (inputs_id !== null) trees.set(key, inputs_id);
      pinned.push({ cards, inputs_id });
    }
    return pinned;
  }

  private async canvasOf(tx: Tx, project: Project, snapshot: Snapshot | undefined): Promise<Canvas> {
    const cards = snapshot?.cards ?? (await tx.withRepository(this.cards).list(project.id));
    return { cards, files: filesOf(project, snapshot) };
  }

  /** Returns the current snapshot in run mode, and undefined in define mode. */
  private async snapshot(tx: Tx, { id, workspace_mode, current_snapshot_id }: Project): Promise<Snapshot | undefined> {
    return workspace_mode === 'run' && current_snapshot_id !== null
      ? await tx.withRepository(this.snapshots).require(id, current_snapshot_id)
      : undefined;
  }

  private async copyTree(tx: Tx, company_id: string, container_id: string): Promise<string> {
    const copied = await this.containers.create(tx, company_id, 'snapshot');
    await this.fileTree.copy(tx, {
      from: { company_id, container_id },
      to: { company_id, container_id: copied },
    });
    return copied;
  }

  /** Adds files to a new container at their original paths. */
  private async keep(tx: Tx, company_id: string, files: readonly TreeFile[]): Promise<string> {
    const container_id = await this.containers.create(tx, company_id, 'snapshot');
    for (const file of files) await this.fileTree.putFile(tx, { company_id, container_id }, file.path, file);
    return container_id;
  }

  /**
   * Loads the pinned inputs of a running execution for the solver.
   * @throws the signal's reason if it aborts
   */
  async read(
    { cards, inputs_id, company_id }: Pinned & Pick<Execution, 'company_id'>,
    signal: AbortSignal,
  ): Promise<ModelSource> {
    if (cards !== null) {
      const files = inputs_id === null ? null : { company_id, container_id: inputs_id };
      return { kind: 'canvas', cards, tables: await this.tables.read(files, cards, signal) };
    }
    if (inputs_id === null) throw new Error('An execution has nothing to solve');
    const [file] = await this.reader.filesBelow({ company_id, container_id: inputs_id }, '');
    if (file === undefined) throw new Error('The model file of an execution is gone');
    const [content] = await this.blobs.readAll([file]);
    if (content === undefined) throw new Error('The model file of an execution has no content');
    return { kind: 'file', path: file.path, content };
  }

  /** Removes local files that {@link read} created. */
  async discard(source: ModelSource): Promise<void> {
    if (source.kind === 'canvas') await this.tables.discard(source.tables);
  }

  /** Copies the pinned inputs of an execution, so that another execution can use them. */
  async copy(tx: Tx, company_id: string, { cards, inputs_id }: Pinned): Promise<Pinned> {
    return { cards, inputs_id: inputs_id && (await this.copyTree(tx, company_id, inputs_id)) };
  }

  private async modelFile(tx: Tx, from: ContainerRef, reference: string): Promise<TreeFile> {
    const refuse = (text: string): never => {
      throw new Invalid([invalidValue([...AT, 0], text, reference)]);
    };
    const file = (await this.reader.findAll(from, [reference], tx)).get(reference);
    if (file === undefined) return refuse('the workspace has no such file');
    if (!isModelFile(file.path)) return refuse('the name of a model file must end with .lp, .mps, .lp.gz or .mps.gz');
    if (file.size > MODEL_LIMITS.bytes) return refuse(`a model file can have at most ${MODEL_LIMITS.bytes} bytes`);
    return file;
  }
}

const NO_FILES: ReadonlyMap<string, TreeFile> = new Map();

const filesOf = ({ company_id, workspace_id }: Project, snapshot: Snapshot | undefined): ContainerRef => ({
  company_id,
  container_id: snapshot?.container_id ?? workspace_id,
});

/** Returns the paths of the files that contain sets. */
export const pathsOf = (cards: readonly ModelCard[]): string[] => [
  ...new Set(cards.flatMap((card) => pathOfSet(card) ?? [])),
];

/** Returns a card without the fields that the model does not use. */
const toModelCard = ({ id, card_type, label, data, adjustments }: ModelCard): ModelCard => ({
  id,
  card_type,
  label,
  data,
  ...(adjustments !== undefined && { adjustments }),
});
