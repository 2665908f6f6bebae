import { Injectable } from '@nestjs/common';
import { SecretsService } from '../common/secrets/secrets.service.js';

/** Name of the platform's secret that keeps those of webhooks. */
const SECRET = 'webhooks';

/** The secrets of webhooks, which are stored encrypted, each for its webhook alone. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly secrets: SecretsService) {}

  async seal(webhook_id: string, secret: string): Promise<Buffer> {
    return (await this.secrets.box(SECRET)).seal(secret, webhook_id);
  }

  /** @throws Unsealable */
  async open(webhook_id: string, sealed: Buffer): Promise<string> {
    return (await this.secrets.box(SECRET)).open(sealed, webhook_id).toString();
  }
}
