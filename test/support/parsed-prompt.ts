import { SECURITY_NOTICE } from '../../src/hooks/boundary/frame.ts';

const TIME = /\n\nReceived: (\S+)$/u;
const END = /\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]{32})">>>$/u;
const HEADER = /^Source: (.*)\nHook: (.*)\nSender verified by: (.*)\n\n/u;

/** Reads a prompt the way an agent is told to: from its end, by the id that start and end marker share. */
export function parsePrompt(text: string) {
  const [timeLine = '', received] = TIME.exec(text) ?? [];
  const withoutTime = text.slice(0, text.length - timeLine.length);
  const [end = '', id = ''] = END.exec(withoutTime) ?? [];
  const start = `<<<EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>\n`;
  const [before = '', inside = '', ...more] = withoutTime
    .slice(0, withoutTime.length - end.length)
    .split(start);
  const [header = '', source, hook, verifiedBy] = HEADER.exec(inside) ?? [];
  const notice = `${SECURITY_NOTICE}\n\n`;
  if (id === '' || header === '' || more.length > 0 || !before.endsWith(notice)) {
    throw new Error(`not a prompt: ${JSON.stringify(text)}`);
  }
  const instructions = before.slice(0, -notice.length).replace(/\n\n$/u, '');
  return { instructions, source, hook, verifiedBy, content: inside.slice(header.length), received };
}
