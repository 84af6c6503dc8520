import { CliError, EXIT } from '../cli-error.ts';
import { defineCommand, option } from '../command.ts';
import {
  checkId,
  keptSender,
  otherFileOf,
  refuseBroken,
  writeSender,
} from '../tokens/sender-tokens.ts';

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
    checkId(id);
    const here = await inspect();
    refuseBroken(here);
    const sender = keptSender(here, id);
    if (sender === undefined) throw noSender(id, otherFileOf(here, id));
    const { length } = sender.tokens;
    if (length > 1 && !old && !all) {
      throw new CliError(
        `sender ${id} has ${length} tokens`,
        'add --old to keep only the newest, or --all',
        EXIT.usage,
      );
    }
    const tokens = old ? sender.tokens.slice(-1) : [];
    if (tokens.length === length) return terminal.note(`sender ${id} has no older token`);
    await writeSender(here, { ...sender, tokens }, env, 'hooks token new');
    terminal.note(
      tokens.length === 0
        ? `sender ${id} is gone; a running service takes it in by itself`
        : `sender ${id} has one token now; a running service takes it in by itself`,
    );
  },
});

function noSender(id: string, file: string | undefined): CliError {
  if (file === undefined)
    return new CliError(`there is no sender "${id}"`, 'see "hooks token list"');
  return new CliError(
    `sender ${id} stands in ${file}`,
    'your own files are not edited: remove it there',
  );
}
