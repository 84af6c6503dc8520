import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../cli-error.ts';

/*
 * The unit of `hooks service install`. There is one text, deploy/hooks.service: what differs here is where Node and the
 * package are, and what the manager of a single user cannot do for want of privileges.
 */

export const UNIT = 'hooks.service';
/** What the unit's own user reads and writes: gateway.json5, .env and the ledger. */
export const STATE_DIRECTORY = '/var/lib/hooks';

const TEMPLATE = new URL('../../../deploy/hooks.service', import.meta.url);

/** What runs: the Node of this process, and the command of this package. */
const NODE = process.execPath;
const COMMAND = fileURLToPath(new URL('../hooks.js', import.meta.url));

const SYSTEM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];
/** Lines that end a unit of a user's manager, which has no capabilities to drop (218/CAPABILITIES) and mounts nothing. */
const NEEDS_ROOT =
  /^(?:Wants|After|User|StateDirectory\w*|CapabilityBoundingSet|AmbientCapabilities|Protect\w+|Private\w+|RemoveIPC)=/;
/** What `ProtectHome` and `PrivateTmp` of the unit hide. */
const HIDDEN = /^\/(?:root|home|run\/user|tmp|var\/tmp)\//;

/** Unit of the whole machine, with a user of its own. */
export function systemUnit(): string {
  const path = new Set([...SYSTEM_PATH, dirname(NODE)]);
  return unitText({ directory: STATE_DIRECTORY, path: [...path].join(':') });
}

/**
 * Unit of the user who asks for it.
 * @param directory of gateway.json5
 * @param path where its agents' programs are looked for: `PATH`
 */
export function userUnit(directory: string, path = SYSTEM_PATH.join(':')): string {
  return unitText({ directory, path })
    .split('\n')
    .filter((line) => !NEEDS_ROOT.test(line))
    .join('\n')
    .replace('multi-user.target', 'default.target');
}

/** Whether npm may clear away what would run. */
export function isOfNpx(): boolean {
  return COMMAND.includes('/_npx/');
}

/** @throws CliError where the unit's own user cannot run this Node or this package */
export function assertReadableByAll(): void {
  const hidden = [NODE, COMMAND].find((file) => HIDDEN.test(file) || !isReadableByAll(file));
  if (hidden === undefined) return;
  throw new CliError(
    `the service runs as the user "hooks", who cannot read ${hidden}`,
    'install Node and the package for everybody (npm install -g nestjs-agent-hooks, with a Node outside of /root and /home), then again: hooks service install',
  );
}

function isReadableByAll(file: string): boolean {
  const isOpen = (path: string, bits: number) => (statSync(path).mode & bits) === bits;
  for (let dir = dirname(file); ; dir = dirname(dir)) {
    if (!isOpen(dir, 0o001)) return false;
    if (dir === '/') return isOpen(file, 0o004);
  }
}

function unitText({ directory, path }: { directory: string; path: string }): string {
  const lines = {
    WorkingDirectory: directory.replaceAll('%', '%%'),
    Environment: `${quoted(`PATH=${path}`)} NODE_ENV=production`,
    ExecStart: [NODE, COMMAND, 'start']
      .map((word) => quoted(word.replaceAll('$', '$$$$')))
      .join(' '),
  };
  let text = readFileSync(TEMPLATE, 'utf8');
  for (const [key, value] of Object.entries(lines)) {
    if (/[\n\r]/.test(value))
      throw new CliError(`a path with a line break cannot be in a unit: ${value}`);
    text = text.replace(new RegExp(`^${key}=.*$`, 'm'), () => `${key}=${value}`);
  }
  return text;
}

/** One word of a unit, as systemd.syntax(7) wants it. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%');
  return /^[\w@%+=:,./$-]+$/.test(plain)
    ? plain
    : `"${plain.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
