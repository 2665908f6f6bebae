import { EntityRepository } from '../../database/entity-repository.js';
import { UploadPart } from './upload-part.entity.js';
import { COUNTED_OF_PART, END_PART, EXPECT_PART } from './upload-parts.sql.js';

/** A request that brings a part of an upload. */
interface PartRequest {
  upload_id: string;
  part_number: number;
  put_id: string;
}

/** Parts of uploads; what they have together is counted in the rows of their uploads. */
export class UploadPartsRepository extends EntityRepository(UploadPart) {
  /** Bytes that are counted for a part until now; its upload is locked. */
  async countedBytes(upload_id: string, part_number: number): Promise<number> {
    const [part]: { counted: number }[] = await this.query(COUNTED_OF_PART, [upload_id, part_number]);
    return part?.counted ?? 0;
  }

  /** Counts that a request may bring so many bytes; its upload is locked. No other request can bring the part any more. */
  async expect({ upload_id, part_number, put_id }: PartRequest, bytes: number): Promise<void> {
    await this.query(EXPECT_PART, [upload_id, part_number, put_id, bytes]);
  }

  /**
   * Ends a request that has brought so many bytes, or null to leave the part as it was. False when a newer one brings the part
   * or the upload is over.
   */
  async end({ upload_id, part_number, put_id }: PartRequest, bytes: number | null): Promise<boolean> {
    const ended: unknown[] = await this.query(END_PART, [upload_id, part_number, put_id, bytes]);
    return ended.length > 0;
  }
}
