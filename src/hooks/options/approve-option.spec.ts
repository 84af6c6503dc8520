import { approveOpenly, toApproval, withApprovers } from './approve-option.ts';
import { resolveOptions } from './resolve.ts';
import { asWritten } from '../../../test/support/as-written.ts';

describe('what a person decides where strangers read the reply', () => {
  it.each([
    [undefined, undefined, 'reply'],
    [undefined, false, 'reply'],
    [undefined, 'reply', 'reply'],
    [undefined, 'run', { run: true, reply: true }],
    [undefined, { run: true, reply: false, until: '2h' }, { run: true, reply: true, until: '2h' }],
    ['run', undefined, { run: true, reply: true }],
    [undefined, 'tools', { tools: true, reply: true }],
    [{ run: true, until: '2h' }, 'reply', { run: true, reply: true, until: '2h' }],
    ['reply', 'run', 'reply'],
    // Said of replies, or of everything.
    [false, 'reply', false],
    [{ run: true, reply: false }, 'reply', { run: true, reply: false }],
    [{ reply: 'when-untrusted' }, undefined, { reply: 'when-untrusted' }],
  ] as const)('mapping %j, agent %j: %j', (ofMapping, ofAgent, expected) => {
    expect(approveOpenly(ofMapping, ofAgent)).toEqual(expected);
  });
});

const TRUST = { level: 'untrusted', verifiedBy: 'token' } as const;

describe('approve', () => {
  it.each([
    [{ reply: true, approvers: [] }],
    [{ reply: true, approvers: ['operate'] }],
    [{ reply: true, approvers: ['telegram:'] }],
    [{ reply: true, approvers: ['telegram:1 2'] }],
    [{ reply: true, approvers: 'telegram:1' }],
    [{ reply: true, approvers: [4711] }],
    [{}],
  ])('is refused as %j', (approve) => {
    const { problems } = resolveOptions(asWritten({ agents: { defaults: { approve } } }));
    expect(problems).toMatchObject([
      { key: 'agents.defaults.approve', message: expect.stringContaining('approvers') },
    ]);
  });

  it('has the approvers of what holds otherwise, unless it names some', () => {
    const ours = { approvers: ['telegram:1'] };
    expect(withApprovers('reply', ours)).toEqual({ reply: true, ...ours });
    expect(withApprovers({ run: true, approvers: ['slack:U1'] }, ours)).toEqual({
      run: true,
      approvers: ['slack:U1'],
    });
    expect(withApprovers(undefined, ours)).toEqual(ours);
    expect(withApprovers(false, 'reply')).toBe(false);
  });

  it('asks nothing where it names approvers alone', () => {
    const option = withApprovers(false, { approvers: ['telegram:1'] });
    expect(toApproval(option, TRUST, 'isolated')).toBeUndefined();
  });
});
