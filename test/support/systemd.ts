import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What systemctl says and ends with, from its manual: https://www.freedesktop.org/software/systemd/man/latest/systemctl.html */
const SYSTEMCTL = `
[ "$1" = --user ] && shift
command=$1; shift
case "$command" in
  is-system-running) cat running; [ "$(cat running)" = running ] ;;
  daemon-reload) cp "$(cat unit)" loaded 2>/dev/null || rm -f loaded ;;
  show)
    case "$2" in
      --property=ActiveState) cat active 2>/dev/null || echo inactive ;;
      --property=SubState) [ -e active ] && cat sub || echo dead ;;
      --property=UnitFileState) [ -e "$(cat unit)" ] && { [ -e enabled ] && echo enabled || echo disabled; } || echo ;;
      --property=NRestarts) echo 0 ;;
    esac ;;
  enable)
    [ -e loaded ] || { echo "Failed to enable unit: Unit file $1 does not exist." >&2; exit 1; }
    : > enabled ;;
  disable) rm -f enabled active ;;
  start | restart)
    [ -e fails ] && { echo "Job for $1 failed because the control process exited with error code." >&2; exit 1; }
    echo active > active; echo running > sub ;;
  *) echo "Unknown command verb $command." >&2; exit 1 ;;
esac`;

/** Programs of a systemd that is not there: what they are asked is kept, and what it would have changed. */
export class SystemdStandIn {
  /** For `PATH`. */
  readonly bin: string;

  /** @param unit where the manager looks for hooks.service */
  constructor(
    private readonly dir: string,
    unit: string,
  ) {
    this.bin = join(dir, 'bin');
    mkdirSync(this.bin, { recursive: true });
    this.say('running', 'running').say('unit', unit).say('linger', 'no');
    this.#program('systemctl', SYSTEMCTL);
    this.#program('loginctl', 'echo "Linger=$(cat linger)"');
    this.#program('systemd-sysusers', '');
  }

  /** One fact about it: `running` (the answer to is-system-running), `fails`, `linger`. */
  say(fact: string, text: string): this {
    writeFileSync(join(this.dir, fact), text);
    return this;
  }

  /** What it was asked to change, in order. */
  get changes(): readonly string[] {
    return this.#calls.filter((call) => !/ (?:is-system-running|show|show-user)\b/.test(call));
  }

  get isEnabled(): boolean {
    return existsSync(join(this.dir, 'enabled'));
  }

  get #calls(): readonly string[] {
    const calls = join(this.dir, 'calls');
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  }

  #program(name: string, script: string): void {
    const file = join(this.bin, name);
    writeFileSync(file, `#!/bin/sh\ncd '${this.dir}'\necho "${name} $*" >> calls\n${script}\n`);
    chmodSync(file, 0o755);
  }
}
