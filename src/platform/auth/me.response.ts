import { EnumField, StringField } from '../validation/fields.js';
import type { Principal } from './principal.js';

/** Who the caller is, as this service sees it. */
export class MeResponse {
  @StringField({ description: 'Company of the caller', example: 'demo' })
  company_id!: string;

  @EnumField(['user'], { description: 'What kind of credential was used' })
  kind!: Principal['kind'];

  @EnumField(['member', 'company'], { description: '`company` may change deployments and see everyone’s usage' })
  role!: 'member' | 'company';

  @StringField({ nullable: true, description: 'Id of the user inside the company' })
  user_id!: string | null;

  @StringField({ nullable: true })
  user_name!: string | null;

  @StringField({ nullable: true })
  user_email!: string | null;

  @StringField({ nullable: true })
  user_avatar_url!: string | null;

  static from({ company_id, kind, role, user_id, user_name, user_email, user_avatar_url }: Principal): MeResponse {
    return { company_id, kind, role, user_id, user_name, user_email, user_avatar_url };
  }
}
