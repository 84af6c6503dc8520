import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configurationDirectory } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { JSON_OPTION, defineCommand, option } from '../command.ts';
import type { CommandContext, CommandGroup } from '../command.ts';
import { asLine } from '../foreign-text.ts';
import { Manager } from '../systemd/manager.ts';
import { STATE_DIRECTORY, UNIT, assertReadableByAll, isOfNpx } from '../systemd/unit.ts';
import type { Terminal } from '../terminal.ts';

const USER = option('--user', 'for this user alone; the default but for root');

const install = defineCommand({
  name: 'install',
  description: 'let systemd start the service now and with the machine, and again whenever it ends',
  options: [USER, option('--dry-run', 'print the unit and do nothing')],
  examples: [
    ['sudo hooks service install', `as a user of its own, hooks, in ${STATE_DIRECTORY}`],
    ['hooks service install', 'as yourself, with the gateway.json5 of this directory'],
  ],
  action(context, { user, dryRun = false }) {
    const { terminal } = context;
    const manager = managerOf(context, user);
    const { unit, file, isUsers } = manager;
    if (dryRun) return terminal.print(unit.trimEnd());
    manager.assertRunning();
    if (!isUsers) {
      assertReadableByAll();
      // Does nothing where there is one.
      manager.run('systemd-sysusers', '--inline', `u hooks - "hooks" ${STATE_DIRECTORY}`);
    }
    const before = readUnit(manager);
    if (before !== unit) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, unit);
      manager.control('daemon-reload');
    }
    const { active, enabled } = manager.state;
    manager.control('enable', UNIT);
    manager.control(before === unit ? 'start' : 'restart', UNIT);
    showChange(before, unit, manager, terminal);
    if (before === unit && active === 'active' && enabled === 'enabled') return undefined;
    terminal.printWrapped(
      asLine(
        `It runs in ${manager.directory}, and starts with ${isUsers ? 'you' : 'the machine'}.`,
      ),
    );
    advise(context, manager);
    return undefined;
  },
});

const uninstall = defineCommand({
  name: 'uninstall',
  description: 'stop the service and take it from systemd; its configuration and ledger stay',
  options: [USER],
  examples: [['sudo hooks service uninstall', `${STATE_DIRECTORY} stays as it is`]],
  action(context, { user }) {
    const { terminal } = context;
    const manager = managerOf(context, user);
    if (readUnit(manager) === undefined) {
      return terminal.print(`There is no ${asLine(manager.file)}: nothing was done.`);
    }
    manager.assertRunning();
    manager.control('disable', '--now', UNIT);
    rmSync(manager.file);
    manager.control('daemon-reload');
    terminal.printWrapped(
      asLine(
        `Stopped, and ${manager.file} is gone. ${manager.isUsers ? '' : `The user hooks and ${STATE_DIRECTORY}, with the ledger, stay.`}`,
      ),
    );
    return undefined;
  },
});

const status = defineCommand({
  name: 'status',
  description: 'tell whether systemd runs the service; its state is told by "hooks status"',
  options: [USER, JSON_OPTION],
  examples: [['hooks service status', 'exit code 3 where it does not run']],
  action(context, { user, json = false }) {
    const { terminal } = context;
    const manager = managerOf(context, user);
    const unit = readUnit(manager);
    if (unit === undefined) {
      throw new CliError(`there is no ${manager.file}`, 'hooks service install', EXIT.unreachable);
    }
    manager.assertRunning();
    const { active, sub, enabled, restarts } = manager.state;
    const isCurrent = unit === manager.unit;
    if (active !== 'active') terminal.exitCode = EXIT.unreachable;
    if (json) {
      const { file } = manager;
      return terminal.printJson({ unit: file, isCurrent, active, sub, enabled, restarts });
    }
    terminal.print(`${UNIT} is ${active} (${sub}) and ${enabled}; restarts: ${restarts}`);
    if (!isCurrent) {
      terminal.print(`${asLine(manager.file)} is not what this version has: hooks service install`);
    }
    if (active !== 'active') terminal.note(`Why: ${manager.journal} -n 20`);
    return undefined;
  },
});

/** The service as systemd runs it. */
export const service: CommandGroup = {
  name: 'service',
  description: 'let systemd run the service',
  examples: [
    ['sudo hooks service install', 'start it now and with the machine'],
    ['hooks service install --dry-run', 'the unit that this would write'],
  ],
  commands: [install, uninstall, status],
};

function managerOf({ env, cwd }: CommandContext, user = process.getuid?.() !== 0): Manager {
  return user ? new Manager(true, env, configurationDirectory(env, cwd)) : new Manager(false, env);
}

function readUnit({ file }: Manager): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Line by line: what somebody wrote into the unit is not lost without a word. */
function showChange(
  before: string | undefined,
  after: string,
  { file }: Manager,
  terminal: Terminal,
): void {
  const what = before === undefined ? 'new' : before === after ? 'as it was' : 'changed';
  terminal.print(asLine(`${file}: ${what}`));
  if (before === undefined || before === after) return;
  const lines = { '-': before.split('\n'), '+': after.split('\n') };
  const print = (sign: '-' | '+', others: readonly string[]) => {
    for (const line of lines[sign].filter((each) => !others.includes(each))) {
      terminal.print(asLine(`${sign} ${line}`));
    }
  };
  print('-', lines['+']);
  print('+', lines['-']);
}

/** What is to be done now, and what may surprise. */
function advise({ env, cwd, terminal }: CommandContext, manager: Manager): void {
  const { isUsers, directory, endsAtLogout, journal } = manager;
  const here = configurationDirectory(env, cwd);
  terminal.note(`Its log: ${journal} -f`);
  if (isUsers && isOfNpx()) {
    terminal.note(
      'It runs from the cache of npx, which npm may clear: npm install -g nestjs-agent-hooks',
    );
  }
  if (endsAtLogout) {
    terminal.note('It ends when you log out, until: sudo loginctl enable-linger "$USER"');
  }
  if (!isUsers) terminal.note(`As its user: cd ${directory} && sudo -u hooks hooks setup`);
  if (here !== directory && existsSync(join(here, 'gateway.json5'))) {
    terminal.note(
      `The configuration in ${asLine(here)} is not read: copy it to ${directory}, for its user (chown -R hooks:)`,
    );
  }
}
