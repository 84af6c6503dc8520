import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { ConfigurationError, HooksSettings } from '../../hooks/index.ts';
import type { Configuration } from './load.ts';
import { loadConfiguration } from './load.ts';
import { restartKeys } from './reload.ts';

const SECRET = 'password-that-nobody-may-see';
const MAIL = { account: 'me@example.org', host: 'imap.example.org', auth: { password: SECRET } };
const HOOKS = { enabled: true, token: 'a-hook-token-of-good-length', presets: ['mail'] };

let dir: ConfigDirectory;
beforeEach(() => (dir = new ConfigDirectory()));
afterEach(() => dir[Symbol.dispose]());

function load(hooks: object, more: object = {}): Promise<Configuration> {
  const gateway = { auth: { token: 'an-operator-token-of-length' } };
  dir.write('gateway.json5', { gateway, hooks: { ...HOOKS, ...hooks }, ...more });
  return loadConfiguration(dir.path, {});
}

async function problems(hooks: object): Promise<string[]> {
  try {
    await load(hooks);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ key, message }) => `${key} ${message}`);
  }
  return [];
}

async function mailMapping(hooks: object): Promise<unknown> {
  const { hooks: given } = await load(hooks);
  return new HooksSettings(given).current.hooks.mappings.find(({ id }) => id === 'mail');
}

describe('hooks.mail in gateway.json5', () => {
  it('is the watcher’s, and no key of the hooks module', async () => {
    const configuration = await load({ mail: MAIL });
    expect(configuration.mail).toMatchObject({ ...MAIL, mailboxes: ['INBOX'] });
    expect(configuration.hooks).not.toHaveProperty('mail');
    expect(configuration.hooks.mappings).toBeUndefined();
  });

  it('gives model, thinking and allowUnsafeExternalContent to the mapping mail', async () => {
    const own = { thinking: 'low', allowUnsafeExternalContent: true };
    expect(await mailMapping({ mail: { ...MAIL, ...own } })).toMatchObject({ id: 'mail', ...own });
  });

  it('adds them to a mapping mail that is there', async () => {
    const mappings = [
      { id: 'other', match: { path: 'x' } },
      { id: 'mail', deliver: false },
    ];
    const mail = { ...MAIL, thinking: 'low' };
    expect(await mailMapping({ mappings, mail })).toMatchObject({
      deliver: false,
      thinking: 'low',
    });
  });
});

describe('hooks.mail is refused', () => {
  it('without preset mail, which it says to add', async () => {
    expect(await problems({ presets: [], mail: MAIL })).toEqual([
      expect.stringMatching(/^hooks\.mail needs the hook .*add "mail" to hooks\.presets/u),
    ]);
  });

  it('when it contradicts the mapping', async () => {
    const mappings = [{ id: 'mail', thinking: 'high' }];
    expect(await problems({ mappings, mail: { ...MAIL, thinking: 'low' } })).toEqual([
      expect.stringMatching(/^hooks\.mail\.thinking is also given in the mapping "mail"/u),
    ]);
  });

  it('where it is written when the mapping finds the mistake', async () => {
    const found = await problems({ mail: { ...MAIL, model: '{{ broken' } });
    expect(found).toEqual([expect.stringMatching(/^hooks\.mail\.model /u)]);
  });

  it('with every mistake at once, and without its secrets', async () => {
    const mail = { ...MAIL, port: 0, mailboxs: [], auth: { password: [SECRET] } };
    const found = await problems({ mail });
    expect(found.map((problem) => problem.split(' ')[0]).toSorted()).toEqual([
      'hooks.mail.auth.password',
      'hooks.mail.mailboxs',
      'hooks.mail.port',
    ]);
    expect(found.join()).not.toContain(SECRET);
  });
});

describe('a condition on the sender of a mail', () => {
  async function warnings(when: object, mail: object = {}): Promise<string[]> {
    const mappings = [{ id: 'boss', match: { path: 'mail' }, when }];
    const loaded = await load({ mappings, mail: { ...MAIL, ...mail } });
    return loaded.warnings.flatMap(({ key, message }) =>
      key.includes('hooks.mappings[0]') ? [message] : [],
    );
  }
  const SERVER = { authservId: 'mx.example.net' };
  const asked = { 'payload.messages[].fromAddress': { any: 'ann@example.org' } };
  const named = { 'payload.messages[].from': { any: { contains: 'ann@' } } };
  const anyMail = { 'payload.messages[].authentic': { any: [true, false, 'unknown'] } };

  it('is warned of where no server is believed, wherever it stands', async () => {
    const never = [expect.stringMatching(/met by no mail: set hooks\.mail\.authservId/u)];
    expect(await warnings(asked)).toEqual(never);
    expect(await warnings({ or: [{ 'payload.x': 1 }, asked] })).toEqual(never);
    expect(await warnings(asked, SERVER)).toEqual([]);
  });

  it('is warned of where it is met by forged mail', async () => {
    const forged = [expect.stringContaining('of forged mail, too')];
    expect(await warnings({ ...asked, ...anyMail }, SERVER)).toEqual(forged);
    expect(await warnings({ ...asked, ...anyMail })).toEqual(forged);
    const first = { 'payload.messages[0].fromAddress': 'ann@example.org' };
    for (const loose of [{ not: false }, { exists: true }, { not: true }]) {
      const when = { ...first, 'payload.messages[0].authentic': loose };
      expect(await warnings(when)).toEqual(forged);
      expect(await warnings(when, SERVER)).toEqual(forged);
    }
    const strict = { 'payload.messages[].authentic': { any: true } };
    expect(await warnings({ ...asked, ...strict }, SERVER)).toEqual([]);
  });

  it('is warned of where a name may meet it', async () => {
    expect(await warnings(named, SERVER)).toEqual([expect.stringContaining('ask fromAddress')]);
  });
});

describe('a change of hooks.mail', () => {
  it('needs a restart when it is the watcher’s', async () => {
    const before = await load({ mail: MAIL });
    const after = await load({ mail: { ...MAIL, mailboxes: ['Work'] } });
    expect(restartKeys(before, after)).toEqual(['hooks.mail']);
    expect(restartKeys(before, await load({}))).toEqual(['hooks.mail']);
  });

  it('needs none when it is the mapping’s', async () => {
    const before = await load({ mail: MAIL });
    expect(restartKeys(before, await load({ mail: { ...MAIL, thinking: 'low' } }))).toEqual([]);
  });
});
