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

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

describe('HookIngress: a mapped hook (behaviour §1.7, §1.8)', () => {
  it('a ledger that breaks is no broken mapping: nothing is stored a second time', async () => {
    const { intake, handle } = open();
    intake.broken = new TypeError('the ledger broke');
    await expect(handle('ci', { a: 'x' })).rejects.toThrow('the ledger broke');
    expect(intake.events).toHaveLength(1);
  });
});
