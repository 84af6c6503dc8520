import { ConfiguredAgents, HooksSettings } from '../options/index.ts';
import { Intake, LedgerUnavailable } from '../ports/index.ts';
import type { Acceptance, NewEvent } from '../ports/index.ts';
import { EventAcceptance } from './accept.ts';
import type { ResolvedHook } from './accept.ts';
import type { HookRequest } from './hook-request.ts';

const AT = Date.UTC(2026, 0, 1);
const receipt = { eventId: 'e1', actions: [], warnings: [] };

class StandInIntake extends Intake {
  readonly events: NewEvent[] = [];
  answer: Acceptance | Error = { outcome: 'accepted', receipt };

  holders: Readonly<Record<string, string>> = {};

  override async holderOf({ key }: { readonly key: string }): Promise<string | null> {
    return this.holders[key] ?? null;
  }

  override async accept(event: NewEvent): Promise<Acceptance> {
    this.events.push(event);
    if (this.answer instanceof Error) throw this.answer;
    return this.answer;
  }
}

async function accept(
  over: Partial<ResolvedHook & Pick<HookRequest, 'payloadText' | 'receivedAt' | 'replayOf'>> = {},
  answer?: Acceptance | Error,
  idempotencyHours = 72,
) {
  const intake = new StandInIntake();
  if (answer !== undefined) intake.answer = answer;
  const options = new HooksSettings({ idempotencyHours });
  const settings = options.current;
  const { payloadText = '{"a":1}', receivedAt = AT, replayOf, ...resolved } = over;
  const request: HookRequest = {
    name: 'agent',
    query: {},
    headers: {},
    payload: JSON.parse(payloadText),
    payloadText,
    client: '::1',
    verifiedBy: 'token',
    receivedAt,
    settings,
    replayOf,
  };
  const hook = { hook: 'agent', actions: [], warnings: [], ...resolved };
  const acceptance = new EventAcceptance(intake, new ConfiguredAgents(options));
  const accepted = await acceptance.accept(request, hook, settings);
  return { accepted, event: intake.events[0] };
}

describe('EventAcceptance (behaviour §1.9, §10)', () => {
  it('a ledger that cannot write is 503 without its reason, anything else stays a failure', async () => {
    const refused = accept({}, new LedgerUnavailable('/data/events.db: disk full'));
    await expect(refused).rejects.toMatchObject({
      code: 'store_unavailable',
      status: 503,
      message: expect.not.stringContaining('/data'),
    });
    await expect(accept({}, new TypeError('oops'))).rejects.toThrow(TypeError);
  });
});
