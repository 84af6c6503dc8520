import type { EventSummary } from '../../hooks/index.ts';
import { EXIT } from '../cli-error.ts';
import { defineCommand, option, wholeNumber } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { SILENT } from '../events/event-outcome.ts';
import { tailRow } from '../events/event-rows.ts';
import { EventTail } from '../events/event-tail.ts';
import type { TailListener } from '../events/event-tail.ts';
import { safeJson } from '../foreign-text.ts';
import { Interruption } from '../terminal.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { paintFor } from '../text-layout.ts';

/** How many events are shown before the first new one, unless said otherwise, and at most. */
const DEFAULT_LAST = 10;
const LARGEST_LAST = 200;

/** Is told by the service, and goes on after a break, so that a restart is only a silence. Ctrl-C is its only end but an error: 130. */
export const eventsTail = defineCommand({
  name: 'tail',
  description: 'follow new events and what becomes of them, until Ctrl-C',
  options: [
    option('--hook <name>', 'only those of this hook'),
    option(
      '--last <count>',
      'begin with the newest, 0 to 200 (default: 10)',
      wholeNumber('--last', 0, LARGEST_LAST),
    ),
    ...SERVICE_OPTIONS,
  ],
  examples: [
    ['hooks events tail', 'the newest 10, then each new one and each change of status'],
    ['hooks events tail --hook github --last 0', 'only new ones of one hook'],
    ['hooks events tail --json', 'one JSON document on each line'],
  ],
  async action(context, options) {
    using interruption = new Interruption();
    const { signal } = interruption;
    try {
      const service = await findService(context, options, signal);
      const { hook, last = DEFAULT_LAST, json = false } = options;
      const tail = new EventTail(service, { hook, last }, listener(context, json));
      await tail.follow(context.clock);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    context.terminal.exitCode = EXIT.interrupted;
  },
});

/** Prints each event, as a line for a person or as JSON. */
function listener({ terminal, clock }: CommandContext, json: boolean): TailListener {
  const print = (event: EventSummary, at: number): void => {
    if (json) terminal.print(safeJson(event));
    else {
      const look = { columns: terminal.wholeWidth, now: clock.now(), paint: paintFor(terminal) };
      terminal.print(tailRow(event, at, look));
    }
  };
  return {
    earlier: (event) => print(event, Date.parse(event.receivedAt)),
    event: (event) => print(event, clock.now()),
    silence: (isSilent) => terminal.note(isSilent ? SILENT : 'the service answers again'),
    gap: () => terminal.note('More events came than can be told: hooks events list'),
  };
}
