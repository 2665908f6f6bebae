import type { ErrorEntry } from '../../common/errors/errors.js';
import { MAX_PARTS } from '../../storage/object-store.js';
import { field } from '../../common/validation/field.js';
import { DateTimeField, IntegerField, ObjectArrayField, StringField } from '../../common/validation/fields.js';
import { arrayKind } from '../../common/validation/kinds/containers.js';
import { integerKind } from '../../common/validation/kinds/numbers.js';
import { ContainerRequest, missingIdentifier, NamesContainer, PathField } from '../container-request.js';

/** Maximum number of part URLs in a request. */
const MAX_BATCH = 1000;
/** Media type with parameters. Browsers send an empty string if they do not know the type. */
const MEDIA_TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;[ -~]+)?)?$/;

/** Part that the store has confirmed. */
export class CompletedPart {
  @StringField({ description: '`ETag` header of the part’s response, with or without quotes' })
  etag!: string;

  @IntegerField({ example: 1 })
  part_number!: number;
}

/**
 * Completes an upload. The token is checked before the container's identifiers, so a missing token is not a validation error
 * here. `lacking` reports it.
 */
@NamesContainer<UploadCompleteRequest>((body, received) => {
  body.lacking = missingIdentifier(body, received);
  return [];
})
export class UploadCompleteRequest extends ContainerRequest {
  @StringField({ minLength: 1 })
  upload_token!: string;

  @ObjectArrayField(() => CompletedPart, {
    optional: true,
    maxItems: MAX_PARTS,
    description: 'If absent or empty, all received parts are used',
  })
  parts?: CompletedPart[];

  @StringField({
    optional: true,
    nullable: true,
    description: 'Conversation in the project. Its next turn informs the agent of the change',
  })
  conversation_id?: string | null;

  lacking: ErrorEntry[] = [];
}

@NamesContainer()
export class UploadStartRequest extends ContainerRequest {
  @PathField('Path of the file; an existing file is replaced')
  path!: string;

  @IntegerField({
    optional: true,
    nullable: true,
    minimum: 0,
    description:
      'Size of the whole file in bytes; parts that exceed it are rejected, and the completed file must have this size',
  })
  size?: number | null;

  @StringField({ optional: true, nullable: true, maxLength: 255, pattern: MEDIA_TYPE, example: 'text/csv' })
  content_type?: string | null;
}

export class UploadPartUrl {
  @IntegerField()
  part_number!: number;

  @StringField({ description: 'URL for uploading the part with `PUT`. The response has an `ETag` header' })
  url!: string;
}

export class UploadPartsResponse {
  @ObjectArrayField(() => UploadPartUrl)
  parts!: UploadPartUrl[];

  @DateTimeField({ description: 'Expiry time of the upload and its URLs' })
  expires_at!: Date;
}

export class UploadStartResponse extends UploadPartsResponse {
  @StringField({ description: 'Identifies the upload; keep it secret' })
  upload_token!: string;

  @IntegerField({
    description:
      'Size in bytes of every part except the last. If no size was declared, parts may be up to twice as large',
  })
  part_size!: number;
}

export class UploadTokenRequest {
  @StringField({ minLength: 1 })
  upload_token!: string;
}

export class UploadPartsRequest extends UploadTokenRequest {
  @field(arrayKind(integerKind({ minimum: 1, maximum: MAX_PARTS }), { maxItems: MAX_BATCH }), {
    description: 'Numbers of the parts to get URLs for',
  })
  part_numbers!: number[];
}

export class ReceivedPart {
  @IntegerField()
  part_number!: number;

  @StringField()
  etag!: string;

  @IntegerField({ description: 'Size in bytes' })
  size!: number;
}

export class UploadStatusResponse {
  @ObjectArrayField(() => ReceivedPart)
  parts!: ReceivedPart[];

  @IntegerField()
  part_size!: number;

  @IntegerField({ nullable: true, description: 'Declared size in bytes' })
  size!: number | null;

  @DateTimeField()
  expires_at!: Date;
}
