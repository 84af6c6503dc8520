import { ConfiguredAgents } from './configured-agents.ts';
import { HooksSettings } from './settings.ts';
import type { HooksSettingsInput } from './settings-input.ts';

function directory(agents: NonNullable<HooksSettingsInput['agents']>): ConfiguredAgents {
  return new ConfiguredAgents(new HooksSettings({ agents }));
}

describe('ConfiguredAgents (spec "Mapping entry" 4, behaviour §5 agentId)', () => {
  it('has one agent named main when none is configured', () => {
    const agents = directory({});
    expect(agents.list()).toMatchObject([{ id: 'main', timeoutSeconds: 600 }]);
    expect(agents.resolve('nobody').id).toBe('main');
  });

  it('finds an agent trimmed and case-folded', () => {
    const agents = directory({ list: [{ id: 'first' }, { id: 'Ops' }] });
    expect(agents.resolve('  oPS ').id).toBe('ops');
  });

  it('gives the first agent for an unknown or absent id when none is the default', () => {
    const agents = directory({ list: [{ id: 'first' }, { id: 'second' }] });
    expect([agents.resolve().id, agents.resolve('x').id]).toEqual(['first', 'first']);
  });

  it('gives the agent marked as default, and lists it first', () => {
    const agents = directory({ list: [{ id: 'a' }, { id: 'b', default: true }, { id: 'c' }] });
    expect([agents.resolve().id, agents.resolve('x').id]).toEqual(['b', 'b']);
    expect(agents.list().map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });

  it('fills in model and timeout from agents.defaults', () => {
    const agents = directory({
      defaults: { model: 'local/a', timeoutSeconds: 9 },
      list: [{ id: 'a' }, { id: 'b', model: 'local/b', timeoutSeconds: 0.5 }],
    });
    expect(agents.list()).toMatchObject([
      { model: 'local/a', timeoutSeconds: 9 },
      { model: 'local/b', timeoutSeconds: 0.5 },
    ]);
  });

  it.each(['a b', 'a:b', 'a/b', '', 'x'.repeat(65)])('the id %j is refused', async (id) => {
    const settings = new HooksSettings({ agents: { list: [{ id }] } });
    await expect(settings.verify()).rejects.toThrow('agents.list[0].id must be 1 to 64 letters');
  });
});
