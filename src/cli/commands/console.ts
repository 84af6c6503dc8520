import { relative } from 'node:path';
import type { Inspection } from '../../service/index.ts';
import { CliError } from '../cli-error.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { SERVICE_OPTIONS, findService } from '../service/find-service.ts';

/** Where the console is, and where the token to log in with. The token itself is never printed, and in no URL. */
export const openConsole = defineCommand({
  name: 'console',
  description: 'print the address of the console, and say where the token to log in with is',
  options: SERVICE_OPTIONS,
  examples: [
    ['hooks console', 'the address on a line of its own, to open with a browser'],
    ['xdg-open "$(hooks console)"', 'open it'],
  ],
  async action(context, options) {
    const { terminal } = context;
    const service = await findService(context, options);
    const url = await service.console();
    const { socketPath } = service.operator;
    if (socketPath !== undefined) {
      throw new CliError(
        `The console is on the socket ${asLine(socketPath)}, which no browser opens.`,
        `Forward a port of your own machine to it: ssh -L 18791:${asLine(socketPath)} <this machine>. Then open http://localhost:18791/console`,
      );
    }
    const token = options.tokenFile ?? tokenPlace(await context.inspect(), context);
    if (options.json === true) return terminal.printJson({ url: url.href, token });
    terminal.print(url.href);
    terminal.note(`Log in with the operator token; it is in ${asLine(token)}`);
  },
});

/** The file that holds it, or the key that says it. */
function tokenPlace({ resolved }: Inspection, { cwd }: CommandContext): string {
  if (resolved === undefined || resolved.gateway.auth?.token !== undefined) {
    return 'gateway.auth.token of the configuration';
  }
  const { path } = resolved.operatorTokenFile;
  const near = relative(cwd, path);
  return near.startsWith('..') ? path : near;
}
