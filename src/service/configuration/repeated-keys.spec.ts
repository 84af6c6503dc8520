import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigDirectory } from '../../../test/support/config-directory.ts';
import { inspectConfiguration } from './inspect.ts';
import { repeatedKeys } from './repeated-keys.ts';

const keys = (text: string): string[] =>
  repeatedKeys(text, 'gateway.json5').map(({ key, message }) => `${key} ${message.split(',')[0]}`);

describe('a key that is given twice', () => {
  it('is told with both lines, whatever it is written like', () => {
    expect(keys("{\n hooks: {\n  path: '/a',\r\n  'path': '/b' },\n \"hooks\": {} }")).toEqual([
      'hooks.path is given twice (lines 3 and 4)',
      'hooks is given twice (lines 2 and 5)',
    ]);
  });

  it('is told inside of lists', () => {
    const text = "{ hooks: { mappings: [ { id: 'a' },\n { id: 'b', id: 'c' } ] } }";
    expect(keys(text)).toEqual(['hooks.mappings[1].id is given twice (lines 2 and 2)']);
  });

  it.each([
    "{ a: { id: 1 }, b: { id: 1 }, list: ['a', 'a', { a: 1 }] }",
    '{ a: 1, // a: 2\n /* a: 3, */ b: "{ a: 1, a: 2 }" }',
    "{ a: 'it\\'s, a: 1, a: 2', b: +1.5e3, c: -Infinity, }",
    '{}',
  ])('is none in %s', (text) => {
    expect(keys(text)).toEqual([]);
  });

  it('is a warning of the configuration, and names the fragment that it stands in', async () => {
    using dir = new ConfigDirectory();
    dir.write('gateway.json5', "{ gateway: { port: 1 }, hooks: {},\n gateway: { host: '::1' } }");
    mkdirSync(join(dir.path, 'gateway.d'));
    dir.write('gateway.d/a.json5', '{ hooks: { enabled: false, enabled: false } }');
    const { warnings, problems } = await inspectConfiguration(dir.path, {});
    expect(problems).toEqual([]);
    expect(warnings.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['gateway', 'gateway.d/a.json5: hooks.enabled']),
    );
  });
});
