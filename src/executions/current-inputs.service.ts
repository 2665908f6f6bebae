import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database.service.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { CardsRepository } from '../projects/canvas/cards.repository.js';
import { DataFilesService } from '../projects/canvas/data-files.service.js';
import { modelDigest } from '../../packages/canvas/index.js';
import type { Project } from '../projects/project.entity.js';
import type { LeasedExecution } from './executions.repository.js';

/** Compares the inputs of executions with the current inputs of their project. */
@Injectable()
export class CurrentInputsService {
  constructor(
    private readonly cards: CardsRepository,
    private readonly files: DataFilesService,
    private readonly reader: FileTreeReaderService,
  ) {}

  /**
   * Returns whether the inputs of an execution are still current in the locked project: the same cards with the same files, or
   * the same model file.
   */
  async isSolved(tx: Tx, { cards, inputs_id, company_id }: LeasedExecution, project: Project): Promise<boolean> {
    const solved = inputs_id === null ? null : { company_id, container_id: inputs_id };
    const workspace = { company_id, container_id: project.workspace_id };
    if (cards === null) {
      const files = solved === null ? [] : await this.reader.filesBelow(solved, '', tx);
      const present = await this.reader.findAt(
        workspace,
        files.map(({ path }) => path),
        tx,
      );
      return files.every(({ path, blob_id }) => present.get(path)?.blob_id === blob_id);
    }
    const currentCards = await tx.withRepository(this.cards).list(project.id);
    if (modelDigest(cards) !== modelDigest(currentCards)) return false;
    const present = await this.files.cachedStates(workspace, currentCards, tx);
    return (
      (present.digest ?? '') === (solved === null ? '' : (await this.files.cachedStates(solved, cards, tx)).digest)
    );
  }
}
