import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NEST, ROOT, TARBALL, beginProject, newDirectory, pinned, run } from './support/packed.ts';

let directory: string;
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What a newcomer copies: the first block of TypeScript, and the test. */
async function examples(): Promise<{ module: string; test: string; script: string }> {
  const page = await readFile(join(ROOT, 'docs/embedding.md'), 'utf8');
  const blocks = Array.from(page.matchAll(/```(?:ts|json)\n(.*?)```/gs), ([, block]) => block!);
  const having = (text: string): string => blocks.find((block) => block.includes(text)) ?? '';
  return {
    module: having('@OnHook'),
    test: having('settled(app)'),
    script: having('"scripts"'),
  };
}

const IMPORTS = `import { Test } from '@nestjs/testing';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { HooksModule } from 'nestjs-agent-hooks';
import { Releases } from './app.module';
`;

const SWC = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

describe.each(['11', '12'])('with Nest %s', (major) => {
  it('the first handler of docs/embedding.md gets a signed event in its own test', async () => {
    const project = join(directory, major);
    await mkdir(project);
    const ranges = Object.entries(NEST).map(([name, range]) => {
      const own = range.split(' || ').find((one) => one.startsWith(`^${major}.`));
      return [name, own ?? range];
    });
    await beginProject(project, Object.fromEntries(ranges));
    const testing = `@nestjs/testing@^${major}.0.0`;
    const tools = [
      ...pinned('jest', '@swc/core', 'typescript', '@types/jest', '@types/node'),
      '@swc/jest@0.2.39',
      testing,
    ];
    await run('npm', ['install', '--no-audit', '--no-fund', ...tools, TARBALL], project);
    const { module, test, script } = await examples();
    await writeFile(join(project, 'app.module.ts'), module);
    await writeFile(join(project, 'app.module.spec.ts'), IMPORTS + test);
    const manifest = join(project, 'package.json');
    const jest = {
      transform: { '\\.ts$': ['@swc/jest', SWC] },
      extensionsToTreatAsEsm: ['.ts'],
      testEnvironment: 'node',
    };
    const written: object = JSON.parse(await readFile(manifest, 'utf8'));
    await writeFile(manifest, JSON.stringify({ ...written, ...JSON.parse(script), jest }));
    const tsc = ['tsc', '--noEmit', '--skipLibCheck', '--strict', '--target', 'es2023'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'jest,node'];
    const files = ['--experimentalDecorators', 'app.module.ts', 'app.module.spec.ts'];
    await run('npx', [...tsc, ...modules, ...files], project);
    const { stderr } = await run('npm', ['test'], project);
    expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
  });
});
