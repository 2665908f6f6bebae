import { readdirSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config/load-config.js';

const FOLDER = 'docker/kubernetes';
/** Classes for the schemas that Kubernetes publishes. */
const KINDS = {
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
};
/** Keys of the secret as listed in docs/operating.md. */
const SECRETS = {
  DATABASE_URL: 'postgres://workspace:secret@postgres:5432/workspace',
  AUTH_JWT_SECRET: 'x'.repeat(32),
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret-key',
  METRICS_TOKEN: 'x'.repeat(16),
};

/** Memory of a process with full caches, without the data engine and solver, and memory of a data engine process. */
const PROCESS_MIB = 1_024;
const ENGINE_MIB = 1_280;

interface Manifest {
  kind: keyof typeof KINDS;
  metadata: { name: string };
}

const { resources, configMapGenerator, images } = parse(readFileSync(`${FOLDER}/kustomization.yaml`, 'utf8')) as {
  resources: string[];
  configMapGenerator: { name: string }[];
  images: { name: string; newTag: string }[];
};
const manifests = resources.flatMap((file) =>
  parseAllDocuments(readFileSync(`${FOLDER}/${file}`, 'utf8')).map((document) => document.toJS() as Manifest),
);
const settings = parseEnv(readFileSync(`${FOLDER}/settings.env`, 'utf8')) as Record<string, string>;

const ofKind = <Kind extends Manifest['kind']>(kind: Kind): InstanceType<(typeof KINDS)[Kind]>[] =>
  manifests
    .filter((manifest) => manifest.kind === kind)
    .map((manifest) => new KINDS[kind](manifest as never) as InstanceType<(typeof KINDS)[Kind]>);

const validate = (manifest: Manifest): void => new KINDS[manifest.kind](manifest as never).validate();

describe('the Kubernetes manifests', () => {
  it.each(manifests.map((manifest): [string, string, Manifest] => [manifest.kind, manifest.metadata.name, manifest]))(
    'include a valid %s with the name %s',
    (_kind, _name, manifest) => {
      validate(manifest);
    },
  );

  it('are checked for wrong types and missing fields', () => {
    const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment');
    const wrong = structuredClone(deployment) as unknown as {
      spec: { template: { spec: { terminationGracePeriodSeconds: unknown; containers?: unknown } } };
    };
    wrong.spec.template.spec.terminationGracePeriodSeconds = '45';
    expect(() => validate(wrong as never)).toThrow('terminationGracePeriodSeconds must be integer');
    wrong.spec.template.spec.terminationGracePeriodSeconds = 45;
    delete wrong.spec.template.spec.containers;
    expect(() => validate(wrong as never)).toThrow('containers');
  });

  it('are all listed in the kustomization', () => {
    const others = ['examples', 'kustomization.yaml', 'settings.env'];
    expect(readdirSync(FOLDER).filter((file) => !others.includes(file))).toEqual([...resources].sort());
  });

  it('use the version in package.json as the image tag', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(images).toEqual([{ name: 'project-workspace-service', newTag: version }]);
  });

  it('restrict the outgoing connections of every pod, and allow only monitoring to connect to workers', () => {
    const policies = new Map(ofKind('NetworkPolicy').map(({ metadata, spec }) => [metadata?.name, spec]));
    const names = [...ofKind('Deployment'), ...ofKind('Job')].map(({ metadata }) => metadata?.name).sort();
    const [egress] = policies.get('workspace-egress')?.podSelector?.matchExpressions ?? [];
    expect([...(egress?.values ?? [])].sort()).toEqual(names);
    const ports = policies.get('workspace-egress')?.egress?.flatMap((rule) => rule.ports?.map(({ port }) => port));
    const { S3_ENDPOINT = '' } = settings;
    expect(ports).toEqual(expect.arrayContaining([53, 443, 5432, Number(new URL(S3_ENDPOINT).port)]));
    expect(policies.get('workspace-worker')?.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ port: 'http' }],
      },
    ]);
  });

  it('include examples of an ingress and of a pod monitor that sends the metrics token', () => {
    const example = (name: string): Manifest =>
      parse(readFileSync(`${FOLDER}/examples/${name}.yaml`, 'utf8')) as Manifest;
    const ingress = new Ingress(example('ingress'));
    ingress.validate();
    const backend = ingress.spec?.rules?.[0]?.http?.paths[0]?.backend.service;
    expect(backend?.name).toBe(ofKind('Service')[0]?.metadata?.name);
    expect(example('pod-monitor')).toMatchObject({
      kind: 'PodMonitor',
      spec: {
        selector: { matchExpressions: [{ values: ofKind('Deployment').map(({ metadata }) => metadata?.name) }] },
        podMetricsEndpoints: [
          { port: 'http', authorization: { credentials: { name: 'workspace-secrets', key: 'METRICS_TOKEN' } } },
        ],
      },
    });
  });

  it('have consistent labels and names', () => {
    const deployments = ofKind('Deployment');
    for (const { spec } of deployments) {
      expect(spec?.template.metadata?.labels).toEqual(spec?.selector.matchLabels);
      expect(spec?.template.spec?.topologySpreadConstraints?.[0]?.labelSelector).toEqual(spec?.selector);
    }
    const labels = deployments.map(({ spec }) => spec?.selector.matchLabels);
    const names = deployments.map(({ metadata }) => metadata?.name).sort();
    for (const { spec } of ofKind('PodDisruptionBudget')) expect(labels).toContainEqual(spec?.selector?.matchLabels);
    for (const { spec } of ofKind('Service')) expect(labels).toContainEqual(spec?.selector);
    expect(ofKind('PodDisruptionBudget')).toHaveLength(names.length);
    expect(
      ofKind('HorizontalPodAutoscaler')
        .map(({ spec }) => spec.scaleTargetRef.name)
        .sort(),
    ).toEqual(names);
    const [account] = ofKind('ServiceAccount');
    const [map] = configMapGenerator;
    for (const { spec } of [...deployments, ...ofKind('Job')]) {
      expect(spec?.template.spec?.serviceAccountName).toBe(account?.metadata?.name);
      for (const { envFrom } of spec?.template.spec?.containers ?? [])
        expect(envFrom).toEqual([{ configMapRef: { name: map?.name } }, { secretRef: { name: 'workspace-secrets' } }]);
    }
  });
});

