import { ConfiguredAgents, HooksSettings } from '../options/index.ts';
import { Rejection } from '../ports/rejection.ts';
import { AgentPolicy } from './action-resolver.ts';

function resolve(asked: string | undefined, allowedAgentIds?: string[]) {
  const list = [{ id: 'first' }, { id: 'ops' }, { id: 'home', default: true }];
  const settings = new HooksSettings({ agents: { list }, allowedAgentIds });
  return new AgentPolicy(new ConfiguredAgents(settings)).resolve(asked, settings.current);
}

function refusal(...args: Parameters<typeof resolve>): Rejection {
  try {
    resolve(...args);
  } catch (error) {
    if (error instanceof Rejection) return error;
  }
  throw new Error('was not refused');
}

describe('AgentPolicy (spec hooks.allowedAgentIds, behaviour §5 agentId)', () => {
  it('takes the default agent when none is named, whatever the list says', () => {
    for (const allowed of [undefined, [], ['ops'], ['*']]) {
      expect(resolve(undefined, allowed)).toEqual({
        agent: expect.objectContaining({ id: 'home' }),
      });
    }
  });

  it('without a list any agent may be named', () => {
    expect(resolve('ops').agent.id).toBe('ops');
  });

  it('trims and folds the name and the list', () => {
    expect(resolve(' OPS ', [' Ops '])).toEqual({ agent: expect.objectContaining({ id: 'ops' }) });
  });

  it('[] denies every name, that of the default agent included', () => {
    for (const asked of ['ops', 'home', 'nobody']) {
      expect(refusal(asked, [])).toMatchObject({ code: 'agent_not_allowed', status: 400 });
    }
  });

  it.each([[['*']], [['ops', '*']]])('%j allows every name', (allowed) => {
    expect(resolve('first', allowed).agent.id).toBe('first');
  });

  it('an unknown name means the default agent, and is named in the result', () => {
    expect(resolve('nobody')).toMatchObject({ agent: { id: 'home' }, unknownId: 'nobody' });
  });

  it('an unknown name is refused when the default agent is not in the list', () => {
    expect(refusal('nobody', ['ops']).message).toContain(
      'The agent home is not in hooks.allowedAgentIds',
    );
    expect(resolve('nobody', ['home']).agent.id).toBe('home');
  });

  it('an unknown name in the list does not let the default agent in', () => {
    expect(refusal('nobody', ['nobody']).code).toBe('agent_not_allowed');
  });

  it('never repeats what the sender named', () => {
    expect(refusal('evil\nname', []).message).not.toContain('evil');
  });
});
