import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { SecretBox } from '../crypto/secret-box.js';
import { SecretsService } from '../secrets/secrets.service.js';
import { SealedContent } from './sealed-content.js';

/** Name of the platform's secret where there is no setting, and of what the key is for. */
const PURPOSE = 'idempotency-answers';

/** The secret under which answers are kept: ANSWERS_SECRET, else one of the platform's own. */
@Injectable()
export class AnswersSecret {
  private made: Promise<SealedContent> | undefined;

  constructor(
    private readonly config: Config,
    private readonly secrets: SecretsService,
  ) {}

  /** What is sealed with it. Call it outside of transactions: at first it takes a connection of its own. */
  async content(): Promise<SealedContent> {
    this.made ??= this.make();
    return await this.made.catch((error: unknown) => {
      this.made = undefined;
      throw error;
    });
  }

  private async make(): Promise<SealedContent> {
    return new SealedContent(new SecretBox(this.config.ANSWERS_SECRET ?? (await this.secrets.get(PURPOSE)), PURPOSE));
  }
}
