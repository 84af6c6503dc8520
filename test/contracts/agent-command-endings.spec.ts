import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandRunner } from '../../src/adapters/agents/command.ts';
import type { CommandSettings } from '../../src/hooks/ports/agent-directory.ts';
import { SystemClock } from '../../src/hooks/ports/clock.ts';
import { agentTurn } from '../support/agent-turn.ts';
import {
  command,
  failedCommand,
  KEY,
  runCommand,
  serviceEnvironment,
  pidsIn,
} from '../support/command-turn.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { isGone } from '../support/process-state.ts';

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

async function abortedTurn(count: number, runner: (file: string) => CommandSettings) {
  const file = join(dir.path, 'pids');
  const controller = new AbortController();
  const reason = new Error('the deadline');
  const running = runCommand(dir.path, runner(file), {}, controller.signal);
  const pids = await pidsIn(file, count).catch(async (error: unknown) => {
    controller.abort(reason);
    await running.catch(() => {});
    throw error;
  });
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  return pids;
}

describe('commandRunner: a program that fails', () => {
  it.each([
    ['that does not exist', 'no-such-agent', 'was not found: install it, or set runner.command'],
    ['at a path that does not exist', '/nowhere/agent', 'the command "agent" was not found'],
    ['that may not be run', '/etc/passwd', 'may not be run: make it an executable file'],
  ])('%s', async (_name, program, sentence) => {
    const error = await failedCommand(dir.path, command([], { command: program }));
    expect(error.kind).toBe('permanent');
    expect(error.message).toContain(sentence);
    expect(error.message).not.toContain('/nowhere');
  });

  it('fails permanently with its exit code and its own words, but neither key nor prompt', async () => {
    const settings = command(['fail'], { env: ['API_KEY'] });
    for (const prompt of ['e', 'A secret.\nOf two lines.', 'word '.repeat(1000)]) {
      const error = await failedCommand(dir.path, settings, { prompt });
      expect(error.kind).toBe('permanent');
      expect(error.message).toMatch(/ended with exit code 7: .*key \[API_KEY\] \/ out of order$/);
      expect(error.message).not.toContain(KEY);
      expect(error.message).not.toMatch(/secret|two lines|word/);
    }
  });

  it('keeps the last 2 KB of the error output, in whole lines', async () => {
    const settings = command(['complain']);
    const { message } = await failedCommand(dir.path, settings);
    expect(message).toMatch(/code 1: line \d+ \/ .* \/ line 9999$/);
    expect(message.length).toBeLessThan(3000);
  });

  it('says which signal ended it', async () => {
    const error = await failedCommand(dir.path, command(['crash']));
    expect(error).toMatchObject({ kind: 'permanent' });
    expect(error.message).toMatch(/^the command ".*" was ended by SIGKILL$/);
  });

  it('is ended when it writes more than 1 MB', async () => {
    const error = await failedCommand(dir.path, command(['flood']));
    expect(error).toMatchObject({ kind: 'permanent' });
    expect(error.message).toContain('wrote more than 1 MB');
  });

  it('exactly 1 MB is a reply', async () => {
    const settings = command(['letters', '1048576']);
    expect((await runCommand(dir.path, settings)).text).toHaveLength(1_048_576);
    const error = await failedCommand(dir.path, command(['letters', '1048577']));
    expect(error.message).toContain('wrote more than 1 MB');
  });

  it('that does not fit the system is a permanent failure', async () => {
    const over = { sessionKey: 'x'.repeat(4_000_000) };
    const error = await failedCommand(dir.path, command(['say', 'x']), over);
    expect(error).toMatchObject({ kind: 'permanent' });
    expect(error.message).toContain('(E2BIG)');
  });
});

describe('commandRunner: a program that reads nothing', () => {
  const prompt = 'x'.repeat(5_000_000);

  it('may answer all the same', async () => {
    expect((await runCommand(dir.path, command(['say', 'ok']), { prompt })).text).toBe('ok');
  });

  it('is ended at the deadline', async () => {
    const controller = new AbortController();
    const running = runCommand(dir.path, command(['stall']), { prompt }, controller.signal);
    controller.abort(new Error('the deadline'));
    await expect(running).rejects.toThrow('the deadline');
  });
});

describe('commandRunner: an abort', () => {
  it('ends a program and its children, though they ignore SIGTERM', async () => {
    const pids = await abortedTurn(2, (file) => command(['stubborn', file]));
    expect(await eventually('all are gone', () => pids.every(isGone))).toBe(true);
  });

  it('asks nicely first', async () => {
    const file = join(dir.path, 'farewell');
    await abortedTurn(1, (pids) => command(['polite', pids, file]));
    expect(readFileSync(file, 'utf8')).toBe('SIGTERM');
  });

  it('before the start starts nothing', async () => {
    const file = join(dir.path, 'pids');
    const reason = new Error('stopping');
    const stubborn = command(['stubborn', file]);
    const running = runCommand(dir.path, stubborn, {}, AbortSignal.abort(reason));
    await expect(running).rejects.toBe(reason);
    expect(existsSync(file)).toBe(false);
  });
});

describe('commandRunner: what a program leaves running', () => {
  it('ends with the turn, though it holds the output open', async () => {
    const { text } = await runCommand(dir.path, command(['leave']));
    expect(await eventually('it is gone', () => isGone(Number(text)))).toBe(true);
  });

  it('leaves no listener behind', async () => {
    const before = process.listenerCount('exit');
    const runner = commandRunner({ env: serviceEnvironment, workspaces: dir.path });
    const agent = { id: 'ops', timeoutSeconds: 600, runner: command(['say', 'ok']) };
    const { signal } = new AbortController();
    const turns = Array.from({ length: 20 }, () => runner.run(agentTurn({ agent }), signal));
    expect((await Promise.all(turns)).map(({ text }) => text)).toEqual(turns.map(() => 'ok'));
    expect(process.listenerCount('exit')).toBe(before);
  });

  it('is read to its end, though the loop was busy until long after it', async () => {
    const clock = new (class extends SystemClock {
      override wait = async (): Promise<void> => {};
    })();
    const runner = commandRunner({ env: serviceEnvironment, workspaces: dir.path, clock });
    const echo = command([], { command: '/bin/echo', args: ['ok'] });
    const agent = { id: 'ops', timeoutSeconds: 600, runner: echo };
    const { signal } = new AbortController();
    const turns = Array.from({ length: 100 }, () => runner.run(agentTurn({ agent }), signal));
    expect((await Promise.all(turns)).map(({ text }) => text)).toEqual(turns.map(() => 'ok'));
  });

  it('does not hold the turn up when it has left the group', async () => {
    const { text } = await runCommand(dir.path, command(['escape']));
    expect(process.kill(Number(text), 'SIGKILL')).toBe(true);
  });
});
