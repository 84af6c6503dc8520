import { asWritten } from '../../../test/support/as-written.ts';
import { GATEWAY_NAMES, renamed } from './option-names.ts';
import { resolveOptions } from './resolve.ts';
import { HooksSettings } from './settings.ts';

function messagesFor(written: unknown): string[] {
  return resolveOptions(asWritten(written)).problems.map(({ key, message }) => `${key} ${message}`);
}

describe('a host of the module reads its own names', () => {
  it.each<[string, unknown, string]>([
    ['hooks', { maxBodyBytes: 0 }, 'maxBodyBytes must not be less than 1'],
    ['mappings', { mappings: [{ id: 3 }] }, 'mappings[0].id must be a string (given: a number)'],
    ['store', { retention: { payloadDays: -1 } }, 'retention.payloadDays must not be less than 0'],
    ['the section store', { retention: [] }, 'retention must be an object'],
    ['proxies', { trustedProxies: '::1' }, 'trustedProxies must be an array: […]'],
    ['its own token', { gatewayAuthToken: 3 }, 'gatewayAuthToken must be a string'],
    ['agents', { agents: { list: [[]] } }, 'agents.list[0] must be an object'],
    [
      'keys in a sentence',
      { enabled: true },
      'token is required when enabled is true; set a long random string, or name senders in tokens',
    ],
    ['all of them', null, 'options must be an object'],
  ])('for %s', (_, written, sentence) => {
    expect(messagesFor(written)).toEqual([sentence]);
  });

  it('in the problems of added checks, in warnings and after a reload', async () => {
    const settings = new HooksSettings({});
    settings.addCheck(({ trustedProxies }) => ({
      problems: trustedProxies.map((_, index) => ({
        key: `gateway.trustedProxies[${index}]`,
        message: 'does not fit hooks.path',
      })),
      warnings: [],
    }));
    await expect(settings.replace({ trustedProxies: ['x'] })).rejects.toThrow(
      '\n  trustedProxies[0] does not fit path',
    );
    const { warnings } = resolveOptions({ enabled: true, token: 'x'.repeat(20) });
    expect(warnings.map(({ key }) => key)).toEqual(['token']);
  });

  it('renames nothing that a person wrote', () => {
    const problem = { key: 'hooks.path', message: 'knows "hooks.path" at http://hooks.path/' };
    expect(renamed([problem])).toEqual([{ ...problem, key: 'path' }]);
  });
});

describe('a reader of gateway.json5 reads the names of its sections', () => {
  it('wherever they come from', async () => {
    const written = { maxBodyBytes: 0, retention: { eventDays: 0 }, trustedProxies: asWritten(3) };
    const { problems } = resolveOptions(asWritten(written), GATEWAY_NAMES);
    const keys = ['hooks.maxBodyBytes', 'store.eventDays', 'gateway.trustedProxies'];
    expect(problems.map(({ key }) => key)).toEqual(keys);
    const settings = new HooksSettings(asWritten(written), GATEWAY_NAMES);
    await expect(settings.verify()).rejects.toThrow('\n  store.eventDays must not be less than 1');
  });
});

describe('a literal ${NAME} in the options of forRoot', () => {
  const sentence = 'names a variable, but forRoot replaces nothing; pass process.env.HOOK_TOKEN';

  it.each<[string, unknown]>([
    ['token', { enabled: true, token: '${HOOK_TOKEN}' }],
    ['gatewayAuthToken', { gatewayAuthToken: '${HOOK_TOKEN}' }],
    ['trustedProxies[1]', { trustedProxies: ['::1', 'a ${HOOK_TOKEN}'] }],
    ['mappings[0].transform.module', { mappings: [{ transform: { module: '${HOOK_TOKEN}' } }] }],
    [
      'models.providers.a.apiKey',
      { models: { providers: { a: { type: 'openai', apiKey: '${HOOK_TOKEN}' } } } },
    ],
    [
      'agents.list[0].runner.headers.x-key',
      {
        agents: {
          list: [
            {
              id: 'a',
              runner: {
                type: 'http',
                baseUrl: 'http://a/v1',
                headers: { 'x-key': 'k ${HOOK_TOKEN}' },
              },
            },
          ],
        },
      },
    ],
  ])('is refused at %s', (key, written) => {
    expect(messagesFor(written)).toEqual([`${key} ${sentence}`]);
  });

  it('spares checks, which would only find more wrong with it', async () => {
    const settings = new HooksSettings({ transformsDir: '${HOOK_TOKEN}' });
    settings.addCheck(() => {
      throw new Error('a check that was not spared');
    });
    await expect(settings.verify()).rejects.toThrow(`transformsDir ${sentence}`);
  });

  it('is text where variables were replaced before', () => {
    const instructions = 'Print ${HOME}.';
    const written = { agents: { list: [{ id: 'a', instructions }] } };
    expect(resolveOptions(written, GATEWAY_NAMES).problems).toEqual([]);
  });
});
