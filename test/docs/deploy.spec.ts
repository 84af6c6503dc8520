import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { inspectConfiguration } from '../../src/service/index.ts';

interface Manifest {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly automountServiceAccountToken?: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: string[] } } };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const ENV = {
  DATABASE_URL: 'postgres://hooks:a-password@postgres:5432/hooks?sslmode=verify-full',
  HOOK_TOKEN: 'hook-token-0123456789abcdef',
  OPERATOR_TOKEN: 'operator-token-0123456789abcdef',
  OPENAI_API_KEY: 'sk-0123456789abcdef0123456789abcdef',
};

const read = (path: string): Promise<string> => readFile(path, 'utf8');

async function manifest(kind: string): Promise<Manifest> {
  const documents = parseAllDocuments(await read('deploy/kubernetes.yaml'));
  const found = documents.map((one) => one.toJS() as Manifest).filter((one) => one.kind === kind);
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe('deploy/kubernetes.yaml', () => {
  let dir: string;
  beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'deploy-'))));
  afterEach(() => rm(dir, { recursive: true }));

  async function inspect() {
    const { data } = await manifest('ConfigMap');
    await writeFile(join(dir, 'gateway.json5'), data['gateway.json5']!);
    return inspectConfiguration(dir, ENV);
  }

  it('has a configuration that the service takes as it is', async () => {
    const { problems, warnings, needed } = await inspect();
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    // Every optional package that it needs is in the image that its first lines build.
    const [, packages = ''] = /PACKAGES='([^']+)'/.exec(await read('deploy/kubernetes.yaml')) ?? [];
    expect(packages.split(' ')).toEqual(expect.arrayContaining(needed.map(({ name }) => name)));
  });

  it('has no token of the cluster where commands of agents run', async () => {
    const { spec } = (await manifest('Deployment')).spec.template;
    expect(spec.automountServiceAccountToken).toBe(false);
  });

  it('gives runs their time to end before a pod is killed', async () => {
    const { data } = await manifest('ConfigMap');
    const shutdownSeconds = Number(/shutdownSeconds: (\d+)/.exec(data['gateway.json5']!)![1]);
    const { spec } = (await manifest('Deployment')).spec.template;
    const [{ lifecycle }] = spec.containers;
    const [command, seconds] = lifecycle.preStop.exec.command;
    expect(command).toBe('sleep');
    const most = Number(seconds) + shutdownSeconds;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(most + 10);
  });

  it('asks for health where the service answers', async () => {
    const { paths } = JSON.parse(await read('docs/openapi.json'));
    const { spec } = (await manifest('Deployment')).spec.template;
    const [{ ports, startupProbe, readinessProbe, livenessProbe }] = spec.containers;
    expect(ports).toEqual([{ name: 'http', containerPort: 18790 }]);
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(Object.keys(paths)).toContain(httpGet.path);
      expect(httpGet.port).toBe('http');
    }
    expect(readinessProbe.httpGet.path).toBe('/health/ready');
  });

  it('mounts what the service reads and writes, and nothing else is writable', async () => {
    const { spec } = (await manifest('Deployment')).spec.template;
    const [{ env, volumeMounts }] = spec.containers;
    const places = volumeMounts.map(({ mountPath }) => mountPath);
    const directory = env.find(({ name }) => name === 'GATEWAY_CONFIG_DIR')?.value;
    expect(places).toEqual([directory, '/var/lib/hooks', '/tmp']);
    const { data } = await manifest('ConfigMap');
    expect(data['gateway.json5']).toContain(`dir: '/var/lib/hooks'`);
  });

  it('protects and serves the very pods that it makes', async () => {
    const { spec } = await manifest('Deployment');
    const { labels } = spec.template.metadata;
    expect(spec.replicas).toBe(3);
    expect(spec.selector.matchLabels).toEqual(labels);
    expect((await manifest('PodDisruptionBudget')).spec.selector.matchLabels).toEqual(labels);
    expect((await manifest('Service')).spec.selector).toEqual(labels);
  });
});

describe('deploy/compose.yaml', () => {
  it('is for this machine alone, and keeps what the image reads and writes', async () => {
    const [file] = parseAllDocuments(await read('deploy/compose.yaml'));
    const { services } = file!.toJS() as {
      services: Record<'hooks' | 'postgres', { ports?: string[]; volumes: string[] }>;
    };
    const { hooks, postgres } = services;
    expect(hooks.ports).toEqual(['127.0.0.1:18790:18790']);
    expect(postgres.ports).toBeUndefined();
    const image = await read('deploy/Dockerfile');
    const [, volume] = /^VOLUME (\S+)$/m.exec(image) ?? [];
    expect(hooks.volumes).toEqual([`hooks:${volume}`]);
    expect(image).toContain(`GATEWAY_CONFIG_DIR=${volume} `);
    expect(image).toContain(`RUN install -d -o node -g node -m 0700 ${volume}\n`);
  });
});

describe('deploy/Dockerfile', () => {
  it('takes nothing that is not pinned: a release of Node, and libraries by the lock file', async () => {
    const text = await read('deploy/Dockerfile');
    expect(text).toMatch(/^ARG NODE=node:\d+\.\d+\.\d+-slim$/m);
    const bases = Array.from(text.matchAll(/^FROM (\S+)/gm), ([, base]) => base);
    expect(new Set(bases)).toEqual(new Set(['${NODE}']));
    expect(text).not.toMatch(/npm (?:i|install|add|exec)\b|npx/);
    const lock = JSON.parse(await read('package-lock.json')) as {
      packages: Record<string, { integrity?: string }>;
    };
    const [, named = ''] = /^ARG PACKAGES="([^"]+)"$/m.exec(text) ?? [];
    const { peerDependencies } = JSON.parse(await read('package.json')) as {
      peerDependencies: Record<string, string>;
    };
    expect(named).not.toBe('');
    for (const name of named.split(' ')) {
      expect(peerDependencies).toHaveProperty(name);
      expect(lock.packages[`node_modules/${name}`]?.integrity).toMatch(/^sha512-/);
    }
  });
});

it('deploy/hooks.service signals the service alone, so that programs of runs have its time to end', async () => {
  expect(await read('deploy/hooks.service')).toMatch(/^KillMode=mixed$/m);
});
