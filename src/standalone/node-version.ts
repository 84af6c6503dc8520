// This file and main.ts are all that an old Node ever reads of us: no syntax or import here that Node 20 does not know.

/** Oldest Node that runs the service: the first with everything it uses (node:sqlite without a flag among it). */
const OLDEST = { major: 24, minor: 15 };

const WITH_NPM = 'start it with "npm start", which uses the Node that "npm ci" installs';

/** The sentence for an operator whose Node is too old; undefined when it is new enough. */
export function nodeRefusal(version: string, remedy = WITH_NPM): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  return `This service needs Node ${wanted} or newer and was started on Node ${version}; ${remedy}.`;
}
