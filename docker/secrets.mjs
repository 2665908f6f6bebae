import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Writes each secret of compose.yaml to a file for its services: the value from the environment, an existing value, or a new
 * random value. No secret is therefore known before the first start, and no secret changes afterwards.
 */
const FOLDER = '/secrets';
const { POSTGRES_PASSWORD, AUTH_JWT_SECRET, S3_ACCESS_KEY, S3_SECRET_KEY, METRICS_TOKEN } = process.env;

const folder = process.argv[2] ?? FOLDER;
const file = (name) => join(folder, name);
const random = () => randomBytes(24).toString('hex');

function keep(name, given) {
  if (!given && existsSync(file(name))) return;
  // The services run as different users and share the volume.
  writeFileSync(file(`${name}.new`), given || random(), { mode: 0o444 });
  renameSync(file(`${name}.new`), file(name));
}

if (POSTGRES_PASSWORD && !/^[\w.~-]+$/.test(POSTGRES_PASSWORD)) {
  console.error('POSTGRES_PASSWORD may have letters, digits and . _ ~ - only: it becomes part of a URL');
  process.exit(1);
}
keep('postgres_password', POSTGRES_PASSWORD);
keep('database_url', `postgres://workspace:${readFileSync(file('postgres_password'), 'utf8')}@postgres:5432/workspace`);
keep('auth_jwt_secret', AUTH_JWT_SECRET);
keep('s3_access_key', S3_ACCESS_KEY);
keep('s3_secret_key', S3_SECRET_KEY);
keep('metrics_token', METRICS_TOKEN);
// PostgreSQL and MinIO only receive their own secrets.
share('postgres', ['postgres_password']);
share('minio', ['s3_access_key', 's3_secret_key']);

function share(service, names) {
  const target = `${folder}-${service}`;
  mkdirSync(target, { recursive: true });
  for (const name of names) {
    copyFileSync(file(name), join(target, `${name}.new`));
    renameSync(join(target, `${name}.new`), join(target, name));
  }
}
