import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/*
 * Decorators that convert and validate the value of a variable. A value that cannot be converted stays unchanged, so that the
 * validator rejects it.
 */

const numeric = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
);

const bounded = (kind: PropertyDecorator, minimum: number, maximum?: number): PropertyDecorator =>
  applyDecorators(numeric, ...(maximum === undefined ? [] : [Max(maximum)]), Min(minimum), kind);

/** Integer within inclusive bounds. */
export const WholeNumber = (minimum: number, maximum?: number): PropertyDecorator => bounded(IsInt(), minimum, maximum);

/** Number within inclusive bounds. Fractions are allowed. */
export const Amount = (minimum: number, maximum?: number): PropertyDecorator => bounded(IsNumber(), minimum, maximum);

/** Boolean: `true` or `false`. */
export const Flag = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsIn([true, false]),
  );

/** Complete http or https URL. Host names need no dot. */
export const HttpUrl = (): PropertyDecorator =>
  IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true });

/** Scheme, host and port of a server. */
export const Origin = (): PropertyDecorator =>
  Matches(/^https?:\/\/[^/?#@\s]+\/?$/, { message: '$property must be an http or https URL without a path' });

/** Address of a PostgreSQL database. User and password are percent-encoded. */
export const PostgresUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'postgresUrl',
    validator: {
      validate: isPostgresUrl,
      defaultMessage: () =>
        '$property must look like postgres://user:password@host:5432/database; write @ : / ? # % in the user and password as %40 %3A %2F %3F %23 %25',
    },
  });

function isPostgresUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password, hash } = new URL(value);
  try {
    decodeURIComponent(username + password);
    return hash === '';
  } catch {
    return false;
  }
}
