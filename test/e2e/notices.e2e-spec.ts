import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteLedger } from '../../src/ledger/sqlite/index.ts';
import { AgentError, DeliveryError, LedgerAdmin } from '../../src/hooks/index.ts';
import type { AgentFailure, HooksModuleOptions } from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

let hooks: Hooks;
let clock: ManualClock;

type Defaults = NonNullable<NonNullable<HooksModuleOptions['agents']>['defaults']>;

async function start(defaults: Defaults = {}, more: Partial<HooksModuleOptions> = {}) {
  clock = new ManualClock();
  const agents = { defaults: { heartbeat: { every: '0m' }, ...defaults } };
  hooks = await Hooks.start({ agents, clock, ...more });
}

afterEach(() => hooks.close());

function failWith(kind: AgentFailure, message = 'it said: the secret of the payload'): void {
  hooks.runner.reply = () => {
    throw new AgentError(message, kind);
  };
}

async function fail(body: object = {}): Promise<string> {
  const asked = { message: 'the secret of the payload', wakeMode: 'next-heartbeat', ...body };
  const { eventId } = await hooks.ask('/agent', asked);
  await hooks.ended(eventId);
  return String(eventId);
}

async function pass(seconds: number): Promise<void> {
  clock.advance(seconds * 1000);
  await eventually('nothing is due', async () => {
    const counts = await hooks.app.get(LedgerAdmin).counts();
    const isOpen = ({ kind, state }: (typeof counts)[number]) =>
      state === 'running' || (kind === 'delivery' && state === 'waiting');
    return !counts.some(isOpen);
  });
}

function told(count: number, channel = hooks.chan1): Promise<boolean> {
  return eventually('the operator is told', () => channel.messages.length === count);
}

describe('what ended badly without a person having heard of it (issue 11.4, behaviour §5)', () => {
  it('is told to the operator, in words of ours alone', async () => {
    await start();
    failWith('permanent');
    const eventId = await fail({ name: 'the secret of the payload' });
    expect(hooks.chan1.messages).toEqual([]);
    await pass(5);
    await told(1);
    const [message] = hooks.chan1.messages;
    expect(message).toMatchObject({ to: '+1' });
    expect(message?.text).toContain('1 failure that nobody');
    expect(message?.text).toContain(`run of agent: it failed (event ${eventId})`);
    expect(message?.text).not.toContain('secret');
  });

  it('says which backend waits for a person', async () => {
    await start({ model: 'openai/gpt' });
    failWith('needs-operator');
    await fail();
    await pass(5);
    await told(1);
    expect(hooks.chan1.messages[0]?.text).toContain(
      'run of agent: model provider openai refuses until somebody mends it',
    );
  });

  it('is one message for many, and at most one a minute', async () => {
    await start();
    failWith('permanent');
    for (let n = 0; n < 12; n += 1) await fail();
    await pass(5);
    await told(1);
    expect(hooks.chan1.messages[0]?.text).toContain('12 × run of agent');
    await fail();
    await pass(50);
    expect(hooks.chan1.messages).toHaveLength(1);
    await pass(10);
    await told(2);
    expect(hooks.chan1.messages[1]?.text).toContain('1 failure that nobody');
    await pass(60);
    await pass(60);
    expect(hooks.chan1.messages).toHaveLength(2);
  });

  it('is told of a reply that could not be delivered, where agents.defaults.notify says', async () => {
    await start({ notify: { channel: 'chan_2', to: 'me' } });
    hooks.chan1.answer = () => Promise.reject(new DeliveryError('no such chat', 'permanent'));
    await fail();
    await pass(5);
    await told(1, hooks.chan2);
    expect(hooks.chan2.messages[0]).toMatchObject({ to: 'me' });
    expect(hooks.chan2.messages[0]?.text).toContain('could not be delivered to chan_1');
  });

  it('is told of a heartbeat whose lines nobody saw', async () => {
    await start();
    failWith('permanent');
    const { eventId } = await hooks.ask('/wake', { text: 'the disk is full' });
    await eventually('it waits', async () => (await hooks.waiting('heartbeat')) === 1);
    await pass(1);
    expect(await hooks.ended(eventId)).toMatchObject({ heartbeat: 'failed' });
    await pass(5);
    await told(1);
    expect(hooks.chan1.messages[0]?.text).toContain('heartbeat of agent main: it failed');
  });

  it('is never told of a notice itself', async () => {
    await start();
    hooks.chan1.answer = () => Promise.reject(new DeliveryError('revoked', 'auth'));
    await fail();
    await told(1);
    await pass(5);
    await told(2);
    await pass(60);
    await pass(60);
    expect(hooks.chan1.messages).toHaveLength(2);
    failWith('permanent', 'no');
    await hooks.ask('/wake', { text: 'x' });
    await pass(1);
    expect(hooks.runner.turns.at(-1)?.prompt).not.toContain('Notice');
  });

  it('is not told with notify: false', async () => {
    await start({ notify: false });
    failWith('permanent');
    await fail();
    await pass(60);
    expect(hooks.chan1.messages).toEqual([]);
    expect(await hooks.waiting('notice')).toBe(0);
  });

  it('is told after a restart, if there was no time before', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'hooks-notices-'));
    const ledger = sqliteLedger({ dir });
    await start({}, { ledger });
    failWith('permanent');
    await fail();
    await hooks.close();
    await start({}, { ledger });
    await pass(5);
    await told(1);
    expect(hooks.chan1.messages[0]?.text).toContain('1 failure that nobody');
    await hooks.close();
    await rm(dir, { recursive: true });
  });
});
