import { Logger } from '@nestjs/common';
import { asWritten } from '../../../test/support/as-written.ts';
import { hookRequest, ingest, findProblems } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** What was written, its key within the mapping, what would be right, what was given. */
const MISTAKES: readonly [string, Mapping, string, string, string][] = [
  ['a number for the match', { match: 3 }, '.match', 'must be an object', 'a number'],
  ['a list for the match', { match: ['a'] }, '.match', 'must be an object', 'a list'],
  ['null for a place', { redact: ['a', null] }, '.redact[1]', 'must be a string', 'null'],
  [
    'a list for a field of any name',
    { when: { 'payload["a.b"]': { gt: [] } } },
    String.raw`.when["payload[\"a.b\"]"].gt`,
    'must be a number',
    'an empty list',
  ],
  ['a number for a path', { match: { path: 3 } }, '.match.path', 'must be a string', 'a number'],
  ['an empty path', { match: { path: '' } }, '.match.path', 'must not be empty', 'an empty text'],
  ['an unknown action', { action: 'run' }, '.action', 'must be one of wake, agent', 'a text'],
  [
    'an unknown wake mode',
    { wakeMode: 'later' },
    '.wakeMode',
    'must be one of now, next-heartbeat',
    'a text',
  ],
  ['true for a session', { sessionKey: true }, '.sessionKey', 'must be a string', 'true'],
  [
    'an unknown session mode',
    { sessionMode: 'forever' },
    '.sessionMode',
    'must be one of isolated, persistent',
    'a text',
  ],
  [
    'a list of numbers for a message',
    { messageTemplate: ['a', 1] },
    '.messageTemplate',
    'must be a text or a list of lines, each a text or {each:',
    'a list',
  ],
  [
    'an object for a text',
    { action: 'wake', textTemplate: {} },
    '.textTemplate',
    'must be a text or a list of lines, each a text or {each:',
    'an object',
  ],
  ['a text for deliver', { deliver: 'yes' }, '.deliver', 'must be true or false', 'a text'],
  [
    'an unknown channel',
    { channel: 'chan_9' },
    '.channel',
    'must be one of last, chan_1, chan_2',
    'a text',
  ],
  [
    'a text for a timeout',
    { timeoutSeconds: '60' },
    '.timeoutSeconds',
    'must be a number',
    'a text',
  ],
  [
    'no time at all',
    { timeoutSeconds: 0 },
    '.timeoutSeconds',
    'must be a positive number',
    'a number',
  ],
  [
    'more than a day',
    { timeoutSeconds: 86_401 },
    '.timeoutSeconds',
    'must not be greater than 86400',
    'a number',
  ],
  ['a number for a dedupeKey', { dedupeKey: 5 }, '.dedupeKey', 'must be a string', 'a number'],
  [
    'a misspelt key',
    { mesageTemplate: 'x' },
    '.mesageTemplate',
    'correct its spelling, perhaps to messageTemplate',
    'a text',
  ],
  [
    'a shortened key',
    { message: 'x' },
    '.message',
    'correct its spelling, perhaps to messageTemplate',
    'a text',
  ],
  [
    'another case',
    { foreach: 'x' },
    '.foreach',
    'correct its spelling, perhaps to forEach',
    'a text',
  ],
  [
    'a key that resembles none',
    { priority: 1 },
    '.priority',
    'is not a known key; remove it or correct its spelling',
    'a number',
  ],
  [
    'an unknown key of match',
    { match: { method: 'POST' } },
    '.match.method',
    'is not a known key',
    'a text',
  ],
  ['a reserved name', { toString: 'x' }, '.toString', 'has a reserved name; remove it', 'a text'],
  [
    'a placeholder with code',
    { messageTemplate: '{{ a | upper }}' },
    '.messageTemplate',
    'not a path: {{ a | upper }}; write {{ a.b[0] }}',
    'a text',
  ],
  ['an empty placeholder', { name: '{{ }}' }, '.name', 'not a path: {{ }}; write', 'a text'],
  [
    'an open placeholder',
    { to: '{{ a' },
    '.to',
    'has an opening {{ without its closing }}',
    'a text',
  ],
  [
    'a forEach that is no path',
    { forEach: 'a b' },
    '.forEach',
    'is not a path; write for example messages',
    'a text',
  ],
  [
    'an empty message',
    { messageTemplate: '' },
    '.messageTemplate',
    'must not be blank; write a text, or remove the key',
    'an empty text',
  ],
  [
    'a blank text of a wake',
    { action: 'wake', textTemplate: '  ' },
    '.textTemplate',
    'must not be blank; write a text',
    'a blank text',
  ],
  [
    'a path of slashes',
    { match: { path: '//' } },
    '.match.path',
    'is no path below hooks.path; write for example',
    'a text',
  ],
  [
    'a path with a blank',
    { match: { path: 'ci builds' } },
    '.match.path',
    'no URL has blanks, ? or # there; write it percent-encoded',
    'a text',
  ],
  [
    'an agent that a payload names',
    { agentId: '{{ agent }}' },
    '.agentId',
    'is no template; write the id of an agent',
    'a text',
  ],
  [
    'an impossible thinking level',
    { thinking: 'hgih' },
    '.thinking',
    'must be one of off, minimal',
    'a text',
  ],
  [
    'a session that a payload begins',
    { sessionKey: '{{ id }}' },
    '.sessionKey',
    'must begin with literal text',
    'a text',
  ],
  [
    'an agent session that a payload fills in',
    { sessionKey: 'agent:main:{{ id }}' },
    '.sessionKey',
    'must not begin with agent:',
    'a text',
  ],
  [
    'the session of another agent',
    { sessionKey: 'agent:ops:x' },
    '.sessionKey',
    'is refused for every request: Name a session of the agent that runs the hook (main)',
    'a text',
  ],
  [
    'the session of no agent',
    { agentId: 'ops', sessionKey: 'agent:ops:' },
    '.sessionKey',
    'agent that runs the hook (ops), or a key without agent:',
    'a text',
  ],
  [
    'a session that is too long',
    { sessionKey: 'x'.repeat(257) },
    '.sessionKey',
    'at most 256 characters',
    'a text',
  ],
  [
    'a session for a wake',
    { action: 'wake', sessionKey: 'x' },
    '.sessionKey',
    'has no meaning for a wake action; remove it',
    'a text',
  ],
  [
    'a text for an agent',
    { textTemplate: 'x' },
    '.textTemplate',
    'has no meaning for an agent action; remove it',
    'a text',
  ],
];

