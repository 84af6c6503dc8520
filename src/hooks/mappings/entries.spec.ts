import { hookRequest } from '../../../test/support/ingest.ts';
import { GATEWAY_NAMES, resolveOptions } from '../options/index.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { compileMappings } from './compile.ts';
import { findMapping, toMatchInput } from './match.ts';
import type { Preset } from '../senders/index.ts';

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

const FORGE = {
  id: 'forge',
  match: { path: 'forge' },
  name: 'Forge',
  task: 'Tell what happened.',
  setup: [],
  when: { 'payload.v': { not: 0 } },
  verify: { scheme: 'forge' },
  cases: [
    {
      id: 'forge-opened',
      when: { 'headers.x-event': 'pull', 'payload.action': ['opened', 'reopened'] },
      messageTemplate: 'Opened {{ title }}',
      task: 'Review it.',
    },
    {
      id: 'forge-push',
      when: { 'headers.x-event': 'push' },
      messageTemplate: 'Push {{ ref }}',
      dedupeKey: '{{ ref }}',
    },
    { id: 'forge-ping', when: { 'headers.x-event': 'ping' }, action: 'ignore' },
  ],
} as Preset;

const PRESETS = new Map([[FORGE.id, FORGE]]);

function compile(mappings: readonly Mapping[]) {
  const { resolved } = resolveOptions(
    { presets: ['forge'], mappings: [...mappings] },
    GATEWAY_NAMES,
  );
  return compileMappings(resolved, undefined, PRESETS);
}

function compiled(mappings: readonly Mapping[]) {
  const { mappings: made, problems, warnings } = compile(mappings);
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  return made;
}

function taker(mappings: readonly Mapping[], event: string, payload: object): string | null {
  const request = hookRequest('forge', payload, { headers: { 'x-event': event } });
  const found = findMapping(compiled(mappings), toMatchInput(request));
  return found === null || 'reason' in found ? null : found.id;
}

