import { demoRunner } from './demo.ts';

function fenced(text: string): string {
  const id = 'id="0"';
  return `Notice.\n\n<<<EXTERNAL_UNTRUSTED_CONTENT ${id}>>>\nSource: s\nHook: h\nSender verified by: none\n\n${text}\n<<<END_EXTERNAL_UNTRUSTED_CONTENT ${id}>>>\n`;
}

async function quoted(text: string): Promise<string | undefined> {
  const turn = { prompt: fenced(text) } as Parameters<ReturnType<typeof demoRunner>['run']>[0];
  const reply = await demoRunner().run(turn, new AbortController().signal);
  return /“(.*)”/u.exec(reply.text)?.[1];
}

describe('the demo agent quotes the sender', () => {
  it('without the labels between the markers', async () => {
    expect(await quoted('Hello\nthere')).toBe('Hello there');
  });

  it('with lines of his own that look like labels, as a summary does', async () => {
    expect(await quoted('Hook: it is done\nSource: me')).toBe('Hook: it is done Source: me');
  });
});
