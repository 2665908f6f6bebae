import { Injectable } from '@nestjs/common';
import { UploadRegistry } from '../uploads/upload-registry.service.js';
import { UploadsService } from '../uploads/uploads.service.js';

const BATCH = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Ends uploads that nobody will finish: expired ones, and those to a container that was deleted. */
@Injectable()
export class Sweeper {
  constructor(
    private readonly registry: UploadRegistry,
    private readonly uploads: UploadsService,
  ) {}

  /** @throws Unavailable when the store is out of reach */
  async sweep(): Promise<void> {
    for (let last = BEFORE_ALL, more = true; more;) {
      const due = await this.registry.due(last, BATCH);
      for (const id of due) await this.uploads.drop(id);
      last = due.at(-1) ?? last;
      more = due.length === BATCH;
    }
    await this.registry.forget();
  }
}
