import { EXIT } from '../cli-error.ts';
import { defineCommand } from '../command.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';
import { placeText } from '../service/service-place.ts';
import { needsPerson, statusLines } from '../service/status-lines.ts';
import { paintFor } from '../text-layout.ts';

/** The running service on one screen. Ends with 1 when something needs a person, so that a script can watch it. */
export const status = defineCommand({
  name: 'status',
  description: 'tell how the running service is doing, and what needs you',
  options: SERVICE_OPTIONS,
  examples: [
    ['hooks status', 'intake, waiting work, channels, mail; exit code 1 when something needs you'],
    ['hooks status --json', 'the same as the operator API tells it'],
  ],
  async action(context, options) {
    const { terminal, clock } = context;
    const service = await findService(context, options);
    const state = await service.status();
    if (needsPerson(state)) terminal.exitCode = EXIT.failed;
    if (options.json === true) return terminal.printJson(state);
    const { columns } = terminal;
    const typed = (text: string) => terminal.typed(text);
    const look = { now: clock.now(), columns, paint: paintFor(terminal), typed };
    for (const line of statusLines(state, placeText(service.operator), look)) terminal.print(line);
  },
});
