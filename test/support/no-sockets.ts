// Preloaded by a process (`node --import`), and by each of its threads: whatever would connect, listen, send or look a name
// up ends it with 99. The handles themselves are replaced, under every client there is.
import { writeSync } from 'node:fs';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

type Methods = Record<string, unknown>;
const { binding } = process as unknown as {
  binding: (name: string) => Record<string, { prototype: Methods }>;
};

function end(what: string): () => never {
  return () => {
    writeSync(2, `SOCKET ${what}\n`);
    process.kill(process.pid, 'SIGKILL');
    throw new Error(what);
  };
}

const HANDLES = [
  ['tcp_wrap', 'TCP', ['connect', 'connect6', 'bind', 'bind6', 'listen']],
  ['pipe_wrap', 'Pipe', ['connect', 'listen']],
  ['udp_wrap', 'UDP', ['bind', 'bind6', 'send', 'send6', 'connect', 'connect6']],
] as const;
for (const [name, handle, methods] of HANDLES) {
  const prototype = binding(name)[handle]!.prototype;
  for (const method of methods) prototype[method] = end(`${handle}.${method}`);
}
for (const method of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt'] as const) {
  Object.assign(dns, { [method]: end(`dns.${method}`) });
  Object.assign(dns.promises, { [method]: end(`dns.${method}`) });
}
syncBuiltinESMExports();
