import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from './bundled.ts';

const CLAUDE = bundled('cli/claude.mjs');

export type ProgramCall = readonly [string, object];

export class ScriptedClaude {
  readonly #script: string;
  readonly #done: string;

  constructor(dir: string) {
    this.#script = join(dir, 'script.json');
    this.#done = join(dir, 'done');
  }

  /** What it calls in each turn from now on. @param how `isDeaf`: goes on though interrupted; `isSilent`: tells no session; `hangs`: does not end */
  calls(
    turns: readonly (readonly ProgramCall[])[],
    how: { isDeaf?: true; isSilent?: true; hangs?: true; exit?: number } = {},
  ): this {
    writeFileSync(this.#script, JSON.stringify({ turns, done: this.#done, ...how }));
    return this;
  }

  get runner() {
    const args = [CLAUDE, this.#script, '-p', '--output-format', 'json'];
    const paths = { resultPath: 'result', sessionIdPath: 'session_id' } as const;
    return {
      type: 'command',
      command: process.execPath,
      args,
      resumeArgs: [...args, '--resume', '{session}'],
      output: 'json',
      ...paths,
      env: [],
      permissionPrompt: 'claude-code',
    } as const;
  }

  /** What was done is as if it had not been. */
  forget(): void {
    rmSync(this.#done, { force: true });
  }

  get done(): readonly string[] {
    if (!existsSync(this.#done)) return [];
    return readFileSync(this.#done, 'utf8').split('\n').filter(Boolean);
  }
}
