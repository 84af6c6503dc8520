import { Logger } from '@nestjs/common';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import { EventAcceptance } from '../actions/accept.ts';
import { Intake } from '../ports/index.ts';
import type { Acceptance, NewEvent } from '../ports/index.ts';
import { HookIngress } from './hook-ingress.ts';
import { RunCallbacks } from './run-callbacks.ts';

class StandInIntake extends Intake {
  readonly events: NewEvent[] = [];
  broken: Error | undefined;

  override async holderOf(): Promise<null> {
    return null;
  }

  override async accept(event: NewEvent): Promise<Acceptance> {
    this.events.push(event);
    if (this.broken !== undefined) throw this.broken;
    const actions = event.actions.map(({ receipt }) => receipt);
    return {
      outcome: 'accepted',
      receipt: { eventId: event.id, actions, warnings: event.warnings },
    };
  }
}

function open() {
  const given = { mappings: [{ id: 'ci', messageTemplate: '{{ a }}' }] };
  const { directory, resolver, mappings, current } = ingest(given);
  const intake = new StandInIntake();
  const callbacks = Object.create(RunCallbacks.prototype) as RunCallbacks;
  const ingress = new HookIngress(
    resolver,
    mappings,
    new EventAcceptance(intake, directory),
    callbacks,
  );
  return {
    intake,
    handle: async (
      name: string,
      payload: unknown,
      over: Parameters<typeof hookRequest>[2] = {},
    ) => {
      const request = hookRequest(name, payload, { settings: current, ...over });
      return ingress.accept(request, await ingress.resolve(request));
    },
  };
}

const breaking = {
  a: {
    toJSON: () => {
      throw new TypeError('secret');
    },
  },
};

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

describe('HookIngress: a mapped hook (behaviour §1.7, §1.8)', () => {
  it('stores the event under its bare name with its mapping', async () => {
    const { intake, handle } = open();
    expect(await handle('/ci/', { a: 'x' })).toMatchObject({ status: 200, body: { ok: true } });
    expect(intake.events).toMatchObject([
      { hook: 'ci', mapping: 'ci', actions: [{ receipt: { kind: 'agent' } }] },
    ]);
  });

  it('400 when policy refuses, nothing stored', async () => {
    const { intake, handle } = open();
    await expect(handle('ci', { a: ' ' })).rejects.toMatchObject({
      code: 'invalid_payload',
      status: 400,
    });
    expect(intake.events).toEqual([]);
  });

  it('500 with a fixed text when the mapping breaks, kept as a failed event without its key', async () => {
    const { intake, handle } = open();
    const answer = await handle('/ci/', breaking, { payloadText: '{}', idempotencyKey: 'k' });
    expect(answer).toMatchObject({
      status: 500,
      body: { ok: false, code: 'mapping_failed', eventId: intake.events[0]?.id },
    });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(intake.events).toMatchObject([
      { hook: 'ci', actions: [], failure: 'TypeError: secret' },
    ]);
    expect(intake.events[0]?.keys).toBeUndefined();
  });

  it('a ledger that breaks is no broken mapping: nothing is stored a second time', async () => {
    const { intake, handle } = open();
    intake.broken = new TypeError('the ledger broke');
    await expect(handle('ci', { a: 'x' })).rejects.toThrow('the ledger broke');
    expect(intake.events).toHaveLength(1);
  });
});
