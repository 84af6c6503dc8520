import type { Condition, ListLine } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Currencies that Stripe writes with other decimals than ISO 4217 says; the others have those. */
const IN_HUNDREDTHS = ['isk', 'ugx'];
const WHOLE = ['mga'];

/**
 * A line with an amount in the smallest unit of its currency.
 * @param write the line with that amount in it
 * @param own fields of each line; with `each`, the currency is that of the item
 */
function withMoney(
  write: (amount: string) => string,
  amount: string,
  currency: string,
  own: Omit<ListLine, 'line' | 'when'> = {},
): ListLine[] {
  const place = own.each === undefined ? `payload.${currency}` : currency;
  const asItIs = `{{ ${amount} }} {{ ${currency} }}`;
  const line = (shown: string, when: Condition): ListLine => ({
    ...own,
    line: write(shown),
    when: { [place]: when },
  });
  return [
    line(`{{ ${amount} | money: ${currency} }}`, { not: [...IN_HUNDREDTHS, ...WHOLE] }),
    line(`${asItIs} (in hundredths)`, IN_HUNDREDTHS),
    line(asItIs, WHOLE),
  ];
}

const money = (label: string, amount: string): ListLine[] =>
  withMoney((shown) => `${label}: ${shown}`, amount, 'data.object.currency');

/** Of every event: what it is, whether money moved at all, and where to look it up. */
const lines = (...own: readonly (string | ListLine)[]) => [
  'Stripe: {{ type }}',
  'Live mode: {{ livemode }}',
  'Connected account: {{ account }}',
  ...own,
  'Id: {{ data.object.id }}',
];

const CUSTOMER = [
  'Customer: {{ data.object.customer_name || data.object.customer_details.name || data.object.billing_details.name || data.object.customer }}',
  'Email: {{ data.object.customer_email || data.object.customer_details.email || data.object.billing_details.email || data.object.receipt_email }}',
];
const ITEMS = { each: 'data.object.lines.data', line: '- {{ item.description }}', most: 5 };
const SUBSCRIPTION = [
  ...withMoney(
    (price) =>
      `- {{ item.quantity }} × {{ item.price.nickname || item.price.product }} at ${price} per {{ item.price.recurring.interval }}`,
    'item.price.unit_amount_decimal || item.price.unit_amount',
    'item.price.currency',
    { each: 'data.object.items.data', most: 5 },
  ),
  'Trial ends: {{ data.object.trial_end | date }}',
  'Reason: {{ data.object.cancellation_details.reason }}',
  'Feedback: {{ data.object.cancellation_details.feedback }}',
  'Comment: {{ data.object.cancellation_details.comment | max 1000 }}',
  'Metadata: {{ data.object.metadata | max 500 }}',
];

/**
 * Stripe, snapshot events of a webhook endpoint. Of one failed or paid thing Stripe sends several events (charge, payment
 * intent, invoice, checkout session), so one kind of each is taken, and what nobody waits for costs no run: updates,
 * drafts, invoices of 0, subscriptions that wait for their first payment.
 */
