import type { Check } from '../check.ts';
import { error, info, ok, warning } from '../finding.ts';
import type { Found } from '../finding.ts';
import { secretsOf } from '../secrets.ts';
import type { Secret } from '../secrets.ts';

/** Secrets that we choose ourselves; the others were made by whoever asks for them. */
const OURS = new Set(['hooks.token', 'gateway.auth.token', 'operator-token']);

const SHORTEST_GOOD = 24;
/** 16 random bytes have 128; a sentence of common words stays far below. */
const FEWEST_BITS = 64;
const PLACEHOLDER = /replace|change.?me|example|your.?token|secret|password|hook.?token/i;
const NEW_ONE = 'make one with "hooks token new" and put it into .env';

/** Whether our own tokens can be guessed, and whether two doors have one key. */
export const tokens: Check = {
  name: 'tokens',
  needs: 'configuration',
  run({ inspection }) {
    const secrets = secretsOf(inspection);
    const found = [
      ...secrets.filter(({ key }) => OURS.has(key)).flatMap(weaknesses),
      ...reused(secrets),
      ...literal(secrets),
    ];
    return found.length > 0 ? found : [ok('the tokens are long, random and used once')];
  },
};

function weaknesses({ key, value }: Secret): Found[] {
  if (PLACEHOLDER.test(value)) {
    return [
      error(`${key} looks like the placeholder of an example, which everybody knows`, NEW_ONE),
    ];
  }
  if (value.length < SHORTEST_GOOD) {
    return [warning(`${key} has only ${value.length} characters`, NEW_ONE)];
  }
  const bits = Math.floor(bitsOf(value));
  if (bits >= FEWEST_BITS) return [];
  return [warning(`${key} repeats itself: about ${bits} bits, as far as one can see`, NEW_ONE)];
}

/** Shannon's entropy of the characters: an upper bound of what a guess costs. */
function bitsOf(value: string): number {
  const letters = Array.from(value);
  const counts = Map.groupBy(letters, (letter) => letter).values();
  const perLetter = Array.from(counts, ({ length }) => length / letters.length);
  return -letters.length * perLetter.reduce((sum, share) => sum + share * Math.log2(share), 0);
}

function reused(secrets: readonly Secret[]): Found[] {
  const places = Map.groupBy(secrets, ({ value }) => value);
  return (
    Array.from(places.values(), (same) => same.map(({ key }) => key))
      // Two channels, or two agents, may well have one account.
      .filter((keys) => keys.length > 1 && keys.some((key) => OURS.has(key)))
      .map((keys) =>
        error(`${keys.join(' and ')} are the same: who knows one opens the other`, NEW_ONE),
      )
  );
}

function literal(secrets: readonly Secret[]): Found[] {
  const keys = secrets.filter(({ isLiteral }) => isLiteral).map(({ key }) => key);
  if (keys.length === 0) return [];
  const fix = 'write ${NAME} there and NAME=… into .env, which is not committed or shared';
  return [info(`written out in gateway.json5: ${keys.join(', ')}`, fix)];
}
