import { readFile } from 'node:fs/promises';
import { GATEWAY_NAMES, checkOptions } from '../../src/hooks/index.ts';
import { Hooks } from '../support/hooks.ts';
import { readExamples } from '../support/page-examples.ts';

const TOKEN = 'a-long-and-random-hook-token-1';
const page = await readFile(new URL('../../docs/openclaw.md', import.meta.url), 'utf8');
const [agents, builtIns] = readExamples(page).map(({ configuration }) => configuration);
const options = {
  enabled: true,
  token: TOKEN,
  ...agents?.['hooks'],
  ...builtIns?.['hooks'],
  agents: agents?.['agents'],
};

describe('docs/openclaw.md', () => {
  it('shows configurations that are accepted without a warning', async () => {
    expect(await checkOptions(options, GATEWAY_NAMES)).toMatchObject({
      problems: [],
      warnings: [],
    });
  });

  it('shows mappings that take the requests of its senders', async () => {
    const hooks = await Hooks.start(options);
    const post = (path: string, body: object, key = '') =>
      fetch(`${hooks.url}/hooks/${path}`, {
        method: 'POST',
        headers: {
          'x-openclaw-token': TOKEN,
          'x-openclaw-idempotency-key': key,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const first = await post('agent', { message: 'look' }, 'k-1');
    expect(first.status).toBe(200);
    const again = await post('agent', { message: 'look' }, 'k-1');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const woken = await post('wake', { text: 'up', agentId: 'ops' });
    const { eventId } = (await woken.json()) as { eventId: string };
    expect((await hooks.ended(eventId)).actions).toMatchObject([{ kind: 'wake', agentId: 'ops' }]);
    await hooks.close();
  });
});
