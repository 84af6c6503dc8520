// docs/design/operator.md
import { Command, CommanderError, Option } from 'commander';
import { CliError, EXIT } from './cli-error.ts';
import type { CliCommand, CommandContext, CommandGroup, Example } from './command.ts';
import { catchUp } from './commands/catch-up.ts';
import { channels } from './commands/channels.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { backup } from './commands/backup.ts';
import { restore } from './commands/restore.ts';
import { mailRun } from './commands/mail-run.ts';
import { mailSetup } from './commands/mail-setup.ts';
import { audit } from './commands/audit.ts';
import { approve, decisions, deny } from './commands/decide.ts';
import { pause, resume } from './commands/pause.ts';
import { preview } from './commands/preview.ts';
import { send } from './commands/send.ts';
import { setup } from './commands/setup.ts';
import { sessions } from './commands/sessions.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { token } from './commands/token.ts';
import { usage } from './commands/usage.ts';
import { packageVersion } from '../platform/package-version.ts';
import { removedCommand } from '../platform/removed.ts';
import type { Terminal } from './terminal.ts';

/* Groups only gather commands under one word. run-cli.ts turns whatever is thrown into a sentence and an exit code. */

const mail: CommandGroup = {
  name: 'mail',
  description: 'send the new mail of a mailbox to the hook mail',
  examples: [
    ['hooks mail setup', 'ask for a mailbox, try it, and write hooks.mail'],
    ['hooks mail run', 'watch the mailbox of hooks.mail in a process of its own'],
  ],
  commands: [mailSetup, mailRun],
};

/** Every command, in the order of `hooks --help`. A new one is a file below `commands/` and a row here. */
const COMMANDS: readonly (CliCommand | CommandGroup)[] = [
  start,
  status,
  pause,
  resume,
  decisions,
  approve,
  deny,
  audit,
  usage,
  config,
  doctor,
  setup,
  send,
  catchUp,
  preview,
  events,
  sessions,
  channels,
  mail,
  backup,
  restore,
  token,
  completion,
];

const EXAMPLES: readonly Example[] = [
  ['hooks start', 'start the service here'],
  ['hooks status', 'how the running service is doing, and what needs you'],
  ['hooks config check', 'say everything that is wrong with gateway.json5, and how to mend it'],
  ['hooks config --help', 'what can be done with the configuration'],
];

/** @throws CliError for a wrong command line, CommanderError once help or version is printed, whatever the command throws */
export function createProgram(context: Omit<CommandContext, 'program'>): Command {
  const program = new Command('hooks')
    .description('Runs, checks, tries and repairs the webhook ingress for AI agents.')
    .version(packageVersion(), '-V, --version', 'print the version');
  context.terminal.learnCommands(COMMANDS.map(({ name }) => name));
  configure(program, EXAMPLES, context.terminal);
  for (const row of COMMANDS) {
    if ('commands' in row) addGroup(program, row, { ...context, program });
    else addCommand(program, row, { ...context, program });
  }
  return program;
}

export function withDescendants(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withDescendants(child))];
}

/** The words that lead to a command: `hooks config check`. */
export function toPath(command: Command): string {
  return command.parent === null ? command.name() : `${toPath(command.parent)} ${command.name()}`;
}

function addGroup(program: Command, group: CommandGroup, context: CommandContext): void {
  const made = program.command(group.name).description(group.description);
  configure(made, group.examples, context.terminal);
  for (const command of group.commands) addCommand(made, command, context);
}

/** Declares a row of the table to commander; its action gets the parsed options and the arguments as words. */
function addCommand(parent: Command, command: CliCommand, context: CommandContext): void {
  const { name, description, arguments: args = [], options, examples } = command;
  const made = parent.command(name).description(description);
  for (const [syntax, meaning] of args) made.argument(syntax, meaning);
  for (const declared of options) {
    const added = new Option(declared.flags, declared.description);
    if (declared.parse !== undefined) added.argParser(declared.parse);
    made.addOption(added);
  }
  configure(made, examples, context.terminal);
  made.action(() => {
    const words: string[] = made.processedArgs.flat();
    return command.action(context, made.opts(), ...words);
  });
}

function configure(command: Command, examples: readonly Example[], terminal: Terminal): void {
  command
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', terminal.typed(exampleLines(examples)))
    .configureHelp({ helpWidth: terminal.columns })
    .configureOutput({
      writeOut: (text) => terminal.streams.stdout.write(text),
      writeErr: (text) => terminal.streams.stderr.write(text),
      // Said once, by the caller that catches what exitOverride throws.
      outputError: () => undefined,
    })
    .exitOverride((error) => {
      throw usageError(command, error);
    });
}

function exampleLines(examples: readonly Example[]): string {
  const lines = examples.map(([typed, purpose]) => `  ${typed}\n      ${purpose}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** What commander refuses, in its own words, with the way out. Asking for help or the version is no mistake. */
function usageError(command: Command, error: CommanderError): Error {
  const isAnswered = error.exitCode === 0 || error.code === 'commander.help';
  if (isAnswered) return error;
  const [sentence = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const path = toPath(command);
  const [, option] = /^unknown option '([^'=]*)/.exec(sentence) ?? [];
  const removed = [command.args[0], option].map((word) => removedCommand(`${path} ${word}`));
  const said = removed.find((one) => one !== undefined);
  if (said !== undefined) return new CliError(said, 'see docs/upgrading.md', EXIT.usage);
  const [, words] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(suggestion) ?? [];
  const nearest = words
    ?.split(', ')
    .map((word) => `"${word.startsWith('-') ? word : `${path} ${word}`}"`);
  const hint =
    nearest === undefined ? `see "${path} --help"` : `did you mean ${nearest.join(' or ')}?`;
  return new CliError(sentence, hint, EXIT.usage);
}
