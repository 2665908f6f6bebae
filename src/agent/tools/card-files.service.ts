import { Injectable } from '@nestjs/common';
import { InsufficientStorage, TooManyRequests, Unavailable } from '../../common/errors/errors.js';
import type { Card } from '../../projects/canvas/card.entity.js';
import { type FileStates, NO_FILES } from '../../../packages/canvas/index.js';
import { DataFilesService } from '../../projects/canvas/data-files.service.js';
import type { AgentContext } from '../agent.js';
import { AgentFilesService } from './agent-files.service.js';

/** The files of the workspace that cards of a turn name. */
@Injectable()
export class CardFilesService {
  constructor(
    private readonly files: AgentFilesService,
    private readonly dataFiles: DataFilesService,
  ) {}

  /**
   * What is known of the files that cards name, when those have been read that nobody knew; what cannot be read now stays unread.
   */
  async statesOf(context: AgentContext, cards: readonly Pick<Card, 'card_type' | 'data'>[]): Promise<FileStates> {
    if (!cards.some(({ card_type, data }) => card_type === 'data' && data['file_path'] !== undefined)) return NO_FILES;
    const workspace = await this.files.workspace(context);
    try {
      await this.dataFiles.read(workspace, cards, context.signal);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return (await this.dataFiles.known(workspace, cards)).states;
  }
}

/** It is tried again in the background. */
const isBusy = (error: unknown): boolean =>
  error instanceof Unavailable || error instanceof TooManyRequests || error instanceof InsufficientStorage;
