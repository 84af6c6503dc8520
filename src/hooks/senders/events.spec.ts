import { hookRequest, ingest } from '../../../test/support/ingest.ts';
import type { HooksSettingsInput } from '../options/index.ts';
import { presets } from './index.ts';
import { readSample } from './samples.ts';

// An event is one of the samples with some fields changed; a field that is undefined is taken out.

type Changes = Readonly<Record<string, unknown>>;
type Mapping = NonNullable<HooksSettingsInput['mappings']>[number];

function requestOf(preset: string, event: string, changes: Changes = {}) {
  const { body, text, headers } = readSample(preset, event)!;
  const payload =
    text === undefined ? structuredClone(body) : Object.fromEntries(new URLSearchParams(text));
  const sent = { ...headers };
  for (const [path, value] of Object.entries(changes)) {
    if (path.startsWith('headers.')) sent[path.slice('headers.'.length)] = String(value);
    else set(payload, path.split('.'), value);
  }
  return hookRequest(preset, payload, { headers: sent });
}

function set(payload: unknown, path: readonly string[], value: unknown): void {
  const place = path.slice(0, -1).reduce((object, key) => {
    const inner = object as Record<string, unknown>;
    inner[key] ??= {};
    return inner[key];
  }, payload);
  (place as Record<string, unknown>)[path.at(-1) ?? ''] = value;
}

const hooks = ingest({ presets: [...presets.keys()] });

async function actionOf(preset: string, event: string, changes?: Changes, mapping?: Mapping) {
  const own = mapping && ingest({ presets: [preset], mappings: [mapping] });
  const { actions } = await (own ?? hooks).apply(requestOf(preset, event, changes));
  expect(actions).toHaveLength(1);
  return actions[0];
}

const object = (field: string): string => `data.object.${field}`;

describe('what becomes a run', () => {
  it.each([
    ['stripe', 'invoice.payment_failed', {}, 'stripe-payment-failed'],
    ['stripe', 'charge.dispute.created', {}, 'stripe-dispute'],
    ['stripe', 'payout.failed', {}, 'stripe-payout-failed'],
    ['stripe', 'customer.subscription.deleted', {}, 'stripe-subscription-ended'],
    [
      'stripe',
      'customer.subscription.deleted',
      {
        type: 'customer.subscription.updated',
        'data.previous_attributes.cancel_at_period_end': false,
      },
      'stripe-subscription-cancelled',
    ],
    [
      'stripe',
      'customer.subscription.deleted',
      { type: 'customer.subscription.created', [object('status')]: 'trialing' },
      'stripe-subscription-new',
    ],
    [
      'stripe',
      'customer.subscription.deleted',
      {
        type: 'customer.subscription.updated',
        [object('status')]: 'active',
        'data.previous_attributes.status': 'incomplete',
      },
      'stripe-subscription-new',
    ],
    [
      'stripe',
      'invoice.payment_failed',
      { type: 'invoice.paid', [object('amount_paid')]: 1999 },
      'stripe-paid',
    ],
    [
      'stripe',
      'payout.failed',
      {
        type: 'checkout.session.completed',
        [object('mode')]: 'payment',
        [object('payment_status')]: 'paid',
      },
      'stripe-paid',
    ],
    ['stripe', 'payout.failed', { type: 'charge.refunded' }, 'stripe-refund'],
    ['shopify', 'orders.create', {}, 'shopify-order'],
    [
      'shopify',
      'orders.create',
      { 'headers.x-shopify-topic': 'orders/cancelled' },
      'shopify-order-cancelled',
    ],
    ['shopify', 'refunds.create', {}, 'shopify-refund'],
    ['shopify', 'disputes.create', {}, 'shopify-dispute'],
    ['slack', 'app_mention', {}, 'slack-mention'],
    ['slack', 'message.im', {}, 'slack-im'],
    ['slack', 'message.im', { 'event.subtype': undefined }, 'slack-im'],
    ['calendly', 'invitee.created', { 'payload.old_invitee': 'https://x' }, 'calendly'],
    ['postmark', 'inbound', {}, 'postmark-inbound'],
    ['postmark', 'bounce', {}, 'postmark-not-delivered'],
    [
      'postmark',
      'bounce',
      { RecordType: 'SpamComplaint', Inactive: false },
      'postmark-not-delivered',
    ],
  ] as [string, string, Changes, string][])('%s %s, %o', (preset, event, changes, mapping) => {
    expect(hooks.match(requestOf(preset, event, changes))).toBe(mapping);
  });
});

