import { webhook } from '../../src/channels.ts';
import { LedgerAdmin } from '../../src/hooks/index.ts';
import type { EventDetails, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ScriptedServer } from '../support/scripted-server.ts';

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

const CHAT: Mapping = {
  id: 'chat',
  messageTemplate: '{{ user }} wrote: {{ text }}',
  wakeMode: 'next-heartbeat',
  sessionKey: 'chat:1',
};
const HELD = /^it repeats our reply of \d+ s before, for the 4th time in a row: a loop, held$/;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('loops of our own replies (behaviour.md §16)', () => {
  let hooks: Hooks;
  let clock: ManualClock;

  async function start(
    more: Partial<Mapping> = {},
    options: Partial<HooksModuleOptions> = {},
  ): Promise<void> {
    clock = new ManualClock();
    hooks = await Hooks.start({
      agents: {
        defaults: {
          heartbeat: { every: '0m' },
          notify: { channel: 'chan_2', to: 'operator' },
        },
      },
      clock,
      mappings: [{ ...CHAT, ...more }],
      ...options,
    });
    hooks.runner.reply = () => {
      const count = hooks.runner.turns.length;
      return `Attempt "${NAMES[count]}": I restarted <the service> & it's healthy again.`;
    };
  }
  afterEach(() => hooks.close());

  const send = async (
    text: string,
    { user = 'bot', headers = {} }: { user?: string; headers?: Record<string, string> } = {},
  ): Promise<string> => {
    const { status, eventId } = await hooks.ask('/chat', { user, text }, headers);
    expect(status).toBe(200);
    return String(eventId);
  };
  const stands = (eventId: string, status: string): Promise<EventDetails> =>
    eventually(`the run is ${status}`, async () => {
      const details = await hooks.details(eventId);
      return details.runs[0]?.status === status && details;
    });
  /** What the outside sends back of the newest reply, once it was sent. */
  const answered = async (eventId: string): Promise<string> => {
    await hooks.ended(eventId);
    clock.advance(20_000);
    return hooks.chan1.messages.at(-1)!.text;
  };
  /** Sends back what is replied until a run is held. @returns the event that is held */
  const goRound = async (wrap: (text: string) => string, rounds: number): Promise<string> => {
    let eventId = await send('my service is down, please look', { user: 'ana' });
    for (let round = 0; round < rounds; round += 1) {
      eventId = await send(wrap(await answered(eventId)));
    }
    return eventId;
  };
  const forwarded = (text: string): string =>
    JSON.stringify({ note: `Forwarded: ${text.toUpperCase().replaceAll('&', '&amp;')}` });

  it('holds the fourth round, tells of it, keeps its event, and lets others go on', async () => {
    await start();
    const eventId = await goRound(forwarded, 4);
    const held = await stands(eventId, 'waiting');
    expect(held.runs).toMatchObject([{ error: expect.stringMatching(HELD) }]);
    // Its question is on its way for a moment.
    await eventually('all of it waits', async () => {
      return (await hooks.details(eventId)).status === 'waiting';
    });
    expect(hooks.runner.turns).toHaveLength(4);
    const admin = hooks.app.get(LedgerAdmin);
    expect(await admin.waiting()).toMatchObject([{ hook: 'chat', cause: 'loop', count: 1 }]);
    const told = await eventually('the operator is told', () => hooks.chan2.messages[0]);
    expect(told.text).toMatch(/chat would begin a run .* \(it repeats our reply of 20 s before/);
    // Others of the session are not behind it.
    await answered(await send('and what about my invoice?', { user: 'ana' }));
    const { waits } = await admin.waits({ limit: 9 });
    expect(waits).toMatchObject([{ eventId, kind: 'run' }]);
    const decision = { verdict: 'approved', by: 'operator ana', at: clock.now() } as const;
    expect(await admin.decide(waits[0]!.id, decision)).toBe('decided');
    expect((await hooks.ended(eventId)).runs).toMatchObject([{ status: 'succeeded', error: null }]);
    // From there on it is counted anew.
    let next = eventId;
    for (let round = 0; round < 3; round += 1) next = await send(forwarded(await answered(next)));
    await hooks.ended(next);
    next = await send(forwarded(await answered(next)));
    await stands(next, 'waiting');
  });

  it('given up when nobody decides, it can be retried and is asked about again', async () => {
    await start();
    const eventId = await goRound(forwarded, 4);
    await stands(eventId, 'waiting');
    clock.advance(24 * 3_600_000);
    const { status, runs } = await hooks.ended(eventId);
    expect([status, runs[0]?.error]).toEqual(['failed', 'nobody decided in time']);
    expect(await hooks.retry(eventId)).toBe(1);
    expect((await stands(eventId, 'waiting')).runs[0]?.error).toMatch(HELD);
  });

  it('goes on where the mapping says so', async () => {
    await start({ loops: 'ignore' });
    const { status } = await hooks.ended(await goRound(forwarded, 6));
    expect(status).toBe('done');
  });

  it('goes on while somebody adds words of his own to what he quotes', async () => {
    await start();
    const words = ['fine', 'and now?', 'once more please', 'fine', 'stop it', 'thanks a lot'];
    const quoted = (text: string): string => `> ${text}\n\n${words.shift()}`;
    const { status } = await hooks.ended(await goRound(quoted, 6));
    expect(status).toBe('done');
  });

  it('goes on where what began it says itself again, with our reply noted beside it', async () => {
    await start();
    const alert = 'the disk of the database host is almost full';
    let eventId = await send(alert);
    for (let times = 0; times < 6; times += 1) {
      eventId = await send(`${alert}\nnote: ${await answered(eventId)}`);
    }
    expect((await hooks.ended(eventId)).status).toBe('done');
  });

  it('knows what came of a reply by the header that was passed on, whatever it says', async () => {
    const server = new ScriptedServer(() => ({ status: 204, headers: {}, chunks: [] }));
    await server.listen();
    const url = `${server.origin}/messages`;
    const provider = webhook({ url, secrets: [SECRET], allowPrivate: true });
    await start({}, { channels: { chan_1: { provider, to: 'desk' } } });
    let eventId = await send('is anybody there?', { user: 'ana' });
    for (const word of ['one', 'two', 'three', 'four']) {
      await hooks.ended(eventId);
      const passed = String(server.requests.at(-1)!.headers['hooks-run']);
      expect(passed).toBe((await hooks.details(eventId)).runs[0]!.id);
      eventId = await send(`${word} is what I say to that`, { headers: { 'hooks-run': passed } });
    }
    expect((await stands(eventId, 'waiting')).runs[0]?.error).toMatch(HELD);
    await server.close();
  });
});

const NAMES = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
