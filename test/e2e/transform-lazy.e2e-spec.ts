import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TransformFiles } from '../support/transforms.ts';

const run = promisify(execFile);
const DIST = new URL('../../dist/', import.meta.url).href;

const SCRIPT = `
import { registerHooks } from 'node:module';
const imported = [];
registerHooks({ resolve: (name, context, next) => (imported.push(name), next(name, context)) });
await import('reflect-metadata');
const { NestFactory } = await import('@nestjs/core');
const { FastifyAdapter } = await import('@nestjs/platform-fastify');
const { HooksModule, demoRunner } = await import('${DIST}index.js');
const { TransformSandbox } = await import('${DIST}hooks/index.js');
const { memoryLedger } = await import('${DIST}testing.js');
const token = 'a-token-for-the-lazy-start-test';
const [configDir, mapping] = process.argv.slice(1);
const module = HooksModule.forRoot({
  enabled: true, token, ledger: memoryLedger(), runner: demoRunner(), configDir, mappings: [JSON.parse(mapping)],
  transformLimits: { timeoutMs: 60_000 },
});
const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const answer = await fetch((await app.getUrl()) + '/hooks/m', {
  method: 'POST', headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' }, body: '{}',
});
const { threads } = app.get(TransformSandbox);
await app.close();
const has = (name) => imported.some((it) => it.includes(name));
console.log(JSON.stringify([answer.status, threads, has('esbuild'), has('quickjs')]));
`;

async function started(files: TransformFiles, mapping: object): Promise<unknown> {
  const args = ['--input-type=module', '-e', SCRIPT, files.path, JSON.stringify(mapping)];
  const { stdout } = await run(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
  return JSON.parse(stdout);
}

describe('without a transform', () => {
  it('neither bundler nor engine is imported, and no thread is started', async () => {
    using files = new TransformFiles();
    expect(await started(files, { id: 'm' })).toEqual([200, 0, false, false]);
  });

  it('with one, the bundler is imported, the engine in the thread only, and the process ends by itself', async () => {
    using files = new TransformFiles().transform('export default () => null');
    const mapping = { id: 'm', transform: { module: 't.ts' } };
    expect(await started(files, mapping)).toEqual([204, 1, true, false]);
  });
});
