import { report } from './preset.ts';
import type { Preset } from './preset.ts';

/** Of which shop, and whether it was a test that Shopify sent by itself. */
const start = (what: string) => [
  `Shopify: ${what} in {{ headers.x-shopify-shop-domain }}`,
  {
    line: 'Test notification: {{ headers.x-shopify-test }}',
    when: { 'headers.x-shopify-test': 'true' },
  },
];
const TEST_ORDER = { line: 'It is a test order', when: { 'payload.test': true } };
const ORDER = [
  'Order: {{ name }}',
  'Total: {{ current_total_price || total_price }} {{ currency }}, payment: {{ financial_status }}',
  {
    each: 'line_items',
    line: '- {{ item.quantity }} × {{ item.name || item.title }} at {{ item.price }}',
    most: 20,
  },
  'Customer: {{ billing_address.name || shipping_address.name || customer.first_name || customer.email }}',
  'Email: {{ email || customer.email }}',
  'Ship to: {{ shipping_address.city }}, {{ shipping_address.country }}',
  'Note of the customer: {{ note | max 1000 }}',
  'Tags: {{ tags }}',
];
const ORDER_LINK = 'https://{{ headers.x-shopify-shop-domain }}/admin/orders/';

/**
 * Shopify webhooks, of the shop's settings or of an app. The topic stands in a header that nothing signs, but a signed
 * body under another topic only gets other words. Shopify sends a change several times over (an order is created, paid,
 * updated and fulfilled): what a shop owner waits for is taken, `orders/paid`, `…/updated` and everything about carts,
 * checkouts and products is not. Repeats are known by `X-Shopify-Webhook-Id`. Of Shopify's newer Events, whose topics
 * (`Product`), headers (without `x-`) and bodies are others, an app chooses each one and what it holds: all are taken.
 */
export const shopify: Preset = {
  id: 'shopify',
  match: { path: 'shopify' },
  verify: { scheme: 'shopify' },
  setup: [
    'Shopify admin → Settings → Notifications → Webhooks → Create webhook: Format JSON, URL {url}.',
    'One webhook for each event: Order creation, Order cancellation, Refund create. An app can subscribe to returns/request, disputes/create, variants/out_of_stock and subscription_billing_attempts/failure, too.',
    'Copy the signing secret that stands below the list (of an app: its Client secret). Send test notification shows whether it works.',
  ],
  name: 'Shopify',
  task: report(
    'An online shop (Shopify) reports an event.',
    'Tell the person you serve in at most three short sentences what was ordered, cancelled, returned or disputed, by whom and for how much, with the order number, and what waits for them and until when: a dispute has a deadline and comes first.',
    "Repeat the customer's own note where there is one.",
    'A test order or test notification is one short sentence that says so.',
  ),
  cases: [
    {
      id: 'shopify-order',
      when: { 'headers.x-shopify-topic': 'orders/create' },
      messageTemplate: [...start('new order'), ...ORDER, TEST_ORDER, `${ORDER_LINK}{{ id }}`],
      sessionKey: 'hook:shopify:order:{{ id }}',
    },
    {
      id: 'shopify-order-cancelled',
      when: { 'headers.x-shopify-topic': 'orders/cancelled' },
      messageTemplate: [
        ...start('order cancelled'),
        'Because of: {{ cancel_reason }}',
        'At: {{ cancelled_at | date }}',
        ...ORDER,
        TEST_ORDER,
        `${ORDER_LINK}{{ id }}`,
      ],
      sessionKey: 'hook:shopify:order:{{ id }}',
    },
    {
      id: 'shopify-refund',
      when: { 'headers.x-shopify-topic': 'refunds/create' },
      messageTemplate: [
        ...start('refund'),
        {
          each: 'transactions',
          line: '- {{ item.kind }} of {{ item.amount }} {{ item.currency }}: {{ item.status }}',
          most: 10,
        },
        {
          each: 'refund_line_items',
          line: '- {{ item.quantity }} × {{ item.line_item.name }} ({{ item.restock_type }}): {{ item.subtotal }} {{ item.subtotal_set.shop_money.currency_code }}',
          most: 20,
        },
        'Note: {{ note | max 1000 }}',
        `${ORDER_LINK}{{ order_id }}`,
      ],
      sessionKey: 'hook:shopify:order:{{ order_id }}',
    },
    {
      id: 'shopify-return',
      when: { 'headers.x-shopify-topic': 'returns/request' },
      messageTemplate: [
        ...start('a customer asks for a return'),
        'Return: {{ name }}',
        'Status: {{ status }}',
        {
          each: 'return_line_items',
          line: '- {{ item.quantity }} of line item {{ item.fulfillment_line_item.line_item.id }}: {{ item.return_reason }}',
          most: 20,
        },
        { each: 'return_line_items', line: 'Note: {{ item.customer_note | max 500 }}' },
        `${ORDER_LINK}{{ order.id || order_id }}`,
      ],
      sessionKey: 'hook:shopify:order:{{ order.id || order_id }}',
    },
    {
      id: 'shopify-dispute',
      when: { 'headers.x-shopify-topic': 'disputes/create' },
      messageTemplate: [
        ...start('a customer disputes a payment'),
        'Kind: {{ type }}',
        'Amount: {{ amount }} {{ currency }}',
        'Reason: {{ reason }}',
        'Status: {{ status }}',
        'Evidence due by: {{ evidence_due_by | date }}',
        `${ORDER_LINK}{{ order_id }}`,
      ],
      sessionKey: 'hook:shopify:order:{{ order_id }}',
    },
    {
      id: 'shopify-out-of-stock',
      when: { 'headers.x-shopify-topic': 'variants/out_of_stock' },
      messageTemplate: [
        ...start('out of stock'),
        'Variant: {{ title }}',
        'SKU: {{ sku }}',
        'Left: {{ inventory_quantity }}',
        'https://{{ headers.x-shopify-shop-domain }}/admin/products/{{ product_id }}',
      ],
      sessionKey: 'hook:shopify:product:{{ product_id }}',
    },
    {
      id: 'shopify-event',
      when: { 'headers.shopify-topic': { exists: true } },
      messageTemplate: [
        'Shopify: {{ headers.shopify-topic }} {{ headers.shopify-action }} in {{ headers.shopify-shop-domain }}',
        'Subscription: {{ headers.shopify-handle }}',
        'At: {{ headers.shopify-triggered-at | date }}',
        'Event: {{ payload.* | max 4000 }}',
      ],
      sessionKey: 'hook:shopify:{{ headers.shopify-handle || headers.shopify-topic }}',
    },
    {
      id: 'shopify-billing-failed',
      when: { 'headers.x-shopify-topic': 'subscription_billing_attempts/failure' },
      messageTemplate: [
        ...start('a payment for a subscription failed'),
        'Subscription contract: {{ subscription_contract_id }}',
        'Reason: {{ error_message }}',
        'Code: {{ error_code }}',
        `${ORDER_LINK}{{ order_id }}`,
      ],
      sessionKey: 'hook:shopify:subscription:{{ subscription_contract_id }}',
    },
  ],
};
