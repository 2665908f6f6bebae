import { EntityRepository } from '../../database/entity-repository.js';
import { UploadPart } from './upload-part.entity.js';
import { COUNTED_OF_PART, END_PART, EXPECT_PART } from './upload-parts.sql.js';

/** Request that sends a part of an upload. */
interface PartRequest {
  upload_id: string;
  part_number: number;
  put_id: string;
}

/** Stores upload parts. The total size of an upload's parts is stored in the upload's row. */
export class UploadPartsRepository extends EntityRepository(UploadPart) {
  /** Returns the bytes that are counted for a part. The upload must be locked. */
  async countedBytes(upload_id: string, part_number: number): Promise<number> {
    const [part]: { counted: number }[] = await this.query(COUNTED_OF_PART, [upload_id, part_number]);
    return part?.counted ?? 0;
  }

  /**
   * Counts the bytes that a request may send. The upload must be locked. Earlier requests for the part can no longer complete.
   */
  async expect({ upload_id, part_number, put_id }: PartRequest, bytes: number): Promise<void> {
    await this.query(EXPECT_PART, [upload_id, part_number, put_id, bytes]);
  }

  /**
   * Ends a request. `bytes` is the number of bytes that it has sent, or null to keep the part unchanged. Returns false if a
   * newer request sends the part or the upload has ended.
   */
  async end({ upload_id, part_number, put_id }: PartRequest, bytes: number | null): Promise<boolean> {
    const ended: unknown[] = await this.query(END_PART, [upload_id, part_number, put_id, bytes]);
    return ended.length > 0;
  }
}
