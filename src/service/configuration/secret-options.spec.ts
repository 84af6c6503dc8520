import { tmpdir } from 'node:os';
import {
  doubtfulSecrets,
  isSecretPlace,
  resolveSection,
  secretTexts,
  secretsIn,
} from '../../hooks/index.ts';
import type { OptionPlace } from '../../hooks/index.ts';
import { isCredentialField } from '../../platform/credentials.ts';
import { inspectConfiguration } from './inspect.ts';
import { maskProblems, maskSecrets } from './masking.ts';
import { CONFIGURATION, ConfigurationOptions } from './sections.ts';

// Made from the declarations: a new secret option is offered here by itself.

const CANARY = 'correct horse battery staple';
// Channels share their class, and so do the runners of agents.
const OPTIONS = CONFIGURATION.below().filter(
  ({ key }) => !/chan_[2-8]|agents\.list\[0\]\.runner/.test(key),
);
const ENTRIES = OPTIONS.map((place): [string, OptionPlace] => [place.key, place]);
const SECRETS = ENTRIES.filter(([, place]) => isSecretPlace(place));
const HOLDERS = ENTRIES.filter(([, { traits }]) => traits.secret === 'inside');

function holding({ path }: OptionPlace, value: unknown): Record<string, unknown> {
  const whole = path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
  return Object(whole);
}

it.each(HOLDERS)('%s may hold a secret, and is not shown', (key, place) => {
  const isList = /(?:args|Args|env)$/.test(key);
  const configuration = holding(place, isList ? [CANARY] : CANARY);
  const shown = JSON.stringify(maskSecrets(configuration, configuration));
  expect(shown).not.toContain(CANARY);
  expect(shown).toContain('***');
});

describe.each(SECRETS)('%s is a secret, which', (_, place) => {
  const isList = /(?:tokens|secrets)$/.test(place.key);
  const configuration = holding(place, isList ? ['x', CANARY] : CANARY);

  it('is used without the line end of a file, and warned of in quotes', () => {
    const given = holding(place, isList ? [`${CANARY}\r\n`] : `\uFEFF${CANARY}\n`);
    const { value } = resolveSection(ConfigurationOptions, given, '');
    expect(secretTexts(value, CONFIGURATION)).toEqual([CANARY]);
    const quoted = holding(place, isList ? [`"${CANARY}"`] : `"${CANARY}"`);
    expect(doubtfulSecrets(quoted, CONFIGURATION)).toEqual([
      {
        key: expect.stringMatching(/^(?:gateway|hooks|agents|models|channels|store|ops)\./),
        message: expect.stringMatching('stands in quotes'),
      },
    ]);
  });

  it('is found', () => {
    expect(secretsIn(configuration, CONFIGURATION).map(({ text }) => text)).toContain(CANARY);
  });

  it('is not shown, there or wherever else it stands', async () => {
    const shown = JSON.stringify(maskSecrets(configuration, configuration));
    expect(shown).not.toContain(CANARY);
    expect(shown).toContain('***');
    const gateway = JSON.stringify(configuration);
    const found = await inspectConfiguration(tmpdir(), {}, { gateway, dotenv: undefined });
    const problem = { key: 'x', message: `is ${CANARY} now` };
    expect(maskProblems([problem], found)).toEqual([{ key: 'x', message: 'is *** now' }]);
  });

  it('stays a reference where it comes from a variable', () => {
    const written = holding(place, '${CANARY}');
    const shown = JSON.stringify(maskSecrets(configuration, written, [CANARY]));
    expect(shown).not.toContain(CANARY);
    expect(shown).toContain('${CANARY}');
  });

  it('is not shown beside a variable', () => {
    const whole = holding(place, 'half-of-it-and-the-rest');
    const written = holding(place, 'half-of-it-${REST}');
    expect(JSON.stringify(maskSecrets(whole, written, ['and-the-rest']))).not.toContain('half');
  });

  it('is named by no problem', async () => {
    const gateway = JSON.stringify(configuration);
    const found = await inspectConfiguration(tmpdir(), {}, { gateway, dotenv: undefined });
    expect(JSON.stringify([found.problems, found.warnings])).not.toContain(CANARY);
  });
});

function keysOf(isMeant: (place: OptionPlace) => boolean): string[] {
  return OPTIONS.filter(isMeant).map(({ key }) => key);
}

it('the keys that can hold a secret are these', () => {
  expect(keysOf(({ traits }) => traits.secret !== undefined)).toEqual([
    'gateway.auth.token',
    'hooks.mail.auth.password',
    'hooks.mail.auth.oauth2.clientSecret',
    'hooks.mail.auth.oauth2.refreshToken',
    'hooks.mail.auth.oauth2.tokenUrl',
    'hooks.token',
    'hooks.tokens[0].token',
    'hooks.tokens[0].tokens',
    'hooks.mappings[0].verify.secrets',
    'hooks.mappings[0].verify.senders[0].secrets',
    'hooks.mappings[0].verify.verifyToken',
    'agents.defaults.runner.args',
    'agents.defaults.runner.resumeArgs',
    'agents.defaults.runner.env',
    'agents.defaults.runner.baseUrl',
    'agents.defaults.runner.apiKey',
    'agents.defaults.runner.body',
    'agents.defaults.runner.headers',
    'agents.list[0].tools.mcp.*.args',
    'agents.list[0].tools.mcp.*.env',
    'agents.list[0].tools.mcp.*.url',
    'agents.list[0].tools.mcp.*.headers',
    'models.providers.*.baseUrl',
    'models.providers.*.apiKey',
    'channels.chan_1.token',
    'channels.chan_1.apiRoot',
    'channels.chan_1.buttons.url',
    'channels.chan_1.buttons.secret',
    'channels.chan_1.password',
    'channels.chan_1.appSecret',
    'channels.chan_1.tokenUrl',
    'channels.chan_1.url',
    'channels.chan_1.secrets',
    'store.postgres.url',
    'ops.metricsToken',
    'ops.tokens[0].token',
  ]);
});

it('a key that is called like one that can hold a secret is one, or stands here', () => {
  const isCalledSo = (name: string): boolean =>
    isCredentialField(name) || /key|url$|headers|env$|args$|root$|dsn/i.test(name);
  expect(
    keysOf(({ path, traits }) => traits.secret === undefined && isCalledSo(String(path.at(-1)))),
  ).toEqual([
    // Sections and lists of others.
    'gateway.auth',
    'hooks.mail.auth',
    'hooks.tokens',
    // The name of a header.
    'hooks.tokenHeader',
    // Addresses of ours, which senders and people are given.
    'hooks.publicUrl',
    'hooks.consoleUrl',
    // Names of conversations and events, and where to find them.
    'hooks.defaultSessionKey',
    'hooks.allowRequestSessionKey',
    'hooks.allowedSessionKeyPrefixes',
    'hooks.schemes.*.secretForm',
    'hooks.mappings[0].orToken',
    'hooks.mappings[0].tokenHeader',
    'hooks.mappings[0].sessionKey',
    'hooks.mappings[0].waitFor.key',
    'hooks.mappings[0].dedupeKey',
    'hooks.authFailures',
    'agents.defaults.runner.sessionIdPath',
    // Numbers of tokens.
    'agents.defaults.historyTokens',
    'agents.defaults.maxOutputTokens',
    'agents.defaults.heartbeat.historyTokens',
    'models.providers.*.contextTokens',
    'ops.tokens',
  ]);
});
