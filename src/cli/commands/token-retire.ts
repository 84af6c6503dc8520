import { retireTokens } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import { explained } from '../tokens/sender-tokens.ts';

/** Ends tokens that `hooks token new --for` made. */
export const tokenRetire = defineCommand({
  name: 'retire',
  description: 'end the token of a sender that "hooks token new --for" made',
  arguments: [['<id>', 'name of the sender']],
  options: [
    option('--old', 'all of its tokens but the newest'),
    option('--all', 'all of its tokens'),
  ],
  examples: [
    ['hooks token retire uptime-kuma', 'its only token no longer counts'],
    ['hooks token retire uptime-kuma --old', 'only the newest counts from now on'],
  ],
  async action({ inspect, env, terminal }, { old = false, all = false }, id) {
    if (old && all) throw new CliError('--old and --all do not go together', undefined, EXIT.usage);
    const which = old ? 'old' : all ? 'all' : undefined;
    const here = await inspect();
    const retiring = retireTokens(here, id, which, env, 'hooks token new');
    const { before, left } = await explained(id, retiring);
    if (left === before) return terminal.note(`sender ${id} has no older token`);
    terminal.note(
      left === 0
        ? `sender ${id} is gone; a running service takes it in by itself`
        : `sender ${id} has one token now; a running service takes it in by itself`,
    );
  },
});
