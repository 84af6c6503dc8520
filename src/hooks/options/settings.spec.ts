import { Logger } from '@nestjs/common';
import { asWritten } from '../../../test/support/as-written.ts';
import { GATEWAY_NAMES } from './option-names.ts';
import { ConfigurationError } from './problem.ts';
import { HooksSettings } from './settings.ts';

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

async function refusal(act: () => Promise<void>): Promise<ConfigurationError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('HooksSettings.verify (behaviour §11)', () => {
  it('refuses with every problem in one message, one line each', async () => {
    const settings = new HooksSettings({ enabled: true, maxBodyBytes: 0 }, GATEWAY_NAMES);
    const { message, problems } = await refusal(() => settings.verify());
    expect(problems.map(({ key }) => key)).toEqual(['hooks.maxBodyBytes', 'hooks.token']);
    expect(message).toMatch(
      /cannot be used:\n {2}hooks\.maxBodyBytes must not be less than 1\n {2}hooks/,
    );
  });

  it('asks added checks about what it was started with and counts their problems', async () => {
    const settings = new HooksSettings({ path: '/in' }, GATEWAY_NAMES);
    const seen: string[] = [];
    settings.addCheck(({ hooks }) => {
      seen.push(hooks.path);
      return { problems: [{ key: 'hooks.mappings[0]', message: 'is odd' }], warnings: [] };
    });
    expect((await refusal(() => settings.verify())).problems).toEqual([
      { key: 'hooks.mappings[0]', message: 'is odd' },
    ]);
    expect(seen).toEqual(['/in']);
  });

  it.each([
    ['mappings', { mappings: [{ id: 3 }] }],
    ['presets', { presets: [3] }],
    ['prefixes', { allowedSessionKeyPrefixes: [3] }],
    ['prefixes as text', { allowedSessionKeyPrefixes: 'hook:' }],
  ])('spares checks from broken %s', async (_, written) => {
    const settings = new HooksSettings(asWritten(written), GATEWAY_NAMES);
    settings.addCheck(() => {
      throw new Error('a check that cannot bear this');
    });
    expect((await refusal(() => settings.verify())).problems).toHaveLength(1);
  });
});

describe('HooksSettings.replace (behaviour §11: all or nothing)', () => {
  it('puts new settings in force and leaves those in use untouched', async () => {
    const settings = new HooksSettings({ defaultSessionKey: 'hook:old' });
    const inFlight = settings.current;
    await settings.replace({ defaultSessionKey: 'hook:new' });
    expect(settings.current.hooks.defaultSessionKey).toBe('hook:new');
    expect(inFlight.hooks.defaultSessionKey).toBe('hook:old');
  });

  it('keeps the old settings when an added check refuses the new ones', async () => {
    const settings = new HooksSettings({});
    const before = settings.current;
    settings.addCheck(() => ({ problems: [{ key: 'hooks', message: 'is odd' }], warnings: [] }));
    await refusal(() => settings.replace({ summary: 'unless-delivered' }));
    expect(settings.current).toBe(before);
  });

  it('puts settings that arrive at once in force in their order, however long their checks take', async () => {
    const settings = new HooksSettings({});
    const seen: unknown[] = [];
    settings.onReplaced(() => seen.push(settings.current.hooks.defaultSessionKey));
    settings.addCheck(async ({ hooks }) => {
      if (hooks.defaultSessionKey === 'hook:1') await new Promise(setImmediate);
      return { problems: [], warnings: [] };
    });
    await Promise.all(
      ['hook:1', 'hook:2'].map((defaultSessionKey) => settings.replace({ defaultSessionKey })),
    );
    expect(seen).toEqual(['hook:1', 'hook:2']);
  });
});
