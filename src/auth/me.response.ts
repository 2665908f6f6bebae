import { DateTimeField, EnumField, StringArrayField, StringField } from '../common/validation/fields.js';
import { ACCESSES, type Access, type Principal } from './principal.js';

/** Identity of the caller. */
export class MeResponse {
  @StringField({ description: 'The caller’s company', example: 'demo' })
  company_id!: string;

  @EnumField(['user', 'api_key'], { description: 'Type of credential' })
  kind!: Principal['kind'];

  @EnumField(['member', 'company'], {
    description: 'With `company`, the caller can change deployments and see all users’ usage',
  })
  role!: 'member' | 'company';

  @StringField({ nullable: true, description: 'Id of the user within the company' })
  user_id!: string | null;

  @StringField({ nullable: true })
  user_name!: string | null;

  @StringField({ nullable: true })
  user_email!: string | null;

  @StringField({ nullable: true })
  user_avatar_url!: string | null;

  @StringField({ nullable: true, description: 'Id of the API key' })
  api_key_id!: string | null;

  @StringField({ nullable: true })
  api_key_name!: string | null;

  @StringField({ nullable: true, description: 'Non-secret part of the API key' })
  api_key_prefix!: string | null;

  @EnumField(ACCESSES, { description: '`read` for an API key that cannot change anything' })
  access!: Access;

  @StringArrayField({
    nullable: true,
    description: 'Projects that the API key can see; null if the key is not limited',
  })
  project_ids!: readonly string[] | null;

  @DateTimeField({ nullable: true, description: 'Expiry time of the credential' })
  expires_at!: Date | null;

  static from(caller: Principal): MeResponse {
    const { company_id, kind, role, user_id, user_name, user_email, user_avatar_url } = caller;
    const { api_key_id, api_key_name, api_key_prefix, access, project_ids, expires_at } = caller;
    const person = { user_id, user_name, user_email, user_avatar_url };
    return {
      company_id,
      kind,
      role,
      ...person,
      api_key_id,
      api_key_name,
      api_key_prefix,
      access,
      project_ids,
      expires_at,
    };
  }
}