const agents = { list: [{ id: 'main', default: true }, { id: 'ops' }] };

describe('a mistake in a mapping (issue 3, "errors that teach")', () => {
  it('is tried in at least 40 ways', () => {
    expect(MISTAKES.length).toBeGreaterThanOrEqual(40);
  });

  it.each(MISTAKES)(
    'names the mapping, the key, what would be right and what was given: %s',
    (_, mapping, key, right, given) => {
      const written = { agents, mappings: [{ id: 'fine' }, { id: 'alerts', ...mapping }] };
      const [problem, ...others] = findProblems(asWritten(written));
      expect(others).toEqual([]);
      expect(problem?.startsWith(`hooks.mappings[1]${key} `)).toBe(true);
      expect(problem).toContain(right);
      expect(problem?.endsWith(` (mapping "alerts", given: ${given})`)).toBe(true);
    },
  );

  it.each([
    ['no object', ['text'], 'hooks.mappings[0] must be an object (given: a text)'],
    [
      'nothing that a request could reach',
      [{}],
      'hooks.mappings[0] needs an id or a match; without either no request can reach it (given: an object)',
    ],
    [
      'an id that is no text',
      [{ id: 7 }],
      'hooks.mappings[0].id must be a string (given: a number)',
    ],
    ['an empty id', [{ id: '' }], 'hooks.mappings[0].id must not be empty (given: an empty text)'],
    [
      'an id that is no path',
      [{ id: 'my alerts' }],
      'hooks.mappings[0].id cannot be a path, because no URL has blanks, ? or # there; write it percent-encoded, as the sender sends it, or add a match (mapping "my alerts", given: a text)',
    ],
    [
      'an id twice',
      [{ id: 'a' }, { id: 'a' }],
      'hooks.mappings[1].id "a" is used twice; give each mapping its own id (mapping "a", given: a text)',
    ],
  ])('is reported without an id or about the id, too: %s', (_, mappings, sentence) => {
    expect(findProblems(asWritten({ mappings }))).toEqual([sentence]);
  });

  it('never shows the value, which may hold a secret', () => {
    const mappings = [{ id: 'a', channel: 'hunter2', secret: 'hunter2', deliver: 'hunter2' }];
    const problems = findProblems(asWritten({ mappings }));
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).not.toContain('hunter2');
  });
});

