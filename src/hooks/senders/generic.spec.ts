import { createRequire } from 'node:module';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import { presets } from './index.ts';
import { listSamples, readSample } from './samples.ts';

const hooks = ingest({ presets: ['generic'] });

async function shownOf(body: unknown): Promise<{ lines: string[]; rest: string }> {
  const { actions } = await hooks.apply(hookRequest('generic', body));
  const [action] = actions;
  const message = action?.kind === 'agent' ? action.message : '';
  const at = /^Payload: /mu.exec(message)?.index ?? message.length;
  const lines = message.slice(0, at).split('\n').slice(0, -1);
  return at === message.length
    ? { lines: message.split('\n'), rest: '' }
    : { lines, rest: message.slice(at) };
}

/** The heads of what senders send whom no preset knows yet, after their own documentation. */
const STRANGERS: readonly (readonly [string, object, string])[] = [
  [
    'Stripe',
    {
      id: 'evt_1',
      object: 'event',
      type: 'invoice.paid',
      data: { object: { client_secret: 's' } },
    },
    'invoice.paid',
  ],
  [
    'Slack',
    { token: 't', type: 'event_callback', event: { type: 'app_mention', text: 'Hi' } },
    'app_mention',
  ],
  ['Telegram', { update_id: 1, message: { chat: { id: 5 }, text: '/start' } }, '/start'],
  ['Calendly', { event: 'invitee.created', payload: { name: 'Ann', uri: 'x' } }, 'Ann'],
  [
    'Linear',
    { action: 'create', type: 'Issue', data: { title: 'Leak' }, url: 'https://l.example' },
    'Leak',
  ],
  ['Vercel', { type: 'deployment.error', id: 'd', payload: { name: 'shop' } }, 'shop'],
  ['Netlify', { state: 'error', name: 'shop', url: 'https://n.example' }, 'shop'],
  ['PagerDuty', { event: { event_type: 'incident.triggered', data: { title: 'Disk' } } }, 'Disk'],
  ['Vapi', { message: { type: 'end-of-call-report', call: { id: 'c' } } }, 'end-of-call-report'],
  ['a shop system', { title: { rendered: 'Tea' }, status: 'publish' }, 'publish'],
  ['an echo', { title: 'It is down', message: 'It is down', summary: 'It is down' }, 'It is down'],
  ['somebody with much to say', { text: 'word '.repeat(1000).trim() }, 'word '.repeat(1000).trim()],
  [
    'EventBridge',
    {
      version: '0',
      id: 'e',
      'detail-type': 'EC2 Instance State-change Notification',
      source: 'aws.ec2',
      resources: ['arn:aws:ec2:eu-central-1:1:instance/i-1'],
      detail: { state: 'stopped' },
    },
    'EC2 Instance State-change Notification',
  ],
  ['a mail service', { From: 'a@b.c', subject: 'Hello', text: 'Body' }, 'Hello'],
];

describe('the preset generic', () => {
  it.each(STRANGERS)(
    'begins with a headline for %s, and says nothing twice',
    async (_, body, head) => {
      const { lines, rest } = await shownOf(body);
      expect(lines[0]).toBe(head);
      expect(new Set(lines).size).toBe(lines.length);
      for (const line of lines) expect(rest).not.toContain(JSON.stringify(line));
    },
  );

  const github = createRequire(import.meta.url)(
    '@octokit/webhooks-examples',
  ) as WebhookDefinition[];
  const published = [...presets.keys()].flatMap((preset) =>
    listSamples(preset).flatMap((event) => readSample(preset, event)?.body ?? []),
  );
  const all: readonly unknown[] = [...github.flatMap(({ examples }) => examples), ...published];

  it('finds a headline in nine of ten of what GitHub and the senders of presets publish', async () => {
    expect([all.length - published.length, published.length >= 70]).toEqual([329, true]);
    let headlines = 0;
    for (const body of all) {
      const { lines } = await shownOf(body);
      // None of them is a piece of JSON: an object is shown in the rest.
      expect(lines.filter((line) => /^(?:\{"|\[[{"\]])/u.test(line))).toEqual([]);
      if (lines.length > 0) headlines += 1;
    }
    expect(headlines / all.length).toBeGreaterThan(0.9);
  });

  it('says no sentence and no address of theirs twice', async () => {
    for (const body of all) {
      const { lines, rest } = await shownOf(body);
      const prose = lines.filter((line) => /\s|^.{16}/u.test(line) && !line.startsWith('About: '));
      expect(prose.filter((line) => rest.includes(`:${JSON.stringify(line)}`))).toEqual([]);
      const written = lines.filter((line) => line.trim() !== '');
      expect(new Set(written).size).toBe(written.length);
    }
  });

  it('says of a push to a Docker registry what and which tag, and of a layer that it is one', async () => {
    const push = (target: object) => ({ events: [{ id: 'e', action: 'push', target }] });
    const layer = { mediaType: 'application/octet-stream', digest: 'sha256:1', repository: 'shop' };
    expect((await shownOf(push({ repository: 'shop', tag: '2.4' }))).lines).toEqual([
      'push',
      'About: shop',
      'Tag: 2.4',
    ]);
    expect((await shownOf(push(layer))).lines).toContain('It is a layer of an image: sha256:1');
  });

  it('keeps a word in other fields: it says something else there', async () => {
    const { rest } = await shownOf({ action: 'closed', milestone: { state: 'closed' } });
    expect(rest).toBe('Payload: {"milestone":{"state":"closed"}}');
  });
});
