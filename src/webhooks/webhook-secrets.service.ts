import { Injectable } from '@nestjs/common';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { SecretsService } from '../platform/secrets/secrets.service.js';

/** Name of the platform's secret that keeps those of webhooks. */
const SECRET = 'webhooks';

/** The secrets of webhooks, which are stored encrypted, each for its webhook alone. */
@Injectable()
export class WebhookSecrets {
  private box: Promise<SecretBox> | undefined;

  constructor(private readonly secrets: SecretsService) {}

  async seal(webhook_id: string, secret: string): Promise<Buffer> {
    return (await this.opened()).seal(secret, webhook_id);
  }

  /** @throws Unsealable */
  async open(webhook_id: string, sealed: Buffer): Promise<string> {
    return (await this.opened()).open(sealed, webhook_id).toString();
  }

  private async opened(): Promise<SecretBox> {
    this.box ??= this.secrets.get(SECRET).then((secret) => new SecretBox(secret, SECRET));
    return await this.box.catch((error: unknown) => {
      this.box = undefined;
      throw error;
    });
  }
}
