import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../platform/validation/fields.js';
import type { Execution } from './execution.entity.js';

/** A solve execution of a project. */
export class ExecutionResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField({ description: '`queued`, `running`, `succeeded`, `failed` or `canceled`', example: 'succeeded' })
  status!: string;

  @StringField({ description: '`user:<id>`, `api_key:<id>` or `agent:<turn id>`', example: 'user:ada' })
  triggered_by!: string;

  @DateTimeField()
  created_at!: Date;

  @StringArrayField({ optional: true, nullable: true })
  input_file_ids!: string[] | null;

  @BooleanField({ optional: true })
  is_test!: boolean;

  static from({
    id,
    project_id,
    status,
    triggered_by,
    created_at,
    input_file_ids,
    is_test,
  }: Execution): ExecutionResponse {
    return { id, project_id, status, triggered_by, created_at, input_file_ids, is_test };
  }
}

/** Executions of a project, most recent first. */
export class ExecutionListResponse {
  @ObjectArrayField(() => ExecutionResponse)
  executions!: ExecutionResponse[];

  @IntegerField()
  limit!: number;

  @IntegerField()
  offset!: number;

  @IntegerField()
  total!: number;

  static from({ rows, total }: Page<Execution>, { limit, offset }: PageQuery): ExecutionListResponse {
    return { executions: rows.map((row) => ExecutionResponse.from(row)), limit, offset, total };
  }
}
