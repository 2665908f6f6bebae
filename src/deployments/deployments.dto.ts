import { creationPosition } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import { DateTimeField, ObjectArrayField, StringField } from '../common/validation/fields.js';
import { entityTag } from '../common/etag/entity-tag.js';
import { Tagged } from '../common/etag/tagged.js';
import type { Deployment } from './deployment.entity.js';
import type { DeploymentDetails } from './deployments.service.js';

export class DeploymentCreateRequest {
  @StringField({ minLength: 1, maxLength: 100, description: 'Unique in the company', example: 'Production planning' })
  name!: string;
}

/** Project template owned by a company. */
export class DeploymentResponse {
  @StringField()
  id!: string;

  @StringField({ example: 'Production planning' })
  name!: string;

  @StringField({ description: 'Stable identifier for use in paths', example: 'production-planning' })
  handle!: string;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField({ description: 'Time of the last change to the deployment, its instructions or its skills' })
  updated_at!: Date;

  @StringField({
    optional: true,
    extension: true,
    description:
      'Hash of instructions and skills. A project with a different hash has an outdated copy. Omitted in listings',
  })
  config_digest?: string;

  static from({ id, name, handle, created_at, updated_at }: Deployment): DeploymentResponse {
    return { id, name, handle, created_at, updated_at };
  }

  static tagged(deployment: DeploymentDetails): Tagged<DeploymentResponse> {
    // The tag includes the hash of the files, because uploads do not change the deployment's row.
    const { id, revision, config_digest } = deployment;
    return Tagged.of(entityTag('deployment', id, revision, config_digest), DeploymentResponse.detailed(deployment));
  }

  static detailed(deployment: DeploymentDetails): DeploymentResponse {
    return { ...DeploymentResponse.from(deployment), config_digest: deployment.config_digest };
  }
}

/** The company's deployments, newest first. */
export class DeploymentListResponse extends WalkResponse {
  @ObjectArrayField(() => DeploymentResponse)
  deployments!: DeploymentResponse[];

  static from(page: Page<Deployment>, query: WalkQuery): DeploymentListResponse {
    const deployments = page.rows.map((row) => DeploymentResponse.from(row));
    return { deployments, ...creationPosition('deployments', page, query) };
  }
}