describe('a pod', () => {
  const pods = [...ofKind('Deployment'), ...ofKind('Job')].map(({ spec }) => spec?.template.spec);

  it.each(['api', 'worker'])('has valid settings and health probes if its role is %s', (role) => {
    const container = pods.flatMap((pod) => pod?.containers ?? []).find(({ name }) => name === role);
    const own = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    const given = { ...settings, ...SECRETS, ...own };
    for (const name of Object.keys(given)) expect(SETTINGS).toContain(name);
    const config = loadConfig(given);
    expect(config).toMatchObject({ ROLE: role, METRICS: true, PORT: container?.ports?.[0]?.containerPort });
    expect(config.s3?.bucket).toBe('workspace');
    for (const probe of [container?.startupProbe, container?.livenessProbe])
      expect(probe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
    expect(container?.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
  });

  it.each(['api', 'worker'])('has enough memory for its maximum concurrent work if its role is %s', (role) => {
    const container = pods.flatMap((pod) => pod?.containers ?? []).find(({ name }) => name === role);
    const own = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    const config = loadConfig({ ...settings, ...SECRETS, ...own });
    const solves = role === 'worker' ? config.maxConcurrentSolves * config.SOLVE_MEMORY_MIB : 0;
    const needed = PROCESS_MIB + config.TABLES_PROCESSES * ENGINE_MIB + solves;
    const limit = String(container?.resources?.limits?.['memory']);
    expect(Number(/^(\d+)Gi$/.exec(limit)?.[1]) * 1024).toBeGreaterThanOrEqual(needed);
  });

  it('has enough time to shut down', () => {
    for (const { spec } of ofKind('Deployment'))
      expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
        Number(settings['STOP_DELAY_SECONDS']) + 25,
      );
  });

  it('runs as an unprivileged user and can write only to its mounted volumes', () => {
    for (const pod of pods) {
      expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      for (const { securityContext, volumeMounts = [] } of pod?.containers ?? []) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(volumeMounts.map(({ name }) => name)).toEqual((pod?.volumes ?? []).map(({ name }) => name));
      }
    }
  });

  it('is scaled by a metric that docs/operating.md lists', () => {
    const [metric] = ofKind('HorizontalPodAutoscaler').flatMap(({ spec }) =>
      (spec.metrics ?? []).flatMap(({ external }) => external?.metric.name ?? []),
    );
    expect(readFileSync('docs/operating.md', 'utf8')).toContain(`| \`${metric}\``);
  });

  it('does not receive secrets from settings.env', () => {
    for (const name of Object.keys(settings)) expect(name).not.toMatch(/PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL/);
  });
});
