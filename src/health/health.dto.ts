import { ApiProperty } from '@nestjs/swagger';
import { StringField } from '../common/validation/fields.js';

const PROCESS_STATES = ['ok', 'degraded', 'error', 'stopping'] as const;
const PART_STATES = ['up', 'degraded', 'down'] as const;

/** State of one of the service's dependencies. */
export class HealthOfPart {
  @ApiProperty({ enum: PART_STATES, description: '`degraded`: works, but needs attention' })
  status!: (typeof PART_STATES)[number];

  @StringField({ nullable: true, description: 'Description of the problem, in a sentence' })
  message!: string | null;

  static readonly up: HealthOfPart = { status: 'up', message: null };
}

export class HealthOfParts {
  @ApiProperty({ type: HealthOfPart })
  database!: HealthOfPart;

  @ApiProperty({
    type: HealthOfPart,
    description: 'If `down`, the process still serves requests that need no file content',
  })
  object_store!: HealthOfPart;

  @ApiProperty({
    type: HealthOfPart,
    description: '`degraded` if turns, solves or data card files have waited for more than a minute',
  })
  queue!: HealthOfPart;
}

/** Whether requests should be sent to this process. */
export class ReadinessResponse {
  @ApiProperty({ enum: PROCESS_STATES, description: 'Ready for requests if `ok` or `degraded`' })
  status!: (typeof PROCESS_STATES)[number];

  @ApiProperty({ type: HealthOfParts })
  parts!: HealthOfParts;
}

/** Confirms that the process runs. */
export class LivenessResponse {
  @ApiProperty({ enum: ['ok'] })
  status!: 'ok';
}
