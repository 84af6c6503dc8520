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
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
const has = (name) => imported.some((it) => it.includes(name));
const [configDir, mappings] = process.argv.slice(1);
for (const mapping of JSON.parse(mappings)) {
  const module = HooksModule.forRoot({
    enabled: true, token, ledger: memoryLedger(), runner: demoRunner(), configDir, mappings: [mapping],
    transformLimits: { timeoutMs: 60_000 },
  });
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  const answer = await fetch((await app.getUrl()) + '/hooks/m', { method: 'POST', headers, body: '{}' });
  const { threads } = app.get(TransformSandbox);
  await app.close();
  console.log(JSON.stringify([answer.status, threads, has('esbuild'), has('quickjs')]));
}
`;

it('the bundler is imported for the first transform, the engine in its thread only, and the process ends by itself', async () => {
  using files = new TransformFiles().transform('export default () => null');
  const mappings = [{ id: 'm' }, { id: 'm', transform: { module: 't.ts' } }];
  const args = ['--input-type=module', '-e', SCRIPT, files.path, JSON.stringify(mappings)];
  const { stdout } = await run(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
  expect(stdout.trim().split('\n')).toEqual(['[200,0,false,false]', '[204,1,true,false]']);
});
