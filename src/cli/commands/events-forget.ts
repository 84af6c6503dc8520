import { EVENT_ID, findEventId } from '../events/find-event.ts';
import { ServiceRefusal } from '../service/service-answers.ts';
import { serviceCommand } from '../service/service-command.ts';

/** Erases for good what somebody asks to have erased; afterwards it says where it may still stand. */
export const eventsForget = serviceCommand({
  name: 'forget',
  description: 'erase events, with all that repeats them',
  arguments: [['<ids...>', EVENT_ID]],
  examples: [
    ['hooks events forget 0198c5c2-…', 'one event, its runs, and the turns that were shown it'],
    [
      `hooks events list --search "Ann Müller" --json | jq -r '.events[].id' | xargs hooks events forget`,
      'the events that a search finds',
    ],
  ],
  async ask({ service }, ...ids) {
    const sum = { events: 0, turns: 0, lines: 0, underWay: new Array<string>() };
    let leftovers: readonly string[] = [];
    // What is no event is found out before anything is erased.
    const found = await Promise.all(ids.map((id) => findEventId(service, id)));
    for (const id of found) {
      try {
        const path = { id };
        const erased = await service.ask('DELETE /ops/api/events/{id}', 'leftovers', { path });
        sum.events += 1;
        sum.turns += erased.turns;
        sum.lines += erased.lines;
        ({ leftovers } = erased);
      } catch (error) {
        if (!(error instanceof ServiceRefusal) || error.code !== 'event_under_way') throw error;
        sum.underWay.push(id);
      }
    }
    return { ...sum, leftovers };
  },
  fails: ({ underWay }) => underWay.length > 0,
  print({ events, turns, lines, underWay, leftovers }, { terminal }) {
    terminal.print(`Erased: ${events} events, ${turns} turns of sessions, ${lines} waiting lines`);
    for (const id of underWay) terminal.print(`Under way, try again when it has ended: ${id}`);
    for (const place of [...leftovers, ...BEYOND]) terminal.print(`May still be in: ${place}`);
  },
});

const BEYOND = [
  'backups that you made before now, and wherever the log of the service was written.',
  'what agents, model providers and channels keep themselves.',
];
