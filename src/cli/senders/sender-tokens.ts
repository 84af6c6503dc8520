import { ConfigurationUnchanged } from '../../service/index.ts';
import type { WhyUnchanged } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';

export async function explained<T>(id: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw error instanceof ConfigurationUnchanged ? asCliError(id, error) : error;
  }
}

function asCliError(id: string, { why, detail }: ConfigurationUnchanged): CliError {
  const { what, hint, isUsage = false } = EXPLAINED[why](id, detail);
  return new CliError(what, hint, isUsage ? EXIT.usage : undefined);
}

interface Explained {
  readonly what: string;
  readonly hint: string;
  readonly isUsage?: boolean;
}

const EXPLAINED: Readonly<Record<WhyUnchanged, (id: string, detail: string) => Explained>> = {
  'bad-id': () => ({
    what: 'this cannot name a sender',
    hint: 'use 1 to 64 letters, digits, ".", "_" or "-", such as uptime-kuma',
    isUsage: true,
  }),
  demo: () => ({
    what: 'there is no gateway.json5 here: the demo has one token of its own',
    hint: 'write a gateway.json5 first (docs/configuration.md), or set GATEWAY_CONFIG_DIR',
  }),
  broken: () => ({
    what: 'the current configuration has problems',
    hint: 'see "hooks config check"',
  }),
  elsewhere: (id, file) => ({
    what: `${file} has the sender "${id}"`,
    hint: 'your own files are not edited: change it there, or give another name',
  }),
  foreign: (_, file) => ({
    what: `nothing was changed: ${file} was not written by "hooks setup"`,
    hint: 'your own files are not edited: give it another name, and run the command again',
  }),
  changed: (_, file) => ({
    what: `nothing was changed: somebody else has written ${file} meanwhile`,
    hint: 'look at it, and run the command again',
  }),
  unknown: (id) => ({ what: `there is no sender "${id}"`, hint: 'see "hooks token list"' }),
  several: (id, count) => ({
    what: `sender ${id} has ${count} tokens`,
    hint: 'add --old to keep only the newest, or --all',
    isUsage: true,
  }),
  'takes-no-secret': (id, name) => ({
    what: `${name} sends a token of ours and has no secret.`,
    hint: `It is made here: leave the secret out. To end its old tokens: hooks token retire ${id} --old`,
    isUsage: true,
  }),
  'no-secret-yet': (id, name) => ({
    what: `${name} has no secret yet.`,
    hint: `Make one: hooks setup ${id}`,
    isUsage: true,
  }),
  'another-secret': (_, name) => ({
    what: `nothing was changed: ${name} has another secret already`,
    hint: 'To let both count, add --rotate.',
  }),
  'secrets-elsewhere': (id, place) => ({
    what: `nothing was changed: ${place} is the mapping of ${id}, and its secrets belong there`,
    hint: "your own files are not edited: write verify: { secrets: ['…'] } there, the newest first, and run the command again",
  }),
  refused: (_, problems) => ({
    what: 'nothing was changed: this would be refused',
    hint: problems.replaceAll('\n', '\n  '),
  }),
  unwritable: (_, code) => ({
    what: `nothing was changed: gateway.d cannot be written (${code})`,
    hint: 'run the command as the user of the service, where the directory may be written',
  }),
};
