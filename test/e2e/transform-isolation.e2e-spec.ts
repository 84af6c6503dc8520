import { TOKEN } from '../support/hooks.ts';
import type { Hooks } from '../support/hooks.ts';
import { TransformFiles, startWithTransform } from '../support/transforms.ts';

const CODE = `export default ({ payload }) => {
  if (payload.attack === 'hang') for (;;);
  if (payload.attack === 'native') return new Array(1e9) + '';
  return null;
};`;
/** The longest that can be set. */
const LONG_MS = 10_000;
/** So that what is stuck is over soon, and what is not has time on a busy machine, too. */
const SOON_MS = 500;

let files: TransformFiles;
let hooks: Hooks;

beforeEach(() => {
  files = new TransformFiles().transform(CODE);
  files.write('transforms/good.ts', 'export default () => null');
});

afterEach(async () => {
  await hooks.close();
  files[Symbol.dispose]();
});

async function start(timeoutMs: number): Promise<void> {
  hooks = await startWithTransform(
    files,
    {},
    {
      mappings: [
        { id: 'bad', transform: { module: 't.ts' } },
        { id: 'good', transform: { module: 'good.ts' } },
      ],
      transformLimits: { timeoutMs, memoryMb: 16 },
    },
  );
}

describe('a transform costs only itself', () => {
  it('other requests are answered while one hangs in native code', async () => {
    const attack = 'native';
    await start(LONG_MS);
    const patience = new AbortController();
    const attacking = fetch(`${hooks.url}/hooks/bad`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ attack }),
      signal: patience.signal,
    }).then(({ status }) => status);
    expect((await hooks.ask('/good', {})).status).toBe(204);
    for (let n = 0; n < 50; n += 1) {
      const { status } = await hooks.post('/wake', { text: 'x', mode: 'next-heartbeat' });
      expect(status).toBe(200);
    }
    patience.abort('nobody waits for it');
    await expect(attacking).rejects.toBe('nobody waits for it');
  });

  it('another transform goes on while one hangs and requests for it wait', async () => {
    const attack = 'hang';
    await start(SOON_MS);
    const first = await hooks.ask('/bad', { attack });
    expect(first).toMatchObject({ status: 504, code: 'transform_timeout' });
    expect((await hooks.details(first['eventId'])).status).toBe('failed');
    const stuck = Array.from({ length: 3 }, () => hooks.ask('/bad', { attack }));
    for (let n = 0; n < 20; n++) expect((await hooks.ask('/good', {})).status).toBe(204);
    const statuses = (await Promise.all(stuck)).map(({ status }) => status);
    expect(statuses).toEqual([504, 504, 504]);
    expect((await hooks.ask('/bad', {})).status).toBe(204);
  });
});
