import { isId } from '../../common/errors/errors.js';
import type { Page } from '../../common/listing/page.js';
import { nextPage } from '../../common/listing/cursor.js';
import type { WalkQuery } from '../../common/listing/walk.query.js';
import { WalkResponse } from '../../common/listing/walk.response.js';
import {
  DateTimeField,
  EnumField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../../common/validation/fields.js';
import { ACCESSES, type Access, type Role } from '../principal.js';
import type { ApiKey } from './api-key.entity.js';

const ROLES = ['member', 'company'] as const satisfies Role[];

/** Returns the reason why the strings are not project ids, without a full stop. */
const idsProblem = (ids: readonly string[]): string | undefined => {
  if (ids.length === 0) return 'there must be at least one project';
  return ids.every((id) => isId(id)) ? undefined : 'each must be the id of a project';
};

export class ApiKeyCreateRequest {
  @StringField({
    minLength: 1,
    maxLength: 100,
    description: 'Purpose of the key; messages posted with it show this name',
    example: 'Nightly import',
  })
  name!: string;

  @EnumField(ROLES, { default: 'member', description: 'Role of the key; never above its creator’s current role' })
  role!: Role;

  @EnumField(ACCESSES, { default: 'write', description: 'With `read`, the key cannot change anything' })
  access!: Access;

  @StringArrayField({
    optional: true,
    nullable: true,
    maxItems: 100,
    check: idsProblem,
    description:
      'Limits the key to these projects. It then cannot create projects. Default: all projects that its creator can ' +
      'see.',
  })
  project_ids?: string[] | null;

  @DateTimeField({
    optional: true,
    description: 'Expiry time of the key. Defaults to 90 days from now',
    check: (moment) => (moment.getTime() > Date.now() ? undefined : 'the time must be in the future'),
  })
  expires_at?: Date;
}

/** API key without its secret. */
export class ApiKeyResponse {
  @StringField()
  id!: string;

  @StringField({ example: 'Nightly import' })
  name!: string;

  @StringField({ description: 'Non-secret part of the key', example: '0f3a9c71be52' })
  prefix!: string;

  @EnumField(ROLES, { description: 'Highest role of the key; never above its creator’s current role' })
  role!: Role;

  @EnumField(ACCESSES, { description: 'With `read`, the key cannot change anything' })
  access!: Access;

  @StringArrayField({
    nullable: true,
    description: 'Projects that the key can see. Null if it can see all projects that its creator can see',
  })
  project_ids!: string[] | null;

  @StringField({ description: 'Id of the user who created the key' })
  created_by!: string;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  expires_at!: Date;

  @DateTimeField({ nullable: true, description: 'Precise to the minute; null if never used' })
  last_used_at!: Date | null;

  static from(row: ApiKey): ApiKeyResponse {
    const { id, name, prefix, role, access, project_ids, created_by, created_at, expires_at, last_used_at } = row;
    return { id, name, prefix, role, access, project_ids, created_by, created_at, expires_at, last_used_at };
  }
}

/** New API key with its secret. */
export class ApiKeyCreateResponse extends ApiKeyResponse {
  @StringField({ description: 'Bearer token of the key; returned only once', example: 'pws_<prefix>_<secret>' })
  key!: string;

  static created({ row, key }: { row: ApiKey; key: string }): ApiKeyCreateResponse {
    return { ...ApiKeyResponse.from(row), key };
  }
}

/** API keys that the caller may revoke, newest first. */
export class ApiKeyListResponse extends WalkResponse {
  @ObjectArrayField(() => ApiKeyResponse)
  api_keys!: ApiKeyResponse[];

  static from({ rows, total }: Page<ApiKey>, query: WalkQuery): ApiKeyListResponse {
    const { limit, offset } = query;
    const next = nextPage(
      'keys',
      query,
      rows.map((row) => row.id),
    );
    return { api_keys: rows.map((row) => ApiKeyResponse.from(row)), limit, offset, total, ...next };
  }
}
