import { Logger } from '@nestjs/common';
import { asWritten } from '../../../test/support/as-written.ts';
import { ingest, findProblems } from '../../../test/support/ingest.ts';
import { resolveOptions } from '../options/index.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { compileMappings } from './compile.ts';

type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

function problems(mapping: Mapping, given: HooksSettingsInput = {}): string[] {
  return findProblems({ mappings: [mapping], ...given });
}

describe('compileMappings: what makes a configuration refused (behaviour §7)', () => {
  it.each([
    [
      'a path of redact that leads out of the payload',
      { id: 'a', redact: ['ok', 'headers.x'] },
      'hooks.mappings[0].redact[1] is not a path into the payload',
    ],
    [
      'a broken path of keep',
      { id: 'a', keep: ['a b'] },
      'hooks.mappings[0].keep[0] is not a path',
    ],
    [
      'a session that blanks begin',
      { id: 'a', sessionKey: ' {{ id }}' },
      'hooks.mappings[0].sessionKey must begin with literal text',
    ],
  ] as [string, Mapping, string][])('%s', (_, mapping, sentence) => {
    const [problem, ...others] = problems(mapping);
    expect(others).toEqual([]);
    expect(problem).toContain(sentence);
  });

  it('names every mapping and key at once', () => {
    const mappings = [{ id: 'a', to: '{{' }, { id: 'a', model: '{{ }}' }, {}];
    const found = findProblems({ mappings, presets: ['mial'], maxBodyBytes: 0 });
    expect(found.map((problem) => problem.split(' ')[0])).toEqual([
      'hooks.maxBodyBytes',
      'hooks.presets',
      'hooks.mappings[1].id',
      'hooks.mappings[0].to',
      'hooks.mappings[1].model',
      'hooks.mappings[2]',
    ]);
  });

  it('an unknown preset is named with those that are known', () => {
    const [problem, ...others] = findProblems({ presets: ['gmail'] });
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^hooks\.presets names an unknown preset "gmail"; known are alertmanager, apprise, /u,
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])('%s is no preset', (name) => {
    expect(findProblems({ presets: [name] })).toHaveLength(1);
  });

  it('a templated thinking level is left to the request', () => {
    expect(problems({ id: 'a', thinking: '{{ level }}' })).toEqual([]);
  });
});

describe('compileMappings: session keys outside the prefixes (behaviour §6)', () => {
  const given = { allowedSessionKeyPrefixes: ['hook:ci:', 'Job:'] };

  it.each(['hook:ci:a', ' HOOK:CI:a', 'job:{{ id }}', 'hook:{{ id }}', 'hook:ci:{{ id }}'])(
    '%j can fit',
    (sessionKey) => {
      expect(problems({ id: 'a', sessionKey }, given)).toEqual([]);
    },
  );

  it.each(['main', 'MAIN', 'hook:', 'hook:mail:a', 'mail:{{ id }}', 'agent:main:job:x'])(
    '%j never fits and is refused',
    (sessionKey) => {
      expect(problems({ id: 'a', sessionKey }, given)).toEqual([
        'hooks.mappings[0].sessionKey can never begin with one of hooks.allowedSessionKeyPrefixes (hook:ci:, Job:) (mapping "a", given: a text)',
      ]);
    },
  );

  it('the mail preset is held to them, with what can be done about it', () => {
    expect(findProblems({ presets: ['mail'], ...given })).toEqual([
      'preset mail.sessionKey can never begin with one of hooks.allowedSessionKeyPrefixes (hook:ci:, Job:); set it in a mapping with the id mail',
    ]);
    expect(findProblems({ presets: ['mail'], allowedSessionKeyPrefixes: ['hook:'] })).toEqual([]);
  });
});

describe('compileMappings: order and presets (behaviour §7)', () => {
  function compiled(given: HooksSettingsInput) {
    return compileMappings(resolveOptions(given).resolved).mappings;
  }

  it('configured mappings come first, in order, then presets', () => {
    const mappings = [{ id: 'b' }, { id: 'a' }];
    expect(compiled({ presets: ['mail'], mappings }).map(({ id }) => id)).toEqual([
      'b',
      'a',
      'mail',
    ]);
  });

  it('a mapping with the id of a preset that is off stands alone', () => {
    const [alone] = compiled({ mappings: [{ id: 'mail' }] });
    expect(alone?.forEach).toBeUndefined();
  });

  it('a preset that is named twice is enabled once', () => {
    expect(findProblems({ presets: ['mail', 'mail'] })).toEqual([]);
  });

  it('a mapping is named by its id, else its path, else its source', () => {
    const mappings = [
      { id: 'x', match: { path: 'p' } },
      { match: { path: '/p/' } },
      { match: { source: 's' } },
    ];
    expect(compiled({ mappings }).map(({ id }) => id)).toEqual(['x', '/p/', 's']);
  });
});

