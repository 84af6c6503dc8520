// Packs the checkout once for all suites of the package, as `npm publish` does it: there is no dist, so that npm has to build.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';

const PLACE = 'node_modules/.cache/packed';

for (const old of ['dist', PLACE]) rmSync(old, { recursive: true, force: true });
mkdirSync(PLACE, { recursive: true });
execFileSync('npm', ['pack', '--silent', '--pack-destination', PLACE], { stdio: 'inherit' });
