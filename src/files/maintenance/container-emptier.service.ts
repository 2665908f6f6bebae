import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { ContainersRepository } from '../tree/containers.repository.js';
import { FileTreeRepository } from '../tree/file-tree.repository.js';
import { UploadsRepository } from '../uploads/uploads.repository.js';
import { unlessInUse } from './in-use.js';

/** Number of nodes that a statement deletes, which bounds its duration. */
const PAGE = 10_000;

/** Empties containers FILES_GRACE_SECONDS after their deletion. */
@Injectable()
export class ContainerEmptierService {
  constructor(
    private readonly containers: ContainersRepository,
    private readonly tree: FileTreeRepository,
    private readonly uploads: UploadsRepository,
    private readonly config: Config,
  ) {}

  async emptyDeleted(): Promise<void> {
    for (const id of await this.containers.endedWithContent(this.config.FILES_GRACE_SECONDS)) {
      await this.uploads.forgetEnded(id);
      for (let more = true; more;) more = (await this.tree.deleteLeaves(id, PAGE)) > 0;
      // If the owner's row is kept, as a deployment's row is for its handle, the empty container is kept too.
      await unlessInUse(() => this.containers.delete(id));
    }
  }
}
