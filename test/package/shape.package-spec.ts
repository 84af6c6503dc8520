import { join } from 'node:path';
import { ROOT, TARBALL, run } from './support/packed.ts';

const BIN = join(ROOT, 'node_modules/.bin');

it('publint finds nothing', async () => {
  const { stdout } = await run(join(BIN, 'publint'), ['--strict', TARBALL], ROOT);
  expect(stdout).toContain('All good!');
});

it('arethetypeswrong finds nothing but that a require meets ES modules', async () => {
  const args = ['--ignore-rules', 'cjs-resolves-to-esm', '--format', 'json', TARBALL];
  const { stdout } = await run(join(BIN, 'attw'), args, ROOT);
  const { problems } = JSON.parse(stdout) as { problems: Record<string, unknown> };
  expect(Object.keys(problems)).toEqual(['CJSResolvesToESM']);
});

it('npm pack builds first, and brings no test, no source map and no file of a service', async () => {
  const { stdout } = await run('tar', ['-tzf', TARBALL], ROOT);
  const paths = stdout.split('\n').map((path) => path.replace('package/', ''));
  expect(paths).toContain('dist/index.js');
  // What the command reads at run time.
  expect(paths).toContain('docs/gateway.schema.json');
  expect(paths.filter((path) => /\.spec\.|\.map$|^test\/|^data\/|\.env$/.test(path))).toEqual([]);
});
