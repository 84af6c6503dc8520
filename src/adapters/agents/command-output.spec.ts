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

  function failure(
    { stderr = '', stdout = '' }: { readonly stderr?: string; readonly stdout?: string },
    input = '',
    secrets: Secrets = {},
    settings = TEXT,
  ): string | undefined {
    const end = { stdout, isTooLong: false, stderr, code: 1, endedBy: null };
    const program = { command: '/opt/bin/agent', input };
    return explainFailedEnd(end, program, settings, secrets)?.message;
  }

  it('ends with its error output in one line without colours, or with nothing', () => {
    const stderr = '\u001b[31mbroken\u001b[0m\r\n\n  twice\u0007 ';
    expect(failure({ stderr })).toBe(`${start}: broken / twice`);
    expect(failure({ stderr: ' \n' })).toBe(start);
  });

  it('leaves out lines that repeat a part of what was asked, but not those with a short word of it', () => {
    const input = 'Where is the station, and when does it open?\na\nYes';
    const stderr = 'User: "…is the station, and when does…"\nan ordinary line\nYes and no';
    expect(failure({ stderr }, input)).toBe(`${start}: an ordinary line / Yes and no`);
  });

  it('shows the name of a secret in place of each line of its value', () => {
    const secrets = { KEY: 'first-line-of-it\nsecond-line-of-it', SHORT: 'word' };
    const stderr = 'bad key second-line-of-it, a word';
    expect(failure({ stderr }, '', secrets)).toBe(`${start}: bad key [KEY], a word`);
  });

  it('ends with the output of a program that says nothing in its error output', () => {
    expect(failure({ stdout: 'Not logged in' })).toBe(`${start}: Not logged in`);
    const long = 'a line of twenty chars\n'.repeat(1000);
    expect(failure({ stdout: `${long}The end.` })).toMatch(/^.{1900,2500} \/ The end\.$/);
  });

  // What the programs themselves printed, in the versions of test/real/package.json; shortened.
  it.each([
    [
      'Claude Code',
      'result',
      {
        stdout:
          '{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"result":"Not logged in · Please run /login"}',
      },
      'Not logged in · Please run /login',
    ],
    [
      'Codex',
      'item.text',
      {
        stdout: [
          '{"type":"thread.started","thread_id":"01a20164-5b9f-76c0-9910-377a3e19d6e6"}',
          '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I am looking."}}',
          '{"type":"error","message":"Reconnecting... 2/5"}',
          '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}',
        ].join('\n'),
        stderr: 'WARNING: proceeding, even though we could not create PATH aliases',
      },
      'unexpected status 401 Unauthorized',
    ],
    [
      'Gemini CLI',
      'response',
      {
        stderr:
          'Ripgrep is not available. Falling back to GrepTool.\n{\n  "session_id": "81399ee2",\n  "error": {\n    "type": "Error",\n    "message": "Invalid auth method selected.",\n    "code": 41\n  }\n}\n',
      },
      'Invalid auth method selected.',
    ],
    [
      'opencode',
      'part.text',
      {
        stdout:
          '{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"Incorrect API key provided","statusCode":401}}}',
      },
      'Incorrect API key provided',
    ],
    [
      'Copilot CLI',
      'data.content',
      {
        stdout: [
          '{"type":"user.message","data":{"content":"Where is the station?"}}',
          '{"type":"session.info","data":{"infoType":"model_retry","message":"Request failed. Retrying..."}}',
          '{"type":"session.error","data":{"errorType":"authentication","message":"Authentication failed with provider (HTTP 401).\\n  Check your key."}}',
          '{"type":"result","sessionId":"2e4852c8","exitCode":1}',
        ].join('\n'),
      },
      'Authentication failed with provider (HTTP 401). / Check your key.',
    ],
  ])('ends with what %s says in its JSON output', (_name, resultPath, end, why) => {
    const settings = { ...TEXT, output: 'json', resultPath } as const;
    expect(failure(end, 'Where is the station?', {}, settings)).toBe(`${start}: ${why}`);
  });

  it('masks and bounds what is said in JSON, and leaves out what was asked', () => {
    const settings = { ...TEXT, output: 'json' } as const;
    const said = `Wrong key sk-1234567890\nWhere is the station?\n${'x'.repeat(100_000)}`;
    const stdout = JSON.stringify({ error: { message: said } });
    const message = failure(
      { stdout },
      'Where is the station?',
      { KEY: 'sk-1234567890' },
      settings,
    );
    expect(message).toMatch(/: Wrong key \[KEY\] \/ x{4000,4096}…$/);
  });

  it('shows JSON in which it finds no reason as it is', () => {
    const settings = { ...TEXT, output: 'json' } as const;
    expect(failure({ stdout: '{"type":"step"}' }, '', {}, settings)).toBe(
      `${start}: {"type":"step"}`,
    );
    expect(failure({ stdout: '', stderr: '{"a":1}' }, '', {}, settings)).toBe(`${start}: {"a":1}`);
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
