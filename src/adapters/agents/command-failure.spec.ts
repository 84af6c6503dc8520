import { complaintOf } from './command-complaint.ts';
import { startFailure } from './command-failure.ts';

describe('startFailure', () => {
  it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    '%s passes with time: nothing was started',
    (code) => {
      const failure = startFailure(Object.assign(new Error('spawn'), { code }), '/opt/bin/agent');
      expect(failure).toMatchObject({ kind: 'retryable' });
      expect(failure.message).toBe(`the command "agent" could not be started (${code})`);
    },
  );

  it('anything else does not', () => {
    expect(startFailure(new Error('odd'), 'agent')).toMatchObject({ kind: 'permanent' });
  });
});

describe('complaintOf', () => {
  it('is one line without colours, or nothing', () => {
    const stderr = '\u001b[31mbroken\u001b[0m\r\n\n  twice\u0007 ';
    expect(complaintOf(stderr, '', {})).toBe(': broken / twice');
    expect(complaintOf(' \n', '', {})).toBe('');
  });

  it('leaves out lines that repeat a part of what was asked, but not those with a short word of it', () => {
    const input = 'Where is the station, and when does it open?\na\nYes';
    const stderr = 'User: "…is the station, and when does…"\nan ordinary line\nYes and no';
    expect(complaintOf(stderr, input, {})).toBe(': an ordinary line / Yes and no');
  });

  it('shows the name of a secret in place of each line of its value', () => {
    const secrets = { KEY: 'first-line-of-it\nsecond-line-of-it', SHORT: 'word' };
    const stderr = 'bad key second-line-of-it, a word';
    expect(complaintOf(stderr, '', secrets)).toBe(': bad key [KEY], a word');
  });
});
