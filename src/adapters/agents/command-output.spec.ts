import { stripVTControlCharacters } from 'node:util';
import type { CommandSettings } from '../../hooks/ports/agent-directory.ts';
import { QUADRATIC, growth } from '../../../test/support/cpu-time.ts';
import { explainFailedEnd, explainStartFailure, parseReply } from './command-output.ts';
import type { Secrets } from './command-output.ts';

const TEXT: CommandSettings = {
  type: 'command',
  command: 'agent',
  args: [],
  output: 'text',
  resultPath: 'result',
  env: [],
};

describe('the failure to start a program', () => {
  it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
    '%s passes with time: nothing was started',
    (code) => {
      const error = Object.assign(new Error('spawn'), { code });
      const failure = explainStartFailure(error, '/opt/bin/agent');
      expect(failure).toMatchObject({ kind: 'retryable' });
      expect(failure.message).toBe(`the command "agent" could not be started (${code})`);
    },
  );

  it('anything else does not', () => {
    expect(explainStartFailure(new Error('odd'), 'agent')).toMatchObject({
      kind: 'permanent',
      message: 'the command "agent" could not be started (unknown error)',
    });
  });
});

describe('the failure of a program that ran', () => {
  const start = 'the command "agent" ended with exit code 1';

  function failure(stderr: string, input = '', secrets: Secrets = {}): string | undefined {
    const end = { stdout: '', isTooLong: false, stderr, code: 1, endedBy: null };
    return explainFailedEnd(end, { command: '/opt/bin/agent', input }, secrets)?.message;
  }

  it('ends with its error output in one line without colours, or with nothing', () => {
    const stderr = '\u001b[31mbroken\u001b[0m\r\n\n  twice\u0007 ';
    expect(failure(stderr)).toBe(`${start}: broken / twice`);
    expect(failure(' \n')).toBe(start);
  });

  it('leaves out lines that repeat a part of what was asked, but not those with a short word of it', () => {
    const input = 'Where is the station, and when does it open?\na\nYes';
    const stderr = 'User: "…is the station, and when does…"\nan ordinary line\nYes and no';
    expect(failure(stderr, input)).toBe(`${start}: an ordinary line / Yes and no`);
  });

  it('shows the name of a secret in place of each line of its value', () => {
    const secrets = { KEY: 'first-line-of-it\nsecond-line-of-it', SHORT: 'word' };
    const stderr = 'bad key second-line-of-it, a word';
    expect(failure(stderr, '', secrets)).toBe(`${start}: bad key [KEY], a word`);
  });
});

describe('a reply with the codes of a terminal', () => {
  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b[38;2;1;2;3mtrue\u001b[39m colour', 'true colour'],
    ['\u001b[38:5:1mcolons\u001b[m', 'colons'],
    ['\u001b[2K\u001b[1Gdone\u001b[?25h', 'done'],
    ['\u001b]0;a title\u0007text', 'text'],
    ['\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b31mred', 'red'],
    ['list[0]; (a) # 1? ü', 'list[0]; (a) # 1? ü'],
  ])('%j is read as Node does', (text, plain) => {
    expect(parseReply(text, TEXT)).toEqual({ text: plain });
    expect(stripVTControlCharacters(text)).toBe(plain);
  });

  it.each(['\u001b]', '\u001b]a;', '\u001b[', '\u001b[1;', '\u009b', '\u001b]8;;\u001b', ';1'])(
    'a megabyte of %j is read in linear time',
    (piece) => {
      const reading = (size: number) =>
        parseReply(`\u001b]${piece.repeat(Math.ceil(size / piece.length))}`, TEXT);
      expect(growth(reading, 1_048_576)).toBeLessThan(QUADRATIC);
    },
  );
});
