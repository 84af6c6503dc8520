import { existsSync, readFileSync } from 'node:fs';
import { OPTIONAL_PACKAGES } from '../../src/platform/optional-package.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { optional?: boolean }>>;
  readonly exports: Readonly<Record<string, string | { types: string; default: string }>>;
  readonly typesVersions: Readonly<Record<'*', Record<string, string[]>>>;
  readonly [key: string]: unknown;
}

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;

describe('the dependencies', () => {
  it('are what the library and its commands cannot run without (docs/design/service.md)', () => {
    expect(Object.keys(dependencies)).toEqual([
      '@clack/prompts',
      '@nestjs/throttler',
      '@remix-run/multipart-parser',
      'class-transformer',
      'class-validator',
      'commander',
      'esbuild',
      'ipaddr.js',
      'json5',
      'quickjs-wasi',
      'uuid',
    ]);
  });

  it('are ranges, so that a host shares its own copies and gets security patches', () => {
    for (const range of Object.values({ ...dependencies, ...peerDependencies }))
      expect(range).toMatch(/^\^\d+\.\d+\.\d+(?: \|\| \^\d+\.\d+\.\d+)*$/);
  });

  it('that only some people need are optional peers, in the range that is checked when one is loaded', () => {
    const optional = Object.keys(peerDependenciesMeta);
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(optional.map((name) => [name, { optional: true }])),
    );
    expect(Object.fromEntries(optional.map((name) => [name, peerDependencies[name]]))).toEqual(
      OPTIONAL_PACKAGES,
    );
  });

  it('of this checkout are exact, the optional peers among them', () => {
    expect(Object.keys(devDependencies)).toEqual(
      expect.arrayContaining(Object.keys(OPTIONAL_PACKAGES)),
    );
    for (const version of Object.values(devDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('that are required peers come from the lock: as development packages --omit=dev would leave them out', () => {
    const required = Object.keys(peerDependencies).filter(
      (name) => !(name in peerDependenciesMeta),
    );
    expect(required.filter((name) => name in devDependencies)).toEqual([]);
  });

  it('are locked without the address of a registry', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});

describe('the faces', () => {
  const faces = Object.keys(manifest.exports).filter((face) => face !== './package.json');

  it('have a source, types and code each', () => {
    for (const face of faces) {
      const name = face === '.' ? 'index' : face.slice('./'.length);
      expect(existsSync(new URL(`src/${name}.ts`, ROOT))).toBe(true);
      expect(manifest.exports[face]).toEqual({
        types: `./dist/${name}.d.ts`,
        default: `./dist/${name}.js`,
      });
    }
  });

  it('are found by resolvers that do not read exports', () => {
    const names = faces.filter((face) => face !== '.').map((face) => face.slice('./'.length));
    expect(manifest['main']).toBe('./dist/index.js');
    expect(manifest['types']).toBe('./dist/index.d.ts');
    expect(manifest.typesVersions).toEqual({
      '*': Object.fromEntries(names.map((name) => [name, [`./dist/${name}.d.ts`]])),
    });
  });

  it('with code refuse a Node that is too old before anything else', () => {
    for (const face of faces.filter((face) => face !== './transform')) {
      const source = read(`src/${face === '.' ? 'index' : face.slice('./'.length)}.ts`);
      expect(/^(?:import|export) [^;]+;/m.exec(source)?.[0]).toBe(
        "import './platform/required-node.ts';",
      );
    }
  });
});

it('says where the project lives, and what it is about', () => {
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: expect.stringMatching(/^git\+https:.+\.git$/) },
    homepage: expect.stringMatching(/^https:/),
    bugs: expect.stringMatching(/^https:/),
    keywords: expect.arrayContaining(['nestjs', 'webhook', 'ai-agents']),
  });
});
