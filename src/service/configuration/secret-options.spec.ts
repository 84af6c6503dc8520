import { tmpdir } from 'node:os';
import { isSecretPlace, secretsIn } from '../../hooks/index.ts';
import type { OptionPlace } from '../../hooks/index.ts';
import { isCredentialField } from '../../platform/credentials.ts';
import { inspectConfiguration } from './inspect.ts';
import { maskSecrets, maskTexts } from './masking.ts';
import { CONFIGURATION } from './sections.ts';

// Made from the declarations: a new secret option is offered here by itself.

const CANARY = 'correct horse battery staple';
const OPTIONS = CONFIGURATION.below();
const SECRETS = OPTIONS.filter(isSecretPlace).map((place): [string, OptionPlace] => [
  place.key,
  place,
]);

/** A configuration with this one value. */
function holding({ path }: OptionPlace, value: unknown): Record<string, unknown> {
  const whole = path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
  return Object(whole);
}

describe.each(SECRETS)('%s is a secret, which', (_, place) => {
  const isList = /(?:tokens|secrets)$/.test(place.key);
  const configuration = holding(place, isList ? ['x', CANARY] : CANARY);

  it('is found', () => {
    expect(secretsIn(configuration, CONFIGURATION).map(({ text }) => text)).toContain(CANARY);
  });

  it('is not shown, there or wherever else it stands', () => {
    const texts = [JSON.stringify(maskSecrets(configuration, configuration))];
    texts.push(...maskTexts([`is ${CANARY} now`], configuration, configuration, []));
    for (const text of texts) expect(text).not.toContain(CANARY);
    expect(texts.join()).toContain('***');
  });

  it('stays a reference where it comes from a variable', () => {
    const written = holding(place, '${CANARY}');
    const shown = JSON.stringify(maskSecrets(configuration, written, [CANARY]));
    expect(shown).not.toContain(CANARY);
    expect(shown).toContain('${CANARY}');
  });

  it('is named by no problem', async () => {
    const gateway = JSON.stringify(configuration);
    const found = await inspectConfiguration(tmpdir(), {}, { gateway, dotenv: undefined });
    expect(JSON.stringify([found.problems, found.warnings])).not.toContain(CANARY);
  });
});

it('an option with the name of a credential says that it is one, or stands here', () => {
  const others = OPTIONS.filter((place) => {
    const [name] = place.path.slice(-1);
    return isCredentialField(String(name)) && !isSecretPlace(place);
  });
  expect([...new Set(others.map(({ key }) => key.replace(/chan_\d/, 'chan_*')))]).toEqual([
    'gateway.auth',
    'hooks.mail.auth',
    'hooks.mail.auth.oauth2.tokenUrl',
    'hooks.tokens',
    'hooks.schemes.*.secretForm',
    'hooks.mappings[0].orToken',
    'hooks.mappings[0].tokenHeader',
    'hooks.authFailures',
    'agents.defaults.runner.sessionIdPath',
    'agents.defaults.historyTokens',
    'agents.defaults.maxOutputTokens',
    'agents.defaults.heartbeat.historyTokens',
    'agents.list[0].runner.sessionIdPath',
    'models.providers.*.contextTokens',
    'channels.chan_*.tokenUrl',
    'ops.tokens',
  ]);
});
