import type { ListLine } from '../../options/index.ts';
import { report } from './preset.ts';
import type { Preset } from './preset.ts';

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
  {
    each: 'data.object.items.data',
    line: '- {{ item.quantity }} × {{ item.price.nickname || item.price.product }} at {{ item.price.unit_amount_decimal || item.price.unit_amount }} {{ item.price.currency }} per {{ item.price.recurring.interval }}',
    most: 5,
  },
  'Trial ends, Unix time: {{ data.object.trial_end }}',
  'Reason: {{ data.object.cancellation_details.reason }}',
  'Feedback: {{ data.object.cancellation_details.feedback }}',
  'Comment: {{ data.object.cancellation_details.comment | max 1000 }}',
  'Metadata: {{ data.object.metadata | max 500 }}',
];

/**
 * Stripe, snapshot events of a webhook endpoint. Of one failed or paid thing Stripe sends several events (charge, payment
 * intent, invoice, checkout session), so one kind of each is taken, and what nobody waits for costs no run: updates,
 * drafts, invoices of 0, subscriptions that wait for their first payment. Amounts are in the smallest unit of the
 * currency, times in Unix seconds, and templates calculate nothing: the task says so.
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
    'Amounts are in the smallest unit of their currency: 1999 usd is 19.99 USD, but 500 jpy is 500 JPY; where you are not sure how many decimals a currency has, give the number as it stands and say so.',
    'Times are Unix seconds: name a date only where you are certain of it, else say that the Dashboard has it.',
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
        'Amount: {{ data.object.amount_due || data.object.amount }} {{ data.object.currency }}',
        ...CUSTOMER,
        'Reason: {{ data.object.last_payment_error.message }}',
        'Code: {{ data.object.last_payment_error.decline_code || data.object.last_payment_error.code }}',
        'Attempt: {{ data.object.attempt_count }}',
        'Next attempt, Unix time: {{ data.object.next_payment_attempt }}',
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
        'Amount: {{ data.object.amount }} {{ data.object.currency }}',
        'Reason: {{ data.object.reason || data.object.fraud_type }}',
        'Status: {{ data.object.status }}',
        'Evidence due by, Unix time: {{ data.object.evidence_details.due_by }}',
        'Charge can still be refunded: {{ data.object.is_charge_refundable || data.object.actionable }}',
        'Charge: {{ data.object.charge }}',
      ),
      sessionKey: 'hook:stripe:{{ data.object.charge || data.object.id }}',
    },
    {
      id: 'stripe-payout-failed',
      when: { 'payload.type': 'payout.failed' },
      messageTemplate: lines(
        'Amount: {{ data.object.amount }} {{ data.object.currency }}',
        'Reason: {{ data.object.failure_message }}',
        'Code: {{ data.object.failure_code }}',
        'Was expected, Unix time: {{ data.object.arrival_date }}',
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
        'That is, Unix time: {{ data.object.cancel_at || data.object.current_period_end }}',
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
        'Amount: {{ data.object.amount_paid || data.object.amount_total }} {{ data.object.currency }}',
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
        'Refund: {{ data.object.amount_refunded || data.object.amount }} {{ data.object.currency }}',
        'Of a charge of: {{ data.object.amount_captured }} {{ data.object.currency }}',
        ...CUSTOMER,
        'Reason: {{ data.object.failure_reason || data.object.refunds.data[0].reason || data.object.reason }}',
        'For: {{ data.object.description | max 300 }}',
        'Charge: {{ data.object.charge }}',
      ),
    },
  ],
};
