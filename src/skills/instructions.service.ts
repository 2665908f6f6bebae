import { Injectable } from '@nestjs/common';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { INSTRUCTIONS_FILE } from '../deployments/template.js';
import { BlobsService } from '../files/blobs.service.js';
import type { ContainerRef } from '../files/containers.service.js';
import { TreeReader } from '../files/tree-reader.service.js';
import { TreesService } from '../files/trees.service.js';
import type { Principal } from '../platform/auth/principal.js';
import { Database } from '../platform/database/database.js';
import { Invalid, invalidValue, NotFound } from '../platform/errors/errors.js';

const MAX_BYTES = 256 * 1024;

/** The AGENTS.md of trees. */
@Injectable()
export class InstructionsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsService,
    private readonly trees: TreesService,
    private readonly reader: TreeReader,
    private readonly blobs: BlobsService,
  ) {}

  /** A deployment's instructions. @throws NotFound when there is no such deployment, or it has none. */
  async ofDeployment(company_id: string, name: string): Promise<string> {
    const { container_id } = await this.deployments.require(company_id, name);
    const content = await this.read({ company_id, container_id });
    if (content === null) throw new NotFound('Instructions');
    return content;
  }

  /** Replaces a deployment's instructions; the bytes are kept as they are. @throws Invalid over 256 kB */
  async replace({ company_id }: Principal, name: string, content: string): Promise<string> {
    const bytes = Buffer.from(content);
    if (bytes.length > MAX_BYTES) {
      throw new Invalid([invalidValue(['body', 'content'], `instructions have at most ${MAX_BYTES} bytes, not ${bytes.length}`, content)]);
    }
    const { container_id } = await this.deployments.require(company_id, name);
    const stored = await this.blobs.store(company_id, bytes);
    await this.database.transaction(async (tx) => {
      await this.trees.putFile(tx, { company_id, container_id }, INSTRUCTIONS_FILE, stored);
    });
    return content;
  }

  /** The instructions in a container, or null when it has none. */
  async read(container: ContainerRef): Promise<string | null> {
    return (await this.reader.readText(container, INSTRUCTIONS_FILE)) ?? null;
  }
}