export const stripe: Preset = {
  id: 'stripe',
  match: { path: 'stripe' },
  verify: { scheme: 'stripe' },
  setup: [
    'Stripe Dashboard → Developers → Webhooks → Add endpoint (newer: Workbench → Webhooks → Add destination), Endpoint URL {url}, payload style Snapshot.',
    'Select the events invoice.payment_failed, invoice.paid, charge.dispute.created, charge.dispute.closed, radar.early_fraud_warning.created, payout.failed, customer.subscription.created, customer.subscription.updated, customer.subscription.deleted, checkout.session.completed, checkout.session.async_payment_succeeded, charge.refunded and refund.failed.',
    'Only where you take payments without invoices, select payment_intent.payment_failed, too: with invoices it would tell you of each failure twice.',
    'Copy the Signing secret (Reveal), which begins with whsec_; test mode has an endpoint and a secret of its own.',
  ],
  name: 'Stripe',
  task: report(
    'A payment service (Stripe) reports an event of the business of the person you serve.',
    'Tell them in at most three short sentences what happened, to which customer, for how much, and what they should do and until when, if anything: a dispute and a failed payout come first and plainly, since they have deadlines.',
    'Where no deadline is given, say that the Dashboard has it.',
    'Live mode false is a test without money: begin with "Test:".',
  ),
  sessionKey: 'hook:stripe:{{ data.object.customer || data.object.id }}',
  dedupeKey: '{{ id }}',
  // A retry may have another pending_webhooks; the id is that of the event, as Stripe's documentation says.
  dedupeOn: 'key',
  cases: [
    {
      id: 'stripe-payment-failed',
      when: { 'payload.type': ['invoice.payment_failed', 'payment_intent.payment_failed'] },
      messageTemplate: lines(
        ...money('Amount', 'data.object.amount_due || data.object.amount'),
        ...CUSTOMER,
        'Reason: {{ data.object.last_payment_error.message }}',
        'Code: {{ data.object.last_payment_error.decline_code || data.object.last_payment_error.code }}',
        'Attempt: {{ data.object.attempt_count }}',
        'Next attempt: {{ data.object.next_payment_attempt | date }}',
        'Invoice: {{ data.object.number }}',
        'For: {{ data.object.description | max 300 }}',
        ITEMS,
      ),
    },
    {
      id: 'stripe-dispute',
      when: {
        'payload.type': [
          'charge.dispute.created',
          'charge.dispute.closed',
          'radar.early_fraud_warning.created',
        ],
      },
      messageTemplate: lines(
        ...money('Amount', 'data.object.amount'),
        'Reason: {{ data.object.reason || data.object.fraud_type }}',
        'Status: {{ data.object.status }}',
        'Evidence due by: {{ data.object.evidence_details.due_by | date }}',
        'Charge can still be refunded: {{ data.object.is_charge_refundable || data.object.actionable }}',
        'Charge: {{ data.object.charge }}',
      ),
      sessionKey: 'hook:stripe:{{ data.object.charge || data.object.id }}',
    },
    {
      id: 'stripe-payout-failed',
      when: { 'payload.type': 'payout.failed' },
      messageTemplate: lines(
        ...money('Amount', 'data.object.amount'),
        'Reason: {{ data.object.failure_message }}',
        'Code: {{ data.object.failure_code }}',
        'Was expected: {{ data.object.arrival_date | date }}',
        'Destination: {{ data.object.destination }}',
        'For: {{ data.object.description | max 300 }}',
      ),
    },
    {
      id: 'stripe-subscription-new',
      when: {
        'payload.data.object.status': ['active', 'trialing'],
        or: [
          { 'payload.type': 'customer.subscription.created' },
          {
            // Where the first payment came after the subscription.
            'payload.type': 'customer.subscription.updated',
            'payload.data.previous_attributes.status': 'incomplete',
          },
        ],
      },
      messageTemplate: lines(
        'The subscription is new, and {{ data.object.status }}',
        ...CUSTOMER,
        ...SUBSCRIPTION,
      ),
    },
    {
      id: 'stripe-subscription-cancelled',
      when: {
        'payload.type': 'customer.subscription.updated',
        'payload.data.object.cancel_at_period_end': true,
        'payload.data.previous_attributes.cancel_at_period_end': false,
      },
      messageTemplate: lines(
        'The subscription was cancelled and runs on to the end of its period',
        'That is: {{ data.object.cancel_at || data.object.current_period_end | date }}',
        ...CUSTOMER,
        ...SUBSCRIPTION,
      ),
    },
    {
      id: 'stripe-subscription-ended',
      when: { 'payload.type': 'customer.subscription.deleted' },
      messageTemplate: lines('The subscription has ended', ...CUSTOMER, ...SUBSCRIPTION),
    },
    {
      id: 'stripe-paid',
      when: {
        or: [
          // Trials and vouchers make invoices of 0.
          { 'payload.type': 'invoice.paid', 'payload.data.object.amount_paid': { gt: 0 } },
          {
            // A subscription's checkout is told of by its invoice.
            'payload.type': 'checkout.session.completed',
            'payload.data.object.mode': 'payment',
            'payload.data.object.payment_status': 'paid',
          },
          { 'payload.type': 'checkout.session.async_payment_succeeded' },
        ],
      },
      messageTemplate: lines(
        ...money('Amount', 'data.object.amount_paid || data.object.amount_total'),
        ...CUSTOMER,
        'Invoice: {{ data.object.number }}',
        'Because of: {{ data.object.billing_reason }}',
        'Order: {{ data.object.client_reference_id }}',
        ITEMS,
      ),
    },
    {
      id: 'stripe-refund',
      when: { 'payload.type': ['charge.refunded', 'refund.failed'] },
      messageTemplate: lines(
        ...money('Refund', 'data.object.amount_refunded || data.object.amount'),
        ...money('Of a charge of', 'data.object.amount_captured'),
        ...CUSTOMER,
        'Reason: {{ data.object.failure_reason || data.object.refunds.data[0].reason || data.object.reason }}',
        'For: {{ data.object.description | max 300 }}',
        'Charge: {{ data.object.charge }}',
      ),
    },
  ],
};
