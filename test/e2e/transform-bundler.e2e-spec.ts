import { readFileSync, readdirSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import type { Hooks } from '../support/hooks.ts';
import { isGone } from '../support/process-state.ts';
import { TransformFiles, startWithTransform } from '../support/transforms.ts';

function bundlers(): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      const about = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, name, parent] = /^\d+ \((.*)\) \w (\d+) /.exec(about) ?? [];
      return name === 'esbuild' && Number(parent) === process.pid ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

let hooks: Hooks | undefined;
afterEach(() => hooks?.close());

describe('a bundler that was killed', () => {
  it('is started again for the next edit', async () => {
    using files = new TransformFiles().transform("export default () => ({ name: 'first' });");
    const running = (hooks = await startWithTransform(files));
    const killed = bundlers();
    expect(killed).not.toEqual([]);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await eventually('the bundler is gone', () => killed.every((pid) => isGone(pid)));
    files.transform("export default () => ({ name: 'the second one' });");
    const answers = await Promise.all([running.ask('/t', {}), running.ask('/t', {})]);
    for (const { status, eventId } of answers) {
      expect(status).toBe(200);
      expect((await running.details(eventId)).actions[0]?.['name']).toBe('the second one');
    }
  });
});