describe('a default session of another agent (behaviour §6)', () => {
  it.each([' agent:ops:x', 'Agent:OPS:main', 'agent:main:'])('%j is refused at start', (key) => {
    const [problem] = findProblems({ agents, defaultSessionKey: key });
    expect(problem).toMatch(
      /^hooks\.defaultSessionKey is refused for every run: Name a session of the agent that runs the hook \(main\)/u,
    );
  });

  it.each(['agent:main:x', 'hook:x', 'main'])('%j is fine', (defaultSessionKey) => {
    expect(findProblems({ agents, defaultSessionKey })).toEqual([]);
  });

  it('is judged for a mapping that names another agent and no session', () => {
    const given = { agents, defaultSessionKey: 'agent:main:x' };
    expect(findProblems({ ...given, mappings: [{ id: 'a', agentId: 'ops' }] })).toEqual([
      expect.stringMatching(
        /^hooks\.mappings\[0\]\.agentId needs a sessionKey beside it; in hooks\.defaultSessionKey every request is refused: .*\(ops\)/u,
      ),
    ]);
    const mappings = [{ id: 'a', agentId: 'ops', sessionKey: 'hook:a' }];
    expect(findProblems({ ...given, mappings })).toEqual([]);
  });

  it('goes by the default agent of the list', () => {
    const list = [{ id: 'main' }, { id: 'ops', default: true }];
    expect(findProblems({ agents: { list }, defaultSessionKey: 'agent:ops:x' })).toEqual([]);
    expect(findProblems({ agents: { list }, defaultSessionKey: 'agent:main:x' })).toHaveLength(1);
  });
});

async function warned(given: HooksSettingsInput): Promise<string[]> {
  const lines: string[] = [];
  const warn = jest
    .spyOn(Logger.prototype, 'warn')
    .mockImplementation((line) => void lines.push(String(line)));
  await ingest(given).verified;
  warn.mockRestore();
  return lines;
}

