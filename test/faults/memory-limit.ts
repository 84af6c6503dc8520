import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** A control group that a process may be started in, so that it is killed when it needs more than so much memory. */
export interface MemoryLimit extends AsyncDisposable {
  readonly within: readonly string[];
  kills(): number;
}

const V2 = '/sys/fs/cgroup';
const V1 = '/sys/fs/cgroup/memory';

/** Undefined where this process may not make control groups. */
export function limitMemory(megabytes: number): MemoryLimit | undefined {
  const isV2 = existsSync(join(V2, 'cgroup.controllers'));
  const group = join(isV2 ? V2 : V1, `hooks-faults-${process.pid}`);
  try {
    mkdirSync(group);
    const file = isV2 ? 'memory.max' : 'memory.limit_in_bytes';
    if (!existsSync(join(group, file))) throw new Error('the controller is not available');
    writeFileSync(join(group, file), String(megabytes * 1024 * 1024));
    // What cannot be killed by it limits nothing.
    if (spawnSync('sh', ['-c', `echo $$ > ${group}/cgroup.procs`]).status !== 0) throw new Error();
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  return {
    within: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')],
    kills: () => {
      const events = readFileSync(
        join(group, isV2 ? 'memory.events' : 'memory.oom_control'),
        'utf8',
      );
      return Number(/^oom_kill (\d+)$/m.exec(events)![1]);
    },
    [Symbol.asyncDispose]: async () => {
      await eventually(
        'the group is empty',
        () => readFileSync(join(group, 'cgroup.procs'), 'utf8') === '',
      );
      rmdirSync(group);
    },
  };
}

/** The most memory that a process has held at once, in megabytes. */
export function peakMemoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
