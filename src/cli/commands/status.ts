import { serviceCommand } from '../service/service-command.ts';
import { needsPerson, statusLines } from '../service/status-lines.ts';

/** The running service on one screen. Ends with 1 when something needs a person, so that a script can watch it. */
export const status = serviceCommand({
  name: 'status',
  description: 'tell how the running service is doing, and what needs you',
  examples: [
    ['hooks status', 'intake, waiting work, channels, mail; exit code 1 when something needs you'],
    ['hooks status --json', 'the same as the operator API tells it'],
  ],
  ask: ({ service }) => service.ask('GET /ops/api/status', 'startedAt', {}),
  fails: needsPerson,
  print(state, { service, terminal, paint, now }) {
    const { columns } = terminal;
    const typed = (text: string) => terminal.typed(text);
    const look = { now, columns, paint, typed };
    for (const line of statusLines(state, service.operator, look)) terminal.print(line);
  },
});