describe('what costs no run', () => {
  it.each([
    ['stripe', 'invoice.payment_failed', { type: 'invoice.paid' }, 'an invoice of 0'],
    ['stripe', 'invoice.payment_failed', { type: 'invoice.created' }, 'a draft'],
    ['stripe', 'invoice.payment_failed', { type: 'charge.failed' }, 'the same failure once more'],
    [
      'stripe',
      'customer.subscription.deleted',
      { type: 'customer.subscription.created', [object('status')]: 'incomplete' },
      'a subscription that is not paid yet',
    ],
    [
      'stripe',
      'customer.subscription.deleted',
      {
        type: 'customer.subscription.updated',
        'data.previous_attributes.metadata.team': 'other',
      },
      'another change of a subscription that was cancelled before',
    ],
    [
      'stripe',
      'payout.failed',
      {
        type: 'checkout.session.completed',
        [object('mode')]: 'subscription',
        [object('payment_status')]: 'paid',
      },
      'a checkout that an invoice tells of',
    ],
    [
      'stripe',
      'payout.failed',
      {
        type: 'checkout.session.completed',
        [object('mode')]: 'payment',
        [object('payment_status')]: 'unpaid',
      },
      'a checkout that is not paid yet',
    ],
    ['shopify', 'orders.create', { 'headers.x-shopify-topic': 'orders/updated' }, 'an update'],
    ['shopify', 'orders.create', { 'headers.x-shopify-topic': 'orders/paid' }, 'the payment'],
    ['slack', 'app_mention', { 'event.bot_id': 'B0MDYCDMF' }, 'a bot that mentions the app'],
    ['slack', 'message.im', { 'event.bot_id': 'B0MDYCDMF' }, "the app's own message"],
    [
      'slack',
      'message.im',
      { 'event.bot_id': 'B0MDYCDMF', 'event.subtype': 'bot_message', 'event.user': undefined },
      'a message of a bot without a user',
    ],
    ['slack', 'message.im', { 'event.subtype': 'message_changed' }, 'an edit'],
    ['slack', 'message.im', { 'event.subtype': 'message_deleted' }, 'a deletion'],
    ['slack', 'message.im', { 'event.channel_type': 'channel' }, 'a message to nobody'],
    ['slack', 'app_mention', { 'event.type': 'reaction_added' }, 'a reaction'],
    ['slack', 'app_mention', { type: 'app_rate_limited' }, 'a notice of Slack'],
    ['telegram', 'message', { 'message.from.is_bot': true }, 'a bot'],
    ['telegram', 'message', { 'message.text': undefined }, 'a picture without words'],
    ['telegram', 'message', { message: undefined, callback_query: { id: '1' } }, 'a button'],
    [
      'telegram',
      'message',
      { message: undefined, edited_message: { text: 'x', chat: { id: 1 } } },
      'an edit',
    ],
    ['discord', 'command', { type: 3 }, 'a button'],
    ['discord', 'command', { type: 4 }, 'auto-completion'],
    ['twilio', 'sms', { SmsStatus: 'delivered' }, 'a status of a message that was sent'],
    ['typeform', 'form_response', { event_type: 'form_response_partial' }, 'half an answer'],
    ['calendly', 'invitee.canceled', { 'payload.rescheduled': true }, 'half of a move'],
    ['intercom', 'conversation.user.replied', { topic: 'conversation.admin.replied' }, 'the team'],
    ['intercom', 'conversation.user.created', { topic: 'ping' }, 'a ping'],
    ['zendesk', 'ticket.comment_added', { 'event.comment.author.is_staff': true }, 'the team'],
    ['zendesk', 'ticket.comment_added', { 'event.comment.is_public': false }, 'a note'],
    ['zendesk', 'ticket.created', { type: 'zen:event-type:ticket.status_changed' }, 'a change'],
    ['postmark', 'bounce', { RecordType: 'Open' }, 'an opened mail'],
    ['postmark', 'bounce', { Inactive: false }, 'a soft bounce'],
    ['resend', 'email.bounced', { type: 'email.delivered' }, 'a delivery'],
  ] as [string, string, Changes, string][])('%s %s, %o: %s', (preset, event, changes) => {
    const request = requestOf(preset, event, changes);
    expect(hooks.match(request)).toBeNull();
    expect(hooks.declines(request)).toContain(preset);
  });
});

