import { Injectable } from '@nestjs/common';
import { SecretsService } from '../common/secrets/secrets.service.js';

/** Name of the platform secret that encrypts webhook secrets. */
const SECRET = 'webhooks';

/** Encrypts and decrypts webhook secrets. An encrypted secret can be decrypted only for its webhook. */
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