describe('an unknown agentId of a mapping (behaviour §7: a warning)', () => {
  async function warned(given: HooksSettingsInput): Promise<string[]> {
    const lines: string[] = [];
    const warn = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line) => void lines.push(String(line)));
    await ingest(given).verified;
    warn.mockRestore();
    return lines;
  }

  it('is named at start, an agent of any case is not', async () => {
    const mappings = [{ id: 'a', agentId: ' OPS ' }, { id: 'b', agentId: 'nobody' }, { id: 'c' }];
    expect(await warned({ agents: { list: [{ id: 'ops' }] }, mappings })).toEqual([
      'hooks.mappings[1].agentId names no agent ("nobody"; known: ops); the default agent takes what comes there',
    ]);
  });

  it('is judged by the agents of the new settings on reload', async () => {
    const { settings } = ingest({});
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await settings.replace({
      agents: { list: [{ id: 'fresh' }] },
      mappings: [{ id: 'a', agentId: 'fresh' }],
    });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  it('does not break on agents that are wrong themselves', () => {
    const written = { agents: { list: 3 }, mappings: [{ id: 'a', agentId: 'x' }] };
    expect(findProblems(asWritten(written))).toEqual(['agents.list must be an array: […]']);
  });
});

describe('approve of a mapping about tools that its agent calls by itself (behaviour §15.8)', () => {
  const program = { id: 'program', runner: { type: 'command', command: 'cat' } } as const;
  const desk = { id: 'desk', model: 'auto' } as const;
  const http = { type: 'http', baseUrl: 'http://127.0.0.1:1' } as const;
  const claude = {
    type: 'command',
    command: 'claude',
    resumeArgs: ['--resume', '{session}'],
    output: 'json',
    sessionIdPath: 'session_id',
    permissionPrompt: 'claude-code',
  } as const;
  const others = [
    { id: 'gateway', runner: http },
    { id: 'elsewhere', runner: { ...http, mode: 'callback' } },
    { id: 'claude', runner: claude },
  ] as const;
  const transform = { module: 'own.ts' };
  const unasked = (agent: string) =>
    `hooks.mappings[0].approve asks about tools, which agent "${agent}" calls by itself: use run or reply,`;

  it.each([
    ['the one that it names', { agentId: 'program', approve: 'tools' }, 'program'],
    ['a gateway', { agentId: 'gateway', approve: 'tools' }, 'gateway'],
    ['one elsewhere', { agentId: 'Elsewhere', approve: { tools: true } }, 'elsewhere'],
    ['the default one', { approve: { tools: 'when-untrusted' } }, 'program'],
    ['the default one for an unknown', { agentId: 'x', approve: { tools: ['a'] } }, 'program'],
    [
      'one that a transform may change',
      { agentId: 'gateway', approve: 'tools', transform },
      'gateway',
    ],
  ] as const)('is refused: %s', (_what, mapping, agent) => {
    const agents = { list: [program, desk, ...others] };
    expect(findProblems({ agents, mappings: [{ id: 'own', ...mapping }] })).toEqual([
      expect.stringContaining(unasked(agent)),
    ]);
  });

  it.each([
    ['a model', { agentId: 'desk', approve: 'tools' }],
    ['Claude Code, which asks', { agentId: 'claude', approve: 'tools' }],
    ['a reply', { agentId: 'program', approve: 'reply' }],
    ['an agent that a transform chooses', { approve: 'tools', transform }],
  ] as const)('is taken: %s', (_what, mapping) => {
    const agents = { list: [program, desk, ...others] };
    const { resolved } = resolveOptions({ agents, mappings: [{ id: 'own', ...mapping }] });
    expect(compileMappings(resolved).problems).toEqual([]);
  });

  it('is refused on reload, and what was in force stays', async () => {
    const { settings } = ingest({ agents: { list: [desk] } });
    const before = settings.current;
    const mappings = [{ id: 'own', approve: 'tools' }] as const;
    await expect(
      settings.replace({ agents: { list: [program] }, mappings: [...mappings] }),
    ).rejects.toMatchObject({ problems: [{ key: 'hooks.mappings[0].approve' }] });
    expect(settings.current).toBe(before);
  });

  it('is refused for agents that a host lists', () => {
    const mappings = [{ id: 'own', agentId: 'theirs', approve: 'tools' }] as const;
    const { resolved } = resolveOptions({ mappings: [...mappings] });
    const theirs = { id: 'theirs', runner: { type: 'command', command: 'cat' } } as const;
    const { problems } = compileMappings(resolved, [{ id: 'main' }, theirs]);
    expect(problems).toMatchObject([{ key: 'hooks.mappings[0].approve' }]);
  });
});
