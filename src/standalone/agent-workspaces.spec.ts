import { withAbsoluteWorkspaces } from './agent-workspaces.ts';

describe('withAbsoluteWorkspaces', () => {
  it('starts relative workspaces from the configuration directory', () => {
    const list = [{ id: 'a', workspace: 'ws/a' }, { id: 'b', workspace: '/srv/b' }, { id: 'c' }];
    expect(withAbsoluteWorkspaces({ defaults: {}, list }, '/etc/gateway')).toEqual({
      defaults: {},
      list: [{ id: 'a', workspace: '/etc/gateway/ws/a' }, list[1], list[2]],
    });
  });

  it.each([
    undefined,
    null,
    3,
    [],
    { list: 3 },
    { list: [3, { workspace: 3 }, { workspace: '' }] },
  ])('leaves %j to the checks', (agents) => {
    expect(withAbsoluteWorkspaces(agents, '/etc/gateway')).toEqual(agents);
  });
});
