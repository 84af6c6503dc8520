import { spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../service/index.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { STATE_DIRECTORY, UNIT, systemUnit, userUnit } from './unit.ts';

/** What systemd knows of the unit, in the words of systemctl(1). */
interface UnitState {
  readonly active: string;
  readonly sub: string;
  readonly enabled: string;
  readonly restarts: number;
}

/** The systemd that runs the unit: the machine's, or that of one user. */
export class Manager {
  readonly scope: readonly string[];

  constructor(
    readonly isUsers: boolean,
    private readonly env: Environment,
    /** Of the configuration. */
    readonly directory: string = STATE_DIRECTORY,
  ) {
    this.scope = isUsers ? ['--user'] : [];
  }

  /** Where the unit is. */
  get file(): string {
    if (!this.isUsers) return `/etc/systemd/system/${UNIT}`;
    const { HOME: home = homedir(), XDG_CONFIG_HOME: config = join(home, '.config') } = this.env;
    return join(config, 'systemd/user', UNIT);
  }

  /** The unit as this version has it. */
  get unit(): string {
    return this.isUsers ? userUnit(this.directory, this.env['PATH']) : systemUnit();
  }

  /** Whether what this user runs ends with their last session. */
  get endsAtLogout(): boolean {
    if (!this.isUsers) return false;
    const user = userInfo().username;
    return this.#ask('loginctl', 'show-user', user, '--property=Linger').stdout !== 'Linger=yes';
  }

  get state(): UnitState {
    const show = (property: string) =>
      this.control('show', UNIT, `--property=${property}`, '--value');
    return {
      active: show('ActiveState'),
      sub: show('SubState'),
      enabled: show('UnitFileState'),
      restarts: Number(show('NRestarts')),
    };
  }

  /** @throws CliError where there is none, or it does not answer */
  assertRunning(): void {
    const { stdout } = this.#ask('systemctl', ...this.scope, 'is-system-running');
    if (!['', 'offline', 'unknown'].includes(stdout)) return;
    throw this.isUsers
      ? new CliError(
          'systemd does not answer to this user',
          'log in as the user itself (ssh; neither su nor sudo), or have the service run for the whole machine: sudo hooks service install',
          EXIT.unreachable,
        )
      : new CliError(
          'systemd does not run on this machine',
          'let what starts programs here run "hooks start" in the directory of gateway.json5, and start it again whenever it ends; in a container it is the command of the image',
          EXIT.unreachable,
        );
  }

  /** What `systemctl` answers. @throws CliError with its own words */
  control(...args: readonly string[]): string {
    return this.run('systemctl', ...this.scope, ...args);
  }

  /** What a program of systemd answers. @throws CliError with its own words */
  run(program: string, ...args: readonly string[]): string {
    const { status, stdout, stderr } = this.#ask(program, ...args);
    if (status === 0) return stdout;
    throw new CliError(
      `${[program, ...args].join(' ')} failed: ${stderr}`,
      `what the service said: ${this.journal} -n 20`,
    );
  }

  /** How its log is read. */
  get journal(): string {
    return ['journalctl', ...this.scope, '-u hooks'].join(' ');
  }

  #ask(program: string, ...args: readonly string[]) {
    const options = { env: { ...this.env, LC_ALL: 'C' }, encoding: 'utf8' } as const;
    const { status, stdout, stderr, error } = spawnSync(program, args, options);
    return {
      status,
      stdout: (stdout ?? '').trim(),
      stderr: (stderr ?? '').trim() || (error?.message ?? `it ended with ${status}`),
    };
  }
}
