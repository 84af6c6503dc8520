import { readdirSync } from 'node:fs';
import { OWN_FOLDERS } from './folders.ts';
import { presets } from './index.ts';
import { bodyOf, listSamples, readSample } from './samples.ts';

const FOLDERS = readdirSync(OWN_FOLDERS).filter((folder) => listSamples(folder).length > 0);

describe('samples of what senders send', () => {
  it('belong to presets', () => {
    expect(FOLDERS.filter((folder) => !presets.has(folder))).toEqual([]);
  });

  const all = FOLDERS.flatMap((preset) => listSamples(preset).map((event) => [preset, event]));
  it.each(all)('%s %s says where it comes from, and has one body', (preset = '', event = '') => {
    const sample = readSample(preset, event)!;
    expect(sample.source).toMatch(/\w{3}/u);
    expect(Object.keys(sample.headers)).toEqual(
      Object.keys(sample.headers).map((name) => name.toLowerCase()),
    );
    expect([sample.body, sample.text].filter((body) => body !== undefined)).toHaveLength(1);
    expect(bodyOf(sample)).toMatch(/\w/u);
  });

  it.each([
    ['an unknown preset', 'nobody', 'x'],
    ['an unknown event', 'generic', 'x'],
    ['a way out', '..', 'samples'],
    ['a longer way out', '../..', 'compile.spec'],
    ['a way down', '.', 'x'],
    ['nothing', '', ''],
  ])('there is none of %s', (_, preset, event) => {
    expect(readSample(preset, event)).toBeUndefined();
  });

  it('an event leads nowhere else', () => {
    expect(readSample('generic', '../../../package')).toBeUndefined();
  });
});
