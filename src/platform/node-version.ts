// The faces, main.ts and the command begin with this file: no syntax or import here that Node 20 does not know.

/** Oldest Node that runs the package: the first with everything it uses (node:sqlite without a flag among it). */
const OLDEST = { major: 24, minor: 15 };

/** The remedy in a checkout, where npm brings the right Node along. */
const WITH_NPM =
  'start it with "npm start", which uses the Node that "npm ci" installs (with ignore-scripts it installs none: "npm rebuild node --ignore-scripts=false" brings it)';

/** @returns undefined when it is new enough. @param subject what needs the newer one. */
export function nodeRefusal(
  version: string,
  remedy = WITH_NPM,
  subject = 'This service',
): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  const wanted = `${OLDEST.major}.${OLDEST.minor}`;
  return `${subject} needs Node ${wanted} or newer and was started on Node ${version}; ${remedy}.`;
}