describe('the conversation of an event', () => {
  it.each([
    ['slack', 'app_mention', {}, 'hook:slack:T024BE7LD:C0T2GACDT:1781524800.000016'],
    ['slack', 'app_mention.thread', {}, 'hook:slack:T024BE7LD:C0T2GACDT:1781524800.000016'],
    ['slack', 'message.im', {}, 'hook:slack:T024BE7LD:D0T2GACDT'],
    ['telegram', 'message.group', {}, 'hook:telegram:-1001234567890'],
    ['stripe', 'invoice.payment_failed', {}, 'hook:stripe:cus_QAnnExample'],
    ['stripe', 'payout.failed', {}, 'hook:stripe:po_1QExample'],
    ['shopify', 'refunds.create', {}, 'hook:shopify:order:5607112311111'],
    ['calendly', 'invitee.created', {}, 'hook:calendly:ann@example.org'],
    ['zendesk', 'ticket.created', {}, 'hook:zendesk:35436'],
  ] as [string, string, Changes, string][])(
    '%s %s, %o: %s',
    async (preset, event, changes, sessionKey) => {
      expect(await actionOf(preset, event, changes)).toMatchObject({ sessionKey });
    },
  );

  it('continues in a chat, and begins anew elsewhere', async () => {
    for (const [preset, event, sessionMode] of [
      ['slack', 'app_mention', 'persistent'],
      ['slack', 'message.im', 'persistent'],
      ['telegram', 'message', 'persistent'],
      ['discord', 'command', 'isolated'],
      ['intercom', 'conversation.user.replied', 'isolated'],
    ] as const) {
      expect(await actionOf(preset, event)).toMatchObject({ sessionMode });
    }
  });
});

describe('the answer of a chat', () => {
  it.each(['slack', 'telegram', 'discord'])(
    '%s: goes where every reply goes, until the operator says otherwise',
    async (preset) => {
      const event = { slack: 'app_mention', telegram: 'message', discord: 'command' }[preset]!;
      expect(await actionOf(preset, event)).toMatchObject({ deliver: { channel: 'last' } });
      expect(presets.get(preset)?.task).toMatch(/Write only the answer\.$/u);
    },
  );

  const inThread = '{{ event.channel }}/{{ event.thread_ts || event.ts }}';
  it.each([
    ['slack', 'app_mention', inThread, 'C0T2GACDT/1781524800.000016'],
    ['slack', 'app_mention.thread', inThread, 'C0T2GACDT/1781524800.000016'],
    ['telegram', 'message.group', '{{ message.chat.id }}', '-1001234567890'],
    ['discord', 'command', '{{ channel_id }}', '645027906669510667'],
  ])('%s %s: goes back as docs/presets.md says', async (id, event, template, to) => {
    const action = await actionOf(id, event, {}, { id, channel: 'chan_2', to: template });
    // Never the last route: the content says where.
    expect(action).toMatchObject({ deliver: { channel: 'chan_2', to, toFrom: 'content' } });
  });

  it('telegram: takes only the messages of one person, where the operator says whose', () => {
    const mine = { id: 'telegram', when: { 'payload.message.from.id': 927485618 } };
    const own = ingest({ presets: ['telegram'], mappings: [mine] });
    expect(own.match(requestOf('telegram', 'message'))).toBe('telegram');
    expect(own.match(requestOf('telegram', 'message.group'))).toBeNull();
    const bot = requestOf('telegram', 'message', { 'message.from.is_bot': true });
    expect(own.match(bot)).toBeNull();
  });
});

describe('one kind of event of a sender', () => {
  it('can be silenced by the id of its case', () => {
    const own = ingest({
      presets: ['stripe'],
      mappings: [{ id: 'stripe-dispute', action: 'ignore' }],
    });
    expect(own.match(requestOf('stripe', 'charge.dispute.created'))).toBe('stripe-dispute');
    expect(own.match(requestOf('stripe', 'payout.failed'))).toBe('stripe-payout-failed');
  });

  it('can wait for the next heartbeat, under one more condition', async () => {
    const mapping: Mapping = {
      id: 'shopify-order',
      when: { 'payload.test': false },
      action: 'wake',
      wakeMode: 'next-heartbeat',
    };
    expect(await actionOf('shopify', 'orders.create', {}, mapping)).toMatchObject({
      kind: 'wake',
      mode: 'next-heartbeat',
      text: expect.stringContaining('Order: #1042'),
    });
    const own = ingest({ presets: ['shopify'], mappings: [mapping] });
    expect(own.match(requestOf('shopify', 'orders.create', { test: true }))).toBeNull();
  });
});
