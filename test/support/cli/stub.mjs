import { text } from 'node:stream/consumers';

/**
 * What a command-line agent was asked, when its arguments are one of the known lists; `<id>` in a list is a session id.
 * Anything else is a usage error, as with the real program.
 */
export async function asked(...usages) {
  const given = process.argv.slice(2);
  const usage = usages.find((list) => fits(list, given));
  if (usage === undefined) {
    process.stderr.write(`unexpected arguments: ${given.join(' ')}\n`);
    process.exit(2);
  }
  const input = await text(process.stdin);
  const session = idIn(usage, given);
  const how = session === undefined ? 'new' : `resumed ${session}`;
  return { session: session ?? 'session-1', reply: `${how}: ${input.length} characters` };
}

function fits(usage, given) {
  return (
    usage.length === given.length &&
    usage.every((arg, i) => given[i] === arg || given[i].startsWith(prefixOf(arg)))
  );
}

/** What stands before `<id>` in an argument; undefined: it has no id. */
function prefixOf(arg) {
  return arg.endsWith('<id>') ? arg.slice(0, -'<id>'.length) : undefined;
}

function idIn(usage, given) {
  const at = usage.findIndex((arg) => prefixOf(arg) !== undefined);
  return at < 0 ? undefined : given[at].slice(prefixOf(usage[at]).length);
}

/** Prints one event per line, as event streams of such programs are. */
export function printLines(...events) {
  for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
}