describe('trust that a sender could choose is refused at start (behaviour §3)', () => {
  const trusted = { id: 'a', allowUnsafeExternalContent: true } as const;

  it.each([
    ['its source', { match: { path: 'a', source: 's' } }, 'match.source'],
    ['a payload', { when: { 'payload.x': 1 } }, 'payload.x'],
    ['a query', { when: { 'query.x': 'y' } }, 'query.x'],
    ['a header', { when: { 'headers.x-event': 'y' } }, 'headers.x-event'],
    ['a choice', { when: { or: [{ 'payload.x': 1 }] } }, 'payload.x'],
  ])('%s', (_, match, place) => {
    expect(findProblems({ mappings: [{ ...trusted, ...match }] })).toEqual([
      `hooks.mappings[0].allowUnsafeExternalContent must not be true where the sender can choose the mapping: its match depends on ${place}; match by match.path alone (mapping "a", given: true)`,
    ]);
  });

  it.each([
    ['a source', { match: { path: 'a', source: 'web' } }, 'match.source'],
    ['a condition', { match: { path: 'a' }, when: { 'payload.x': 1 } }, 'payload.x'],
    [
      'what is ignored',
      { match: { path: 'a' }, when: { 'query.x': '1' }, action: 'ignore' },
      'query.x',
    ],
    ['any path', { match: {}, when: { 'headers.x-event': 'y' } }, 'headers.x-event'],
  ] as const)('%s that another mapping takes before it', (_, earlier, place) => {
    const sentence = `hooks.mappings[1].allowUnsafeExternalContent must not be true where the sender can choose the mapping: what an earlier one leaves to it depends on ${place}; give it a match.path of its own (mapping "a", given: true)`;
    expect(findProblems({ mappings: [{ id: 'b', ...earlier }, trusted] })).toEqual([sentence]);
    const all = { ...trusted, match: {} };
    expect(findProblems({ mappings: [{ id: 'b', ...earlier }, all] })).toEqual([sentence]);
  });

  it('another path, or a later mapping, leaves nothing to it', () => {
    const when = { 'payload.x': 1 };
    expect(findProblems({ mappings: [{ id: 'b', when }, trusted] })).toEqual([]);
    const later = { id: 'b', match: { path: 'a' }, when };
    expect(findProblems({ mappings: [trusted, later] })).toEqual([]);
  });

  it('a path alone is none', () => {
    expect(findProblems({ mappings: [trusted] })).toEqual([]);
    expect(findProblems({ mappings: [{ ...trusted, match: { path: 'b' } }] })).toEqual([]);
  });
});

describe('mistakes in conditions are named with their place (behaviour §7)', () => {
  it.each([['no object', ['a'], '.when must be an object (mapping "a", given: a list)']])(
    '%s',
    (_, when, sentence) => {
      expect(findProblems(asWritten({ mappings: [{ id: 'a', when }] }))).toEqual([
        `hooks.mappings[0]${sentence}`,
      ]);
    },
  );
});

describe('a mapping that can never match is a warning that names both (issue 3)', () => {
  it.each([
    [
      'an empty match first',
      [{ id: 'all', match: {} }, { id: 'b' }],
      'hooks.mappings[1] (mapping "b") can never match: hooks.mappings[0] (mapping "all") comes first',
    ],
    [
      'the same path twice',
      [{ id: 'a' }, { id: 'b', match: { path: '/a/' } }],
      'hooks.mappings[1] (mapping "b") can never match: hooks.mappings[0] (mapping "a") comes first',
    ],
    [
      'a path before path and source',
      [{ id: 'a' }, { match: { path: 'a', source: 's' } }],
      'hooks.mappings[1] can never match: hooks.mappings[0] (mapping "a") comes first',
    ],
    [
      'a source before path and source',
      [{ match: { source: 's' } }, { id: 'b', match: { path: 'b', source: 's' } }],
      'hooks.mappings[1] (mapping "b") can never match: hooks.mappings[0] comes first',
    ],
    [
      'the same conditions, and more',
      [
        { id: 'a', when: { 'payload.x': ['u', 'v'] } },
        { id: 'b', match: { path: 'a' }, when: { 'payload.x': 'u', 'payload.y': 1 } },
      ],
      'hooks.mappings[1] (mapping "b") can never match: hooks.mappings[0] (mapping "a") comes first',
    ],
    [
      'none before conditions',
      [{ id: 'a' }, { id: 'b', match: { path: 'a' }, when: { 'payload.x': 'u' } }],
      'hooks.mappings[1] (mapping "b") can never match: hooks.mappings[0] (mapping "a") comes first',
    ],
    [
      'named wake',
      [{ id: 'wake' }],
      'hooks.mappings[0] (mapping "wake") can never match: the built-in hook wake wins',
    ],
    [
      'a path of agent',
      [{ id: 'x', match: { path: '/agent' } }],
      'hooks.mappings[0] (mapping "x") can never match: the built-in hook agent wins',
    ],
  ] as [string, NonNullable<HooksSettingsInput['mappings']>, string][])(
    '%s',
    async (_, mappings, line) => {
      expect(await warned({ mappings })).toEqual([expect.stringContaining(line)]);
    },
  );

  it('a preset behind a configured mapping', async () => {
    const given = { presets: ['mail'], mappings: [{ id: 'post', match: { path: 'mail' } }] };
    expect(await warned(given)).toEqual([
      'preset mail can never match: hooks.mappings[0] (mapping "post") comes first and takes all of its requests; give that mapping the id mail to change the preset, or narrow its match',
    ]);
  });

  it.each([
    ['merging over a preset', { presets: ['mail'], mappings: [{ id: 'mail' }] }],
    [
      'a source before the bare path',
      { mappings: [{ match: { path: 'a', source: 's' } }, { id: 'a' }] },
    ],
    ['two sources', { mappings: [{ match: { source: 's' } }, { match: { source: 't' } }] }],
    ['an empty match last', { mappings: [{ id: 'a' }, { match: {} }] }],
    [
      'conditions before none',
      { mappings: [{ id: 'a', when: { 'payload.x': 1 } }, { match: { path: 'a' } }] },
    ],
    [
      'other conditions',
      {
        mappings: [
          { id: 'a', when: { 'payload.x': 1 } },
          { match: { path: 'a' }, when: { 'payload.x': [1, 2] } },
        ],
      },
    ],
  ])('%s is none', async (_, given) => {
    expect(await warned(given)).toEqual([]);
  });

  it('is right: what it is warned of really goes to the other', () => {
    const hooks = ingest({ mappings: [{ id: 'all', match: {} }, { id: 'b' }] });
    expect(hooks.match(hookRequest('b'))).toBe('all');
  });
});

