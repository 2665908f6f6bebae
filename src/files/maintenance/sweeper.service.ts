import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BEFORE_ALL_IDS } from '../../database/checked-id.js';
import { PeriodicWorkService } from '../../database/queues/periodic-work.service.js';
import { SWEEP_UPLOADS } from '../tree/containers.service.js';
import { UploadsRepository } from '../uploads/uploads.repository.js';
import { UploadsService } from '../uploads/uploads.service.js';

const BATCH = 100;

/** Drops uploads that can no longer be completed: expired uploads, and uploads to a deleted container. */
@Injectable()
export class SweeperService implements OnModuleInit {
  constructor(
    private readonly periodic: PeriodicWorkService,
    private readonly uploadsRepository: UploadsRepository,
    private readonly uploads: UploadsService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/5 * * * *', SWEEP_UPLOADS, async () => await this.sweep());
  }

  /** @throws Unavailable if the store is unavailable */
  async sweep(): Promise<void> {
    for (let last: string = BEFORE_ALL_IDS, more = true; more;) {
      const due = await this.uploadsRepository.due(last, BATCH);
      for (const id of due) await this.uploads.drop(id);
      last = due.at(-1) ?? last;
      more = due.length === BATCH;
    }
    await this.uploadsRepository.forgetOld();
  }
}
