import { HooksOptions } from './hooks-options.ts';
import { OptionPlace } from './option.ts';
import { resolveOptions } from './resolve.ts';
import { doubtfulSecrets } from './secret-texts.ts';

const SECRET = 'a-secret-of-good-length';
const PLACE = OptionPlace.of(HooksOptions, 'hooks');

function warningsOf(secret: string): string[] {
  const hooks = { mappings: [{ id: 'a', verify: { secrets: [secret] } }] };
  return doubtfulSecrets(hooks, PLACE).map(({ key, message }) => {
    expect(key).toBe('hooks.mappings[0].verify.secrets[0]');
    expect(message).not.toContain(secret.slice(2, -2));
    return message;
  });
}

describe('a start warns of a secret', () => {
  it.each<[string, string, string]>([
    ['with a blank before it', ` ${SECRET}`, 'begins or ends with a blank'],
    ['with a blank before its line end', `${SECRET} \n`, 'begins or ends with a blank'],
    ['with a no-break space behind it', `${SECRET}\u00A0`, 'begins or ends with a blank'],
    ['in double quotes', `"${SECRET}"\n`, 'stands in quotes'],
    ['in single quotes', `'${SECRET}'`, 'stands in quotes'],
    ['in the quotes of a word processor', `“${SECRET}”`, 'stands in quotes'],
    ['with a line end in two characters', `${SECRET}\\n`, 'ends with a backslash'],
    ['that is a variable', '$HOOK_SECRET', 'names a variable'],
    ['that holds a variable', '${HOOK_SECRET}', 'names a variable'],
    ['that is a whole line', `HOOK_SECRET=${SECRET}`, 'begins with the name of a variable'],
    ['that is a line of a shell', `export A=${SECRET}`, 'begins with the name of a variable'],
    ['with a zero-width space in it', `${SECRET}\u200B`, 'holds a character that nobody sees'],
    ['with a mark in it', `${SECRET}\uFEFF${SECRET}`, 'holds a character that nobody sees'],
    ['with a no-break space in it', `${SECRET}\u00A0x`, 'holds a character that nobody sees'],
    ['in Base64 of two lines', `${SECRET}\n${SECRET}=`, 'holds a character that nobody sees'],
  ])('%s', (_, secret, message) => {
    expect(warningsOf(secret)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    SECRET,
    `\uFEFF${SECRET}\r\n`,
    'four words of blanks',
    'whsec_QUJDREVGR0g=',
    'QUJDREVGR0g==',
    'ABC==',
    '$2b$10$abc',
    'it"s',
    '\\back\\slash',
    'ünï😀',
  ])('not of %j', (secret) => {
    expect(warningsOf(secret)).toEqual([]);
  });
});

it('is said of every section, and of forRoot under its own names', () => {
  const { problems, warnings } = resolveOptions({
    enabled: true,
    token: `"${SECRET}"`,
    models: { providers: { p: { type: 'anthropic', apiKey: `"${SECRET}"` } } },
    agents: {
      defaults: { runner: { type: 'http', baseUrl: 'http://127.0.0.1:1/v1', apiKey: `'sk-1'` } },
    },
  });
  expect(problems).toEqual([]);
  const quoted = warnings.filter(({ message }) => message.startsWith('stands in quotes'));
  expect(quoted.map(({ key }) => key)).toEqual([
    'token',
    'agents.defaults.runner.apiKey',
    'models.providers.p.apiKey',
  ]);
});
