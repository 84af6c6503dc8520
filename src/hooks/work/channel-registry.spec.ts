import { resolveOptions } from '../options/index.ts';
import type { HooksSettings, SettingsCheck } from '../options/index.ts';
import { ChannelRegistry } from './channel-registry.ts';

async function warningsOf(mappings: object[]): Promise<string[]> {
  const checks: SettingsCheck[] = [];
  const settings = { addCheck: (check: SettingsCheck) => checks.push(check) };
  const registry = new ChannelRegistry({}, settings as unknown as HooksSettings);
  expect(registry.isEmpty).toBe(true);
  const { resolved } = resolveOptions({ mappings });
  const findings = await Promise.all(checks.map(async (check) => check(resolved)));
  return findings.flatMap(({ warnings }) => warnings.map(({ key }) => key));
}

describe('ChannelRegistry', () => {
  it('warns of a mapping to a channel that nobody serves, unless nothing is delivered', async () => {
    expect(
      await warningsOf([
        { id: 'a', channel: 'chan_2' },
        { id: 'b', channel: 'chan_2', deliver: false },
        { id: 'c', channel: 'last' },
        { id: 'd' },
      ]),
    ).toEqual(['hooks.mappings[0].channel']);
  });
});
