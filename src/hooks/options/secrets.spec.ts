import { AgentsOptions } from './agents-options.ts';
import { HooksOptions } from './hooks-options.ts';
import { OptionPlace } from './option.ts';
import { secretTexts } from './secret-texts.ts';
import { ownSecrets } from './secrets.ts';
import { HooksSettings } from './settings.ts';

describe('ownSecrets', () => {
  it('are found whatever the section, but for what only says where a secret is (docs/agents.md, Claude Code)', () => {
    const runner = {
      type: 'command',
      command: 'claude',
      args: ['-p', '--output-format', 'json'],
      resumeArgs: ['-p', '--output-format', 'json', '--resume', '{session}'],
      output: 'json',
      resultPath: 'result',
      sessionIdPath: 'session_id',
      env: ['ANTHROPIC_API_KEY'],
    } as const;
    const { current } = new HooksSettings({
      token: 'the-token-of-all-hooks',
      agents: { list: [{ id: 'main', workspace: 'workspaces/main', runner }] },
      models: { providers: { cloud: { type: 'anthropic', apiKey: 'sk-of-the-models' } } },
      otherSecrets: ['of another part'],
    });
    const secrets = ['the-token-of-all-hooks', 'sk-of-the-models', 'of another part'];
    expect(ownSecrets(current)).toEqual(secrets);
  });

  it.each([
    [HooksOptions, { mappings: [{ tokenHeader: 'x-gitlab-token' }] }, []],
    [HooksOptions, { unknown: { tokenUrl: 'https://login.example.org/token' } }, []],
    [HooksOptions, { unknown: { secrets: ['of last year'] } }, ['of last year']],
    [AgentsOptions, server({ headers: { 'x-api-key': 'of the program' } }), ['of the program']],
    [AgentsOptions, server({ url: 'https://me:of%40us@x.test' }), ['of%40us', 'of@us']],
    [HooksOptions, verified({ secrets: ['of last', 'of this year'] }), ['of last', 'of this year']],
    [HooksOptions, verified({ senders: [{ id: 'a', secrets: ['of acme'] }] }), ['of acme']],
    [HooksOptions, verified([{ secrets: ['in a list'] }]), ['in a list']],
    [HooksOptions, { mappings: [{ when: { 'payload.clientState': 'said' } }] }, ['said']],
  ])('in %p, of %j are %j', (options, section, secrets) => {
    expect(secretTexts(section, OptionPlace.of(options))).toEqual(secrets);
  });
});

function server(mcp: object): object {
  return { list: [{ tools: { mcp: { one: mcp } } }] };
}

function verified(verify: object): object {
  return { mappings: [{ verify }] };
}