describe('what works but cannot be meant is a warning (issue 3)', () => {
  it.each([
    [
      'item without forEach',
      { to: '{{ item.a }}' },
      'to looks at item, which exists with forEach and in a line of a list only',
    ],
    [
      'a header in capitals',
      { name: '{{ headers.X-Event }}' },
      'name looks at headers.X-Event; names of headers are in lower case, write headers.x-event',
    ],
    [
      'a dedupeKey that is the same for all',
      { dedupeKey: 'x' },
      'dedupeKey has no placeholder and tells no two requests apart',
    ],
    [
      'an agent that the list does not allow',
      { agentId: 'ops' },
      'agentId is refused for every request: The agent ops is not in hooks.allowedAgentIds',
    ],
    [
      'a model that the list does not allow',
      { model: 'local/b' },
      'model is refused for every request: The model is not in agents.defaults.models',
    ],
  ])('%s', async (_, mapping, line) => {
    const given = {
      allowedAgentIds: ['main'],
      agents: { ...agents, defaults: { models: ['local/a'] } },
    };
    expect(await warned({ ...given, mappings: [{ id: 'm', ...mapping }] })).toEqual([
      expect.stringContaining(`hooks.mappings[0] (mapping "m") ${line}`),
    ]);
  });
});

describe('a list of agents that says less than it seems to', () => {
  const unlisted =
    'allowedAgentIds does not list main, and requests that name no agent run as main: list it too, or make another agent the default';

  it.each([
    ['none', [], [unlisted]],
    ['another agent', [' OPS '], [unlisted]],
    [
      'an agent that does not exist',
      ['main', 'opps'],
      ['allowedAgentIds[1] names no agent ("opps"; known: main, ops)'],
    ],
    ['the default agent', [' Main ', 'ops'], []],
    ['any', ['opps', '*'], []],
  ])('allows %s', async (_, allowedAgentIds, lines) => {
    const given = { agents, allowedAgentIds };
    expect(await warned(given)).toEqual(lines.map((line) => `hooks.${line}`));
  });
});
