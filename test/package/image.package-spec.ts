import { copyFile, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, newDirectory, run } from './support/packed.ts';

async function stepOf(stage: string): Promise<string> {
  const text = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const [, after = ''] = text.split(` AS ${stage}\n`);
  const [own = ''] = after.split('\nFROM ');
  const [, step = ''] = /^RUN ((?:.*\\\n)*.*)$/m.exec(own) ?? [];
  return step.replaceAll('\\\n', ' ');
}

const read = async (path: string): Promise<string> =>
  (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;

describe('the libraries of the image (deploy/Dockerfile)', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await newDirectory();
    for (const name of ['package.json', 'package-lock.json']) {
      await copyFile(join(ROOT, name), join(directory, name));
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('are those of package-lock.json, with what the image adds and nothing of development', async () => {
    const step = await stepOf('libraries');
    await run('env', ['PACKAGES=pg prom-client ai', 'sh', '-c', step], directory);
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    for (const name of ['pg', 'prom-client', 'ai', '@nestjs/core', 'esbuild']) {
      const installed = await read(join(directory, 'node_modules', name, 'package.json'));
      expect({ name, installed }).toEqual({
        name,
        installed: lock.packages[`node_modules/${name}`]?.version,
      });
    }
    const names = await readdir(join(directory, 'node_modules'));
    expect(names).not.toContain('jest');
    expect(names).not.toContain('typescript');
  });

  it('cannot be ones that the lock file does not have', async () => {
    const step = await stepOf('libraries');
    await copyFile(join(ROOT, 'package.json'), join(directory, 'package.json'));
    await expect(run('env', ['PACKAGES=left-pad', 'sh', '-c', step], directory)).rejects.toThrow();
  });
});