describe('a preset with cases (behaviour §7)', () => {
  it('is one mapping per case, each with what the preset has for all', () => {
    expect(
      compiled([]).map(({ id, kind, path, options }) => [id, kind, path, options]),
    ).toMatchObject([
      ['forge-opened', 'agent', 'forge', { name: 'Forge', task: 'Review it.' }],
      ['forge-push', 'agent', 'forge', { name: 'Forge', task: 'Tell what happened.' }],
      ['forge-ping', 'ignore', 'forge', {}],
    ]);
    expect(compiled([]).every(({ options }) => !('cases' in options))).toBe(true);
  });

  it('takes each event by the conditions of the case and those of the preset', () => {
    expect(taker([], 'pull', { action: 'opened' })).toBe('forge-opened');
    expect(taker([], 'pull', { action: 'closed' })).toBeNull();
    expect(taker([], 'push', {})).toBe('forge-push');
    expect(taker([], 'push', { v: 0 })).toBeNull();
    expect(taker([], 'ping', {})).toBe('forge-ping');
  });

  it('a mapping of its id merges over every case, and leaves each its id', () => {
    const made = compiled([
      { id: 'forge', agentId: 'main', channel: 'chan_2', when: { 'payload.repo': 'shop' } },
    ]);
    expect(made.map(({ id, options }) => [id, options])).toMatchObject([
      ['forge-opened', { channel: 'chan_2', agentId: 'main', task: 'Review it.' }],
      ['forge-push', { channel: 'chan_2', messageTemplate: 'Push {{ ref }}' }],
      ['forge-ping', { channel: 'chan_2' }],
    ]);
    const narrowed = [{ id: 'forge', when: { 'payload.repo': 'shop' } }];
    expect(taker(narrowed, 'push', { repo: 'shop' })).toBe('forge-push');
    expect(taker(narrowed, 'push', { repo: 'blog' })).toBeNull();
    expect(taker(narrowed, 'pull', { repo: 'shop', action: 'opened' })).toBe('forge-opened');
  });

  it('a mapping of the id of a case merges over that one, conditions key by key', () => {
    const own = [
      {
        id: 'forge-opened',
        task: 'Say hello.',
        when: { 'payload.action': 'labeled', 'payload.draft': false },
      },
    ];
    expect(compiled(own)[0]).toMatchObject({ id: 'forge-opened', options: { task: 'Say hello.' } });
    expect(taker(own, 'pull', { action: 'labeled', draft: false })).toBe('forge-opened');
    expect(taker(own, 'pull', { action: 'opened', draft: false })).toBeNull();
    expect(taker(own, 'push', { action: 'labeled', draft: false })).toBe('forge-push');
  });

  it('both together: what is said of the case wins', () => {
    const both = [
      { id: 'forge-push', task: 'B' },
      { id: 'forge', task: 'A', timeoutSeconds: 5 },
    ];
    expect(
      compiled(both).map(({ id, options }) => [id, options.task, options.timeoutSeconds]),
    ).toEqual([
      ['forge-opened', 'A', 5],
      ['forge-push', 'B', 5],
      ['forge-ping', 'A', 5],
    ]);
  });

  it('a case can be ignored', () => {
    const made = compiled([{ id: 'forge-push', action: 'ignore' }]);
    expect(made.map(({ id, kind }) => [id, kind])).toEqual([
      ['forge-opened', 'agent'],
      ['forge-push', 'ignore'],
      ['forge-ping', 'ignore'],
    ]);
  });

  it('a mapping of its own on the path comes first, wherever it is written', () => {
    const own = { id: 'mine', match: { path: 'forge' }, when: { 'payload.ref': 'main' } };
    for (const mappings of [
      [own, { id: 'forge', task: 'A' }],
      [{ id: 'forge', task: 'A' }, own],
    ]) {
      expect(taker(mappings, 'push', { ref: 'main' })).toBe('mine');
      expect(taker(mappings, 'push', { ref: 'dev' })).toBe('forge-push');
    }
  });

  it('verify merges by key: the scheme stays the preset’s', () => {
    const verify = { secrets: ['s'] };
    const { resolved } = resolveOptions({ presets: ['forge'], mappings: [{ id: 'forge' }] });
    Object.assign(resolved.hooks.mappings[0] ?? {}, { verify });
    const { mappings } = compileMappings(resolved, undefined, PRESETS);
    for (const { options } of mappings) {
      expect(options).toMatchObject({ verify: { scheme: 'forge', secrets: ['s'] } });
    }
  });

  it.each<[string, Mapping[], string[]]>([
    [
      'a mistake that every case shares, once',
      [{ id: 'forge', to: '{{' }],
      [
        'hooks.mappings[0].to has an opening {{ without its closing }}, or a [" without its "] (mapping "forge", given: a text)',
      ],
    ],
    [
      'a field that no case reads',
      [{ id: 'forge', textTemplate: 'x' }],
      [
        'hooks.mappings[0].textTemplate has no meaning for an agent action; remove it (mapping "forge", given: a text)',
      ],
    ],
    [
      'a field that the case does not read',
      [{ id: 'forge-ping', to: '4' }],
      [
        'hooks.mappings[0].to has no meaning for an ignore action; remove it (mapping "forge-ping", given: a text)',
      ],
    ],
    [
      'trust that a sender could choose',
      [{ id: 'forge', allowUnsafeExternalContent: true }],
      [
        'hooks.mappings[0].allowUnsafeExternalContent must not be true where the sender can choose the mapping: its match depends on payload.v, headers.x-event, payload.action; match by match.path alone (mapping "forge", given: true)',
      ],
    ],
  ])('says where the mistake is: %s', (_, mappings, expected) => {
    expect(compile(mappings).problems.map(({ key, message }) => `${key} ${message}`)).toEqual(
      expected,
    );
  });
});
