import { approveOpenly } from './approve-option.ts';

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
