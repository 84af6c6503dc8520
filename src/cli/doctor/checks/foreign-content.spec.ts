import { DoctorDirectory } from '../../../../test/support/doctor-directory.ts';
import { ruleOfTwo } from './foreign-content.ts';

let dir: DoctorDirectory;
beforeEach(() => (dir = new DoctorDirectory()));
afterEach(() => dir[Symbol.dispose]());

const ARMED = {
  id: 'armed',
  tools: { mcp: { files: { command: 'files' } }, untrusted: ['files_read'] },
};
const PLAIN = { id: 'plain' };

function found(list: readonly object[], hooks: object = {}): ReturnType<typeof dir.findings> {
  return dir.configure({ agents: { list }, hooks }).findings(ruleOfTwo);
}

describe('doctor: rule of two', () => {
  it.each([
    ['without agents', [], {}],
    ['with tools for trusted turns only', [{ id: 'a', tools: { mcp: ARMED.tools.mcp } }], {}],
    ['with an agent that no hook reaches', [PLAIN, ARMED], { allowedAgentIds: ['plain'] }],
    ['while hooks are off', [ARMED], { enabled: false }],
    [
      'with a mapping that does not deliver',
      [PLAIN, ARMED],
      { allowedAgentIds: ['plain'], mappings: [{ id: 'm', agentId: 'plain', deliver: false }] },
    ],
  ])('is content %s', async (_, list, hooks) => {
    expect(await found(list, hooks)).toMatchObject([{ severity: 'ok' }]);
  });

  it('warns of the built-in hooks, mappings and presets of the default agent', async () => {
    const hooks = { presets: ['mail'], mappings: [{ id: 'm' }, { id: 'n', deliver: false }] };
    const [finding] = await found([ARMED, PLAIN], hooks);
    expect(finding).toMatchObject({
      severity: 'warning',
      what: expect.stringMatching(/^hook agent, hook wake, hook m, preset mail show agent armed /),
      fix: expect.stringContaining('agents.list[0].tools.untrusted'),
    });
    expect(finding?.what).toContain('files_read');
  });

  it('warns of an agent that a request may name', async () => {
    expect(await found([PLAIN, ARMED])).toMatchObject([
      { severity: 'warning', what: expect.stringMatching(/^hook agent shows agent armed /) },
    ]);
  });

  it('warns of a wake for its main session, which answers there', async () => {
    const mappings = [{ id: 'w', action: 'wake', agentId: 'Armed' }];
    expect(
      await found([PLAIN, ARMED], { allowedAgentIds: ['armed', 'plain'], mappings }),
    ).toMatchObject([
      { severity: 'warning', what: expect.stringMatching(/^hook agent, hook w show agent armed /) },
    ]);
  });

  it('says that a program decides for itself', async () => {
    const runner = { type: 'command', command: 'sh' };
    expect(await found([{ id: 'a', runner }])).toMatchObject([{ severity: 'info' }]);
  });
});
