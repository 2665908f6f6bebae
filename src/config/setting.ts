import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsUrl, Matches, Max, Min, ValidateBy } from 'class-validator';

/*
 * What the text of a variable is turned into, and which values are taken. A value that cannot be turned is left for the
 * validator to refuse.
 */

const numeric = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
);

const bounded = (kind: PropertyDecorator, minimum: number, maximum?: number): PropertyDecorator =>
  applyDecorators(numeric, ...(maximum === undefined ? [] : [Max(maximum)]), Min(minimum), kind);

/** An integer, bounds included. */
export const WholeNumber = (minimum: number, maximum?: number): PropertyDecorator => bounded(IsInt(), minimum, maximum);

/** A number that may have a fraction, bounds included. */
export const Amount = (minimum: number, maximum?: number): PropertyDecorator => bounded(IsNumber(), minimum, maximum);

/** `true` or `false`. */
export const Flag = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsIn([true, false]),
  );

/** A whole http or https URL; hosts need no dot. */
export const HttpUrl = (): PropertyDecorator =>
  IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true });

/** Scheme, host and port of a server. */
export const Origin = (): PropertyDecorator =>
  Matches(/^https?:\/\/[^/?#@\s]+\/?$/, { message: '$property must be an http or https URL without a path' });

/** Address of a PostgreSQL database, its user and password percent-encoded. */
export const PostgresUrl = (): PropertyDecorator =>
  ValidateBy({
    name: 'postgresUrl',
    validator: {
      validate: isPostgresUrl,
      defaultMessage: () =>
        '$property must be like postgres://user:password@host:5432/database; in user and password write @ : / ? # % as %40 %3A %2F %3F %23 %25',
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
