import { REQUEST_NOTICE, SECURITY_NOTICE } from '../../src/hooks/boundary/frame.ts';

const TIME = /\n\nReceived: (\S+)$/u;
const END = /\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{32})">>>$/u;
const HEADER = /^Source: (.*)\nHook: (.*)\n(?:Name: (.*)\n)?Sender verified by: (.*)\n\n/u;

/** Reads a prompt the way an agent is told to: from its end, by the id that start and end marker share. */
export function parsePrompt(text: string) {
  const [timeLine = '', received] = TIME.exec(text) ?? [];
  const withoutTime = text.slice(0, text.length - timeLine.length);
  const [end = '', id = ''] = END.exec(withoutTime) ?? [];
  const start = `<<<EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>\n`;
  const [before = '', inside = '', ...more] = withoutTime
    .slice(0, withoutTime.length - end.length)
    .split(start);
  const [header = '', source, hook, name, verifiedBy] = HEADER.exec(inside) ?? [];
  const notices = [SECURITY_NOTICE, REQUEST_NOTICE].map((notice) => `${notice}\n\n`);
  const notice = notices.find((one) => before.endsWith(one));
  if (id === '' || header === '' || more.length > 0 || notice === undefined) {
    throw new Error(`not a prompt: ${JSON.stringify(text)}`);
  }
  const task = before.slice(0, -notice.length).replace(/\n\n$/u, '');
  const content = inside.slice(header.length);
  return { task, source, hook, name, verifiedBy, content, received };
}
