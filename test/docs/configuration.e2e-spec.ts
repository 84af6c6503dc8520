import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

describe('the tables of docs/configuration.md, and docs/gateway.schema.json', () => {
  it('are what npm run docs:options writes from the options classes', async () => {
    const script = fileURLToPath(new URL('../../scripts/options-docs.mjs', import.meta.url));
    await expect(run(process.execPath, [script, '--check'])).resolves.toMatchObject({ stdout: '' });
  });
});
