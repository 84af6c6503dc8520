import { GOOD_TOKEN, DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { channels, models } from './servers.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

describe('doctor: channels', () => {
  const section = {
    chan_2: { token: GOOD_TOKEN },
    chan_5: { token: GOOD_TOKEN, apiRoot: 'https://chat.test/sub/' },
  };

  it('asks each platform, the public address where none is given', async () => {
    dir.silent = { 'https://chat.test/sub/': 'ECONNREFUSED' };
    expect(await dir.configure({ channels: section }).findings(channels)).toMatchObject([
      { severity: 'ok', what: 'channels.chan_2: telegram answers at https://api.telegram.org' },
      {
        severity: 'warning',
        what: 'channels.chan_5: mattermost does not answer at https://chat.test (ECONNREFUSED)',
        fix: expect.stringContaining('channels.chan_5'),
      },
    ]);
  });

  it('asks nobody offline', async () => {
    dir.configure({ channels: section });
    expect(await dir.findings(channels, { isOffline: true })).toMatchObject([
      { severity: 'info', what: 'not looked at (--offline)' },
    ]);
    expect(dir.asked).toEqual([]);
  });

  it('has nothing to ask without channels', async () => {
    expect(await dir.configure().findings(channels)).toMatchObject([{ severity: 'info' }]);
  });
});

describe('doctor: models', () => {
  it('asks providers and other gateways', async () => {
    dir.configure({
      models: {
        providers: {
          claude: { type: 'anthropic', apiKey: 'a-key-of-another' },
          local: { baseUrl: 'http://127.0.0.1:11434/v1' },
        },
      },
      agents: { list: [{ id: 'a', runner: { type: 'http', baseUrl: 'http://other.test/v1' } }] },
    });
    const findings = await dir.findings(models);
    expect(findings.map(({ severity }) => severity)).toEqual(['ok', 'ok', 'ok']);
    expect(dir.asked).toEqual([
      'https://api.anthropic.com/v1',
      'http://127.0.0.1:11434/v1',
      'http://other.test/v1',
    ]);
  });

  it('asks the local Ollama that answers where no model is named, and says what does without one', async () => {
    const url = 'http://127.0.0.1:11434';
    dir.silent = { [url]: 'ECONNREFUSED' };
    const none = [
      {
        severity: 'warning',
        what: `agents.defaults.model: a local Ollama (auto) does not answer at ${url} (ECONNREFUSED)`,
        fix: expect.stringContaining("runner: {type: 'demo'}"),
      },
    ];
    expect(await dir.configure().findings(models)).toMatchObject(none);
    dir.configure({ agents: { list: [{ id: 'a', runner: { type: 'demo' } }, { id: 'b' }] } });
    expect(await dir.findings(models)).toMatchObject(none);
    dir.configure({
      agents: { defaults: { model: 'p/m' }, list: [{ id: 'a', model: 'auto' }] },
      models: { providers: { p: { type: 'anthropic', apiKey: 'a-key-of-another' } } },
    });
    expect(await dir.findings(models)).toMatchObject([
      { severity: 'ok' },
      { severity: 'warning', fix: expect.stringContaining('set agents.list[0].model') },
    ]);
  });

  it.each<[string, object | undefined]>([
    ['the demo, where nothing is configured', undefined],
    ['an agent of the demo', { defaults: { model: 'auto', runner: { type: 'demo' } } }],
  ])('looks for no Ollama for %s', async (_, agents) => {
    if (agents !== undefined) dir.configure({ agents });
    expect(await dir.findings(models)).toMatchObject([{ severity: 'info' }]);
    expect(dir.asked).toEqual([]);
  });
});
