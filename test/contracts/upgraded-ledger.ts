import { ConsoleSessions, EventStore, LedgerAdmin, Refusals } from '../../src/hooks/index.ts';
import type { AgentTurn, LedgerProvider } from '../../src/hooks/index.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';
import { ClockSinceKill } from '../support/kept-ledgers.ts';

/** As the senders of edition 1 asked; the first had the key `known key`. */
function asked(name: string, session: string) {
  const message = `Please answer [${name}:1]`;
  return { message, sessionKey: `faults:${session}`, channel: 'chan_2', to: '42' };
}

/** @param digest of the session of the console that somebody has */
export async function goesOn(ledger: LedgerProvider, digest: string): Promise<void> {
  const hooks = await Hooks.start({
    ledger,
    clock: new ClockSinceKill(),
    defaultSessionKey: 'faults:default',
    allowRequestSessionKey: true,
    allowedSessionKeyPrefixes: ['faults:'],
    agents: { defaults: { heartbeat: { every: '0m' }, notify: false } },
  });
  const markerOf = ({ prompt }: AgentTurn) => /Please answer (\[.*?\])/.exec(prompt)?.[1];
  hooks.runner.reply = (turn) =>
    turn.kind === 'run' ? `Done with ${markerOf(turn)}` : 'HEARTBEAT_OK';
  try {
    const { events } = await hooks.app.get(EventStore).list({ limit: 50 });
    const idOf = (name: string) =>
      events.find(({ headline }) => headline?.includes(`[${name}:1]`) === true)!.id;
    const names = ['undelivered', 'interrupted', 'away', 'queued 1', 'queued 2', 'listed'];
    for (const name of names) {
      const { status, runs, deliveries } = await hooks.ended(idOf(name));
      expect([name, status]).toEqual([name, 'done']);
      const reply = name === 'undelivered' ? `Done with [${name}:1]` : runs[0]!.reply;
      expect(runs[0]!.reply).toBe(reply);
      expect(deliveries.map((one) => one.status)).toEqual(runs.map(() => 'delivered'));
    }
    const sent = [hooks.chan1, hooks.chan2].flatMap(({ messages }) =>
      messages.map(({ text }) => text),
    );
    const said = names.filter((name) => name !== 'listed').map((name) => `Done with [${name}:1]`);
    const listed = [1, 2, 3].map((n) => `Done with [listed:${n}]`);
    expect(sent.filter((text) => text.startsWith('Done')).toSorted()).toEqual(
      [...said, ...listed].toSorted(),
    );
    const prompts = hooks.runner.turns.filter(({ kind }) => kind === 'run');
    const ofSession = prompts.filter(({ sessionKey }) => sessionKey.endsWith('faults:e'));
    expect(ofSession.map(markerOf)).toEqual(['[away:1]', '[queued 1:1]', '[queued 2:1]']);
    // Its attempt was under way when the process was killed.
    const interrupted = await hooks.details(idOf('interrupted'));
    expect(interrupted.runs[0]!.notes.map(({ outcome }) => outcome)).toEqual(['interrupted']);
    // Keys of edition 1 are known to their sender.
    const known = { 'idempotency-key': 'known key' };
    expect(await hooks.ask('/agent', asked('done', 'a'), known)).toMatchObject({
      status: 200,
      eventId: idOf('done'),
    });
    expect((await hooks.ask('/agent', asked('other', 'a'), known)).status).toBe(422);
    expect((await hooks.details(idOf('dead'))).status).toBe('failed');
    expect(await hooks.app.get(LedgerAdmin).retry(idOf('dead'))).toBe(1);
    await eventually('the dead run is done', async () =>
      (await hooks.details(idOf('dead'))).runs.every(({ status }) => status === 'succeeded'),
    );
    await hooks.ask('/wake', { text: 'Go on', mode: 'now' });
    await eventually('the line that was kept is heard', () =>
      hooks.runner.turns.some(
        ({ kind, prompt }) => kind === 'heartbeat' && prompt.includes('[kept:1]'),
      ),
    );
    expect(await hooks.app.get(ConsoleSessions).find(digest)).not.toBeNull();
    const { refusals } = await hooks.app.get(Refusals).list({ limit: 9 });
    expect(refusals.map(({ status }) => status)).toEqual(expect.arrayContaining([400, 401]));
    const session = await hooks.app.get(EventStore).session('agent:main:faults:a', { limit: 9 });
    expect(session).not.toBeNull();
  } finally {
    await hooks.close();
  }
}
