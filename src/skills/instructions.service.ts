import { Injectable } from '@nestjs/common';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { INSTRUCTIONS_FILE, MAX_INSTRUCTIONS_BYTES } from '../deployments/template.js';
import { BlobsService } from '../files/blobs/blobs.service.js';
import { FileTreeReader } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { CompanyPrincipal } from '../platform/auth/company-level.js';
import { Database } from '../platform/database/database.service.js';
import { Invalid, invalidValue, NotFound } from '../platform/errors/errors.js';

/** The AGENTS.md of deployments. */
@Injectable()
export class InstructionsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsService,
    private readonly fileTree: FileTreeService,
    private readonly reader: FileTreeReader,
    private readonly blobs: BlobsService,
  ) {}

  /** A deployment's instructions. @throws NotFound when there is no such deployment, or it has none. */
  async get(company_id: string, deployment: string): Promise<string> {
    const { container_id } = await this.deployments.require(company_id, deployment);
    const content = await this.reader.readText({ company_id, container_id }, INSTRUCTIONS_FILE);
    if (content === undefined) throw new NotFound('Instructions');
    return content;
  }

  /**
   * Replaces a deployment's instructions; the bytes are kept as they are. Projects see them when they pull.
   *
   * @throws NotFound
   * @throws Invalid over the limit
   */
  async put(caller: CompanyPrincipal, deployment: string, content: string): Promise<string> {
    const bytes = Buffer.from(content);
    if (bytes.length > MAX_INSTRUCTIONS_BYTES) {
      const problem = `${INSTRUCTIONS_FILE} has at most ${MAX_INSTRUCTIONS_BYTES} bytes, not ${bytes.length}`;
      throw new Invalid([invalidValue(['body', 'content'], problem, content)]);
    }
    const changed = await this.deployments.requireForWriting(caller, deployment);
    const { company_id, container_id } = changed;
    const stored = await this.blobs.store(company_id, bytes);
    await this.database.transaction(async (tx) => {
      await this.fileTree.putFile(tx, { company_id, container_id }, INSTRUCTIONS_FILE, stored);
      await this.deployments.touch(tx, changed);
    });
    return content;
  }
}
