import { Injectable } from '@nestjs/common';
import { InsufficientStorage, TooManyRequests, Unavailable } from '../../common/errors/errors.js';
import type { Card } from '../../projects/canvas/card.entity.js';
import { type FileStates, NO_FILES } from '../../../packages/canvas/index.js';
import { DataFilesService } from '../../projects/canvas/data-files.service.js';
import type { AgentContext } from '../agent.js';
import { AgentFilesService } from './agent-files.service.js';

/** Reads the workspace files that a turn's cards refer to. */
@Injectable()
export class CardFilesService {
  constructor(
    private readonly files: AgentFilesService,
    private readonly dataFiles: DataFilesService,
  ) {}

  /**
   * Reads the files that cards refer to, if they are not cached, and returns the states of all of them. Omits files that cannot
   * be read at the moment.
   */
  async statesOf(context: AgentContext, cards: readonly Pick<Card, 'card_type' | 'data'>[]): Promise<FileStates> {
    if (!cards.some(({ card_type, data }) => card_type === 'data' && data['file_path'] !== undefined)) return NO_FILES;
    const workspace = await this.files.workspace(context);
    try {
      await this.dataFiles.read(workspace, cards, context.signal);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return (await this.dataFiles.cachedStates(workspace, cards)).states;
  }
}

/** Whether the read failed only temporarily. It is then retried in the background. */
const isBusy = (error: unknown): boolean =>
  error instanceof Unavailable || error instanceof TooManyRequests || error instanceof InsufficientStorage;
