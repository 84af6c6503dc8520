import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServedGateway } from '../support/served-gateway.ts';

// A data directory that was taken away while a service used it: whoever makes another one hides what is in the first.

const TOKEN = 'the-hook-token-of-the-tests';

let dir: ConfigDirectory;
let data: string;
beforeEach(() => {
  dir = new ConfigDirectory();
  data = join(dir.path, 'data');
  dir.write('gateway.json5', { hooks: { enabled: true, token: TOKEN } });
});
afterEach(() => dir[Symbol.dispose]());

const said = (service: ServedGateway) => service.log.lines.join('\n');

it('is not made again by a stop, which would write when tokens were used', async () => {
  await using service = await ServedGateway.start(dir.path);
  // Of a heartbeat that is under way, the ledger would be told first, and find that it is lost.
  const wake = await service.post('/hooks/wake', { text: 'x', mode: 'next-heartbeat' });
  expect(wake.status).toBe(200);
  renameSync(data, `${data}-moved`);
  await service.stop();
  expect(said(service)).toContain('when tokens were last used cannot be kept (ENOENT)');
  expect(existsSync(data)).toBe(false);
});

it('is not made again by a reload, and the operator keeps the token in it', async () => {
  await using service = await ServedGateway.start(dir.path);
  const operator = readFileSync(join(data, 'operator-token'), 'utf8').trim();
  renameSync(data, `${data}-moved`);
  process.emit('SIGHUP');
  await eventually('it is read', () => said(service).includes('The changed configuration'));
  expect(said(service)).toContain('The changed configuration was refused');
  expect(said(service)).toContain('store.dir must hold a writable directory');
  expect(existsSync(data)).toBe(false);
  const { status } = await service.get('/ops/api/configuration', { token: operator });
  expect(status).toBe(200);
});
