import { newId } from '../../../src/platform/new-id.ts';
import type { Change, DeliveryStatus, RunStatus } from '../../../src/hooks/ports/change.ts';
import type { StepOutcome, Lease } from '../../../src/hooks/ports/work-ledger.ts';
import {
  LIMITS,
  MAIN,
  agent,
  delivery,
  direct,
  event,
  heartbeat,
  systemEvent,
  wakeNow,
  runOf,
  deliveryOf,
  key,
} from './events.ts';
import { LedgerUnderTest } from './store.ts';
import type { OpenStore } from './store.ts';

const DONE: StepOutcome = { type: 'done' };

export function describeSettling(openStore: OpenStore): void {
  describe('an event', () => {
    let under: LedgerUnderTest;
    const stand = async (id: string) => {
      const { status, heartbeat: beat } = await under.details(id);
      return `${status}, heartbeat ${beat}`;
    };
    const accept = async (given: ReturnType<typeof event>) => {
      await under.ledger.intake.accept(given, LIMITS);
      return given.id;
    };
    const commit = (lease: Lease, changes: Change[], end = DONE) =>
      under.ledger.work.commit(lease, end, changes);
    const turn = async (changes: (through: number) => Change[]) => {
      await under.ledger.work.add(heartbeat(MAIN));
      const lease = await under.claimOne();
      const limits = { maxEvents: 100, maxBytes: 1e6, maxHistoryCharacters: 1e6 };
      const { pending } = await under.ledger.sessions.context(MAIN, limits);
      await commit(lease, changes(pending.at(-1)!.seq));
    };
    const shown = () => turn((through) => [{ type: 'consume', session: MAIN, through }]);
    const broken = () => turn((through) => [{ type: 'heartbeat-failed', session: MAIN, through }]);

    beforeEach(async () => {
      under = await LedgerUnderTest.open(openStore);
    });
    afterEach(() => under.dispose());

    it('fails with its heartbeat, until a later turn shows the system event', async () => {
      const id = await accept(wakeNow());
      await broken();
      expect(await stand(id)).toBe('failed, heartbeat failed');
      await shown();
      expect(await stand(id)).toBe('done, heartbeat done');
    });

    it('is running from the first claim', async () => {
      const id = await accept(agent('a'));
      expect(await stand(id)).toBe('accepted, heartbeat none');
      const at = under.clock.now();
      const begun = { status: 'running', startedAt: new Date(at).toISOString() };
      const lease = await under.claimOne();
      expect(await stand(id)).toBe('running, heartbeat none');
      expect((await under.details(id)).runs).toMatchObject([{ ...begun, attempts: 1 }]);
      await under.ledger.work.commit(lease, { type: 'retry', at }, []);
      under.clock.advance(1000);
      await under.claimOne();
      expect((await under.details(id)).runs).toMatchObject([{ ...begun, attempts: 2 }]);
    });

    const endings: [RunStatus, string][] = [
      ['succeeded', 'done'],
      ['failed', 'failed'],
      ['timed-out', 'failed'],
      ['interrupted', 'failed'],
    ];
    it.each(endings)('whose run is %s is %s', async (status, expected) => {
      const id = await accept(agent('a'));
      const update: Change = { type: 'run-update', id: runOf(id), status };
      await commit(await under.claimOne(), [update]);
      expect((await under.details(id)).status).toBe(expected);
    });

    const deliveries: [DeliveryStatus, string][] = [
      ['delivered', 'done'],
      ['accepted', 'done'],
      ['skipped', 'done'],
      ['dead', 'failed'],
      ['unknown', 'failed'],
    ];
    it.each(deliveries)('whose delivery is %s is %s', async (status, expected) => {
      const id = await accept(agent('a'));
      const update: Change = { type: 'run-update', id: runOf(id), status: 'succeeded' };
      await commit(await under.claimOne(), [update, ...delivery(id)]);
      expect((await under.details(id)).status).toBe('delivering');
      const sent: Change = { type: 'delivery-update', id: deliveryOf(id), status };
      await commit(await under.claimOne('delivery'), [sent]);
      expect((await under.details(id)).status).toBe(expected);
    });

    it.each(deliveries)(
      'of a delivery without a run that is %s is %s',
      async (status, expected) => {
        const id = await accept(direct());
        expect(await under.details(id)).toMatchObject({
          status: 'delivering',
          runs: [],
          agentId: null,
          headline: 'Build 7',
          deliveries: [{ id: deliveryOf(id), runId: null, status: 'pending' }],
        });
        const sent: Change = { type: 'delivery-update', id: deliveryOf(id), status };
        await commit(await under.claimOne('delivery'), [sent]);
        expect((await under.details(id)).status).toBe(expected);
      },
    );

    it('of a delivery without a run that is skipped at once is done when stored', async () => {
      expect(await stand(await accept(direct('skipped')))).toBe('done, heartbeat none');
    });

    it('of a delivery without a run tells a repeat of it', async () => {
      const first = direct('pending', key('a'));
      const { id } = first;
      await accept(first);
      expect(await under.ledger.intake.accept(direct('pending', key('a')), LIMITS)).toMatchObject({
        outcome: 'replayed',
        receipt: { eventId: id, actions: [{ kind: 'deliver', deliveryId: deliveryOf(id) }] },
      });
    });

    it('is running until the last of run, heartbeat and delivery has ended', async () => {
      const id = await accept(agent('a'));
      await commit(await under.claimOne(), [
        { type: 'run-update', id: runOf(id), status: 'succeeded', summary: 'Hook: hi' },
        systemEvent({ eventId: id, asksHeartbeat: true, text: 'Hook: hi' }),
        ...delivery(id, 'skipped'),
      ]);
      expect(await stand(id)).toBe('running, heartbeat requested');
      await shown();
      expect(await stand(id)).toBe('done, heartbeat done');
    });

    it('is delivering from the end of its runs on, however often that is tried', async () => {
      const id = await accept(agent('a'));
      await commit(await under.claimOne(), [
        { type: 'run-update', id: runOf(id), status: 'succeeded', summary: 'Hook: hi' },
        systemEvent({ eventId: id, asksHeartbeat: true, text: 'Hook: hi' }),
        ...delivery(id),
      ]);
      expect(await stand(id)).toBe('delivering, heartbeat requested');
      const at = under.clock.now();
      const attempt = { at, attempt: 1, outcome: 'retry', error: 'busy' } as const;
      const again: Change = { type: 'delivery-update', id: deliveryOf(id), attempt };
      const retry: StepOutcome = { type: 'retry', at: at + 50 };
      await commit(await under.claimOne('delivery'), [again], retry);
      await shown();
      expect(await stand(id)).toBe('delivering, heartbeat done');
      const { events } = await under.ledger.events.list({ limit: 9, status: 'delivering' });
      expect(events).toMatchObject([{ id, status: 'delivering' }]);
      const running = await under.ledger.events.list({ limit: 9, status: 'running' });
      expect(running.events).toEqual([]);
      under.clock.advance(50);
      const sent: Change = { type: 'delivery-update', id: deliveryOf(id), status: 'delivered' };
      await commit(await under.claimOne('delivery'), [sent]);
      expect(await stand(id)).toBe('done, heartbeat done');
    });

    it('is running, not delivering, while another of its runs has not ended', async () => {
      const given = agent('a');
      const texts = JSON.stringify(given.actions).replaceAll(runOf(given.id), deliveryOf(newId()));
      const second = JSON.parse(texts.replaceAll('agent:main:a', 'agent:main:b'));
      const id = await accept({ ...given, actions: [...given.actions, ...second] });
      expect((await under.details(id)).runs).toHaveLength(2);
      const [lease] = await under.claimNow();
      const update: Change = { type: 'run-update', id: lease!.ref!, status: 'succeeded' };
      await commit(lease!, [update, ...delivery(id)]);
      expect(await stand(id)).toBe('running, heartbeat none');
    });

    it('is delivering again when its dead delivery is retried', async () => {
      const id = await accept(agent('a'));
      const update: Change = { type: 'run-update', id: runOf(id), status: 'succeeded' };
      await commit(await under.claimOne(), [update, ...delivery(id)]);
      const dead: Change = { type: 'delivery-update', id: deliveryOf(id), status: 'dead' };
      await commit(await under.claimOne('delivery'), [dead], { type: 'dead' });
      expect(await stand(id)).toBe('failed, heartbeat none');
      expect(await under.ledger.admin.retry(id)).toBe(1);
      expect(await stand(id)).toBe('delivering, heartbeat none');
    });

    it('waits for the heartbeats of all its system events', async () => {
      const id = await accept(wakeNow());
      await turn((through) => [
        { type: 'consume', session: MAIN, through },
        systemEvent({ eventId: id, asksHeartbeat: true }),
      ]);
      expect(await stand(id)).toBe('running, heartbeat requested');
    });

    it('stays running while its run is retried', async () => {
      const id = await accept(agent('a'));
      const end: StepOutcome = { type: 'retry', at: under.clock.now() + 50 };
      const note = { at: under.clock.now(), attempt: 1, outcome: 'retry', error: 'busy' } as const;
      await commit(await under.claimOne(), [{ type: 'run-update', id: runOf(id), note }], end);
      const details = await under.details(id);
      expect(details.status).toBe('running');
      expect(details.runs[0]?.notes).toEqual([
        { ...note, at: new Date(under.clock.now()).toISOString() },
      ]);
    });
  });
}
