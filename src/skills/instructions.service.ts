import { Injectable } from '@nestjs/common';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { INSTRUCTIONS_FILE, MAX_INSTRUCTIONS_BYTES } from '../deployments/template.js';
import { BlobsService } from '../files/blobs/blobs.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import type { CompanyPrincipal } from '../auth/company-level.js';
import { DatabaseService } from '../database/database.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import { entityTag, type ExpectedTags, type ClientTags } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import { Invalid, invalidValue, NotFound } from '../common/errors/errors.js';

/** Returns the entity tag of instructions. The blob id is sufficient, because contents are immutable. */
const tagOf = ({ blob_id }: { blob_id: string }): string => entityTag('instructions', blob_id);

/** Manages deployments' AGENTS.md files. */
@Injectable()
export class InstructionsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly deployments: DeploymentsService,
    private readonly fileTree: FileTreeService,
    private readonly containers: ContainersService,
    private readonly reader: FileTreeReaderService,
    private readonly blobs: BlobsService,
  ) {}

  /**
   * Returns a deployment's instructions, unless the caller already has their current version.
   *
   * @throws NotFound if the deployment or its instructions do not exist
   */
  async get(company_id: string, deployment: string, clientTags: ClientTags): Promise<Tagged<string>> {
    const { container_id } = await this.deployments.require(company_id, deployment);
    const file = await this.reader.find({ company_id, container_id }, INSTRUCTIONS_FILE);
    if (file === undefined) throw new NotFound('Instructions');
    const tag = tagOf(file);
    if (clientTags.has(tag)) return Tagged.unchanged(tag);
    const texts = await this.reader.readTexts([file]);
    return Tagged.of(tag, texts.get(INSTRUCTIONS_FILE) ?? '');
  }

  /**
   * Replaces a deployment's instructions. Stores the content byte for byte. The new instructions apply to a project only after
   * it has pulled them.
   *
   * @throws NotFound
   * @throws PreconditionFailed
   * @throws Invalid if the content exceeds the maximum size
   */
  async put(
    caller: CompanyPrincipal,
    deployment: string,
    content: string,
    expected: ExpectedTags,
  ): Promise<Tagged<string>> {
    const bytes = Buffer.from(content);
    if (bytes.length > MAX_INSTRUCTIONS_BYTES) {
      const problem = `${INSTRUCTIONS_FILE} can have at most ${MAX_INSTRUCTIONS_BYTES} bytes, not ${bytes.length}`;
      throw new Invalid([invalidValue(['body', 'content'], problem, content)]);
    }
    const changed = await this.deployments.requireForWriting(caller, deployment);
    const { company_id, container_id } = changed;
    const container = { company_id, container_id };
    const stored = await this.blobs.store(company_id, bytes);
    await this.database.transaction(async (tx) => {
      await assertExpected(expected, async () => {
        await this.containers.lock(tx, company_id, container_id);
        const file = await this.reader.find(container, INSTRUCTIONS_FILE, tx);
        return file && tagOf(file);
      });
      await this.fileTree.putFile(tx, container, INSTRUCTIONS_FILE, stored);
      await this.deployments.touch(tx, changed);
    });
    return Tagged.of(tagOf(stored), content);
  }
}
