import { EventStore, Hooks as HooksFromCode, LedgerAdmin } from '../../src/hooks/index.ts';
import type {
  AgentReply,
  AgentTurn,
  EventDetails,
  HooksModuleOptions,
} from '../../src/hooks/index.ts';
import { ManualClock } from '../support/clocks.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { Hooks } from '../support/hooks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Mapping = NonNullable<HooksModuleOptions['mappings']>[number];

/** The clock stands still, and with it each heartbeat that would gather others. */
const QUIET = { wakeMode: 'next-heartbeat' } as const;

const DEPLOY: Mapping = {
  id: 'deploy',
  messageTemplate: 'Deployment {{ payload.id }} has begun',
  waitFor: { key: 'deployment {{ payload.id }}', by: ['deployed'] },
  ...QUIET,
};
const DEPLOYED: Mapping = {
  id: 'deployed',
  action: 'resume',
  resume: 'deployment {{ payload.deployment }}',
  messageTemplate: 'It is {{ payload.state }}',
  ...QUIET,
};

describe('a run that waits for an event (behaviour.md §15)', () => {
  let hooks: Hooks;
  let clock: ManualClock;
  let reply: (turn: AgentTurn) => AgentReply;

  async function start(mappings: Mapping[], more: Partial<HooksModuleOptions> = {}): Promise<void> {
    clock = new ManualClock();
    const agents = { defaults: { heartbeat: { every: '0m' } } };
    hooks = await Hooks.start({ agents, clock, mappings, ...more });
    reply = () => ({ text: 'done' });
    hooks.runner.run = (turn) => {
      hooks.runner.turns.push(turn);
      return Promise.resolve(reply(turn));
    };
  }
  afterEach(() => hooks.close());

  const send = async (path: string, body: object): Promise<string> => {
    const { status, eventId } = await hooks.ask(path, body);
    expect(status).toBe(200);
    return String(eventId);
  };
  const waits = (eventId: string, times = 1): Promise<EventDetails> =>
    eventually('the run waits', async () => {
      const details = await hooks.details(eventId);
      return details.status === 'waiting' && details.runs[0]?.waits.length === times && details;
    });
  const tick = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await Promise.resolve();
  };

  it('begins once that event has come, and is shown it, each inside markers of its own', async () => {
    await start([DEPLOY, DEPLOYED]);
    const waiting = await waits(await send('/deploy', { id: 7 }));
    expect(waiting.runs[0]?.waits).toMatchObject([
      { kind: 'event', key: 'deployment 7', recipient: null, calls: [], decision: null },
    ]);
    expect(hooks.runner.turns).toEqual([]);
    const by = await send('/deployed', { deployment: 7, state: 'green' });
    const { runs } = await hooks.ended(waiting.id);
    expect(runs).toMatchObject([
      {
        status: 'succeeded',
        reply: 'done',
        waits: [{ decision: { verdict: 'resumed', by: null, event: { eventId: by } } }],
      },
    ]);
    const [turn, ...others] = hooks.runner.turns;
    expect(others).toEqual([]);
    expect(turn?.prompt).toMatch(
      /Hook: deploy\n[^]*Deployment 7 has begun[^]*END_[^]*This came then, which was waited for:[^]*Hook: deployed\n[^]*It is green/,
    );
    const resuming = await hooks.ended(by);
    const summary = `resumed run ${runs[0]?.id}`;
    expect(resuming).toMatchObject({ status: 'done', deliveries: [], summary });
    expect(resuming.runs).toMatchObject([{ status: 'succeeded', prompt: null, reply: null }]);
  });

  it('leaves an event alone that nobody waits for in ten minutes', async () => {
    await start([DEPLOYED]);
    const event = await send('/deployed', { deployment: 8, state: 'green' });
    const looks = await eventually('the event is given up', async () => {
      const { status, runs, summary } = await hooks.details(event);
      if (status === 'done') return { runs, summary };
      clock.advance(MINUTE);
      return false;
    });
    expect(looks).toMatchObject({
      summary: 'no run waits for deployment 8',
      // It has looked when it came and at the end, and not between.
      runs: [{ status: 'succeeded', error: null, attempts: 2 }],
    });
    expect(hooks.runner.turns).toEqual([]);
  });

  it('goes on with all that wait for its key, however many they are', async () => {
    await start([DEPLOY, DEPLOYED]);
    const runs: string[] = [];
    for (let n = 0; n < 201; n += 1) runs.push(await send('/deploy', { id: 7 }));
    for (const run of runs) await waits(run);
    await send('/deployed', { deployment: 7, state: 'green' });
    for (const run of runs) await hooks.ended(run);
  });

  it('or has it run by itself where its mapping says so', async () => {
    await start([{ ...DEPLOYED, orElse: 'run' }]);
    const event = await hooks.ended(await send('/deployed', { deployment: 8, state: 'green' }));
    expect(event).toMatchObject({ status: 'done', runs: [{ reply: 'done' }] });
    expect(hooks.runner.turns).toHaveLength(1);
  });

  it('is not resumed by another mapping, nor by another sender', async () => {
    const waitFor = { key: 'deployment {{ payload.id }}', by: ['deployed'], senders: ['token ci'] };
    await start([{ ...DEPLOY, waitFor }, DEPLOYED, { ...DEPLOYED, id: 'forged' }]);
    const { id } = await waits(await send('/deploy', { id: 7 }));
    const refused = await Promise.all([
      send('/forged', { deployment: 7, state: 'x' }),
      send('/deployed', { deployment: 7, state: 'x' }),
    ]);
    for (const [at, event] of refused.entries()) {
      const mapping = ['forged', 'deployed'][at];
      const error = `what waits for deployment 7 is not to be resumed by ${mapping} (token)`;
      await eventually(
        'it is said',
        async () => (await hooks.details(event)).runs[0]?.error === error,
      );
    }
    expect((await hooks.details(id)).status).toBe('waiting');
    expect(hooks.runner.turns).toEqual([]);
  });

  it.each([
    [[DEPLOY], 'mappings[0].waitFor.by names deployed, and no mapping of that id has action'],
    [[{ ...DEPLOYED, resume: undefined }], "mappings[0].resume is needed by action: 'resume'"],
    [
      [{ ...DEPLOY, resume: 'x' }, DEPLOYED],
      'mappings[0].resume has no meaning for an agent action',
    ],
    [[{ ...DEPLOYED, waitFor: { by: ['x'] } }], 'mappings[0].waitFor has no meaning for a resume'],
  ])('is refused at start where it cannot be meant', async (mappings, message) => {
    await expect(start(mappings)).rejects.toThrow(message);
    hooks = await Hooks.start();
  });

  it('refuses what does not say what it is about, and keeps nothing', async () => {
    await start([DEPLOY, DEPLOYED]);
    expect(await hooks.ask('/deployed', { state: 'green' })).toMatchObject({
      status: 400,
      error: 'The payload has no resume for the mapping "deployed".',
    });
    expect(await hooks.ask('/deploy', {})).toMatchObject({ status: 400 });
    expect(await hooks.stored()).toBe(0);
  });

  it.each([
    ['deny', 'done', 'denied'],
    ['expire', 'failed', 'failed'],
  ] as const)('ends by time: then %s', async (then, status, run) => {
    const waitFor = { key: 'deployment {{ payload.id }}', by: ['deployed'], until: '2h', then };
    await start([{ ...DEPLOY, waitFor }, DEPLOYED]);
    const { id } = await waits(await send('/deploy', { id: 7 }));
    clock.advance(2 * HOUR);
    const ended = await hooks.ended(id);
    expect(ended).toMatchObject({
      status,
      runs: [{ status: run, waits: [{ decision: { verdict: 'expired' } }] }],
    });
    expect(ended.runs[0]?.error).toBe('deployment 7 did not come in time');
    expect(hooks.runner.turns).toEqual([]);
  });

  it('may be let go or ended by an operator', async () => {
    await start([DEPLOY, DEPLOYED]);
    const admin = hooks.app.get(LedgerAdmin);
    const letGo = await waits(await send('/deploy', { id: 7 }));
    const denied = await waits(await send('/deploy', { id: 8 }));
    const decide = (event: EventDetails, verdict: 'approved' | 'denied') =>
      admin.decide(event.runs[0]?.waits[0]?.id ?? '', { verdict, by: 'ana', at: clock.now() });
    expect(await admin.waits({ limit: 9 })).toMatchObject({ waits: [], total: 0 });
    expect(await decide(letGo, 'approved')).toBe('decided');
    expect(await decide(denied, 'denied')).toBe('decided');
    expect((await hooks.ended(letGo.id)).runs[0]?.status).toBe('succeeded');
    expect((await hooks.ended(denied.id)).runs[0]).toMatchObject({
      status: 'denied',
      error: 'denied by ana',
    });
    expect(hooks.runner.turns).toHaveLength(1);
  });

  describe('because its agent says so', () => {
    const ASKED: Mapping = {
      id: 'asked',
      messageTemplate: '{{ payload.text }}',
      waitFor: { by: ['deployed'] },
      ...QUIET,
    };

    it('goes on where it stood, with what came, as often as it waits', async () => {
      await start([ASKED, DEPLOYED]);
      reply = ({ resumed }) => {
        const step = Number(resumed?.state ?? 0);
        if (step === 2) return { text: 'all came' };
        return {
          text: 'so far',
          waits: { key: `deployment ${step}`, state: `${step + 1}`, question: 'a deployment' },
        };
      };
      const first = await waits(await send('/asked', { text: 'deploy both' }));
      expect(first.runs[0]?.waits).toMatchObject([
        { key: 'deployment 0', question: 'a deployment' },
      ]);
      await send('/deployed', { deployment: 0, state: 'green' });
      const second = await waits(first.id, 2);
      await send('/deployed', { deployment: 1, state: 'red' });
      expect(await hooks.ended(second.id)).toMatchObject({
        runs: [{ status: 'succeeded', reply: 'all came' }],
      });
      const told = hooks.runner.turns.map(({ resumed }) => resumed?.event?.text ?? '');
      expect(told[1]).toMatch(/SECURITY NOTICE[^]*It is green/);
      expect(told[2]).toMatch(/SECURITY NOTICE[^]*It is red/);
      expect(hooks.runner.turns.map(({ mayWait }) => mayWait)).toEqual([
        'offered',
        'offered',
        'offered',
      ]);
    });

    it('stays as foreign as the most foreign of what it was shown', async () => {
      const trusted = { allowUnsafeExternalContent: true };
      await start([
        { ...ASKED, ...trusted, waitFor: { by: ['deployed', 'own'] } },
        DEPLOYED,
        { ...DEPLOYED, id: 'own', ...trusted },
      ]);
      reply = ({ resumed }) => {
        const step = Number(resumed?.state ?? 0);
        if (step === 2) return { text: 'all came' };
        return { text: '', waits: { key: `deployment ${step}`, state: `${step + 1}` } };
      };
      const first = await waits(await send('/asked', { text: 'wait' }));
      await send('/deployed', { deployment: 0, state: 'foreign' });
      await waits(first.id, 2);
      await send('/own', { deployment: 1, state: 'ours' });
      await hooks.ended(first.id);
      const levels = hooks.runner.turns.map(({ contract }) => contract.trust);
      expect(levels).toEqual(['trusted', 'untrusted', 'untrusted']);
    });

    it('goes on without when its time is over', async () => {
      await start([ASKED, DEPLOYED]);
      reply = ({ resumed }) =>
        resumed === undefined
          ? { text: '', waits: { key: 'x', state: 'here', askedAgainAt: clock.now() + HOUR } }
          : { text: resumed.event === null ? 'nothing came' : 'something came' };
      const { id } = await waits(await send('/asked', { text: 'wait' }));
      await tick(HOUR);
      expect((await hooks.ended(id)).runs).toMatchObject([
        { reply: 'nothing came', waits: [{ decision: { verdict: 'expired' } }] },
      ]);
    });

    it('cannot in a session that remembers', async () => {
      await start([{ ...ASKED, sessionMode: 'persistent' }, DEPLOYED]);
      reply = () => ({ text: '', waits: { key: 'x', state: '' } });
      const { runs } = await hooks.ended(await send('/asked', { text: 'wait' }));
      expect(runs[0]).toMatchObject({ status: 'failed', waits: [] });
      expect(runs[0]?.error).toContain('have its runs isolated');
    });
  });

  it('may be asked for by code of the host', async () => {
    await start([DEPLOYED]);
    const gateway = hooks.app.get(HooksFromCode);
    const payload = { message: 'from code', ...QUIET };
    const waitFor = { key: 'deployment 9', by: ['deployed'] };
    const { eventId } = await gateway.run(payload, { waitFor });
    await waits(eventId);
    await send('/deployed', { deployment: 9, state: 'green' });
    await hooks.ended(eventId);
    expect(hooks.runner.turns[0]?.prompt).toMatch(/from code[^]*It is green/);
    await expect(
      gateway.run(payload, { waitFor: { ...waitFor, until: 'soon' } }),
    ).rejects.toMatchObject({ code: 'invalid_payload' });
    expect(await hooks.stored()).toBe(2);
  });

  it('may be asked for by a transform, where its mapping says who resumes it', async () => {
    using files = new ConfigDirectory();
    files.writeTransform(
      'wait.mjs',
      'export default ({ payload }) => ({ waitFor: `deployment ${payload.id}` })',
    );
    const transform = { module: 'wait.mjs' };
    const own = { transform, waitFor: undefined };
    await start(
      [
        { ...DEPLOY, transform, waitFor: { by: ['deployed'] } },
        { ...DEPLOY, id: 'nobody', ...own },
        DEPLOYED,
      ],
      { configDir: files.path },
    );
    const { runs } = await waits(await send('/deploy', { id: 5 }));
    expect(runs[0]?.waits).toMatchObject([{ key: 'deployment 5' }]);
    const refused = await hooks.ask('/nobody', { id: 5 });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused['error']).toContain('names nobody who resumes it');
  });

  it('is told apart by what it waits for', async () => {
    await start([DEPLOY, DEPLOYED]);
    await waits(await send('/deploy', { id: 7 }));
    expect(await hooks.app.get(LedgerAdmin).waiting()).toMatchObject([
      { kind: 'run', hook: 'deploy', cause: 'event', count: 1 },
    ]);
    expect((await hooks.app.get(EventStore).list({ limit: 9 })).events[0]?.status).toBe('waiting');
  });
});
