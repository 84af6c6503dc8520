import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { launch } from './browser.ts';
import { OPERATOR_TOKEN, SIGNING_SECRET, World } from './world.ts';

describe('The view Try of the console', () => {
  let browser: Browser;
  let world: World;

  beforeAll(async () => {
    browser = await launch();
    world = await World.begin(browser);
  });

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await browser.close();
  });

  it('shows what a mapping would make of a payload while one writes it', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByLabel('Hook', { exact: true }).fill('new');
    await page.getByRole('button', { name: 'Begin a mapping' }).click();
    const payload = page.getByRole('textbox', { name: 'Payload' });
    await payload.fill('{"title": "Printer on fi');
    await page.getByText('The payload is no JSON yet.').waitFor();
    await payload.fill('{"title": "Printer on fire"}');

    const prompt = page.getByLabel('What the agent was shown');
    await prompt.getByText('A thing happened: Printer on fire').waitFor();
    const { body } = await world.service.ask('/ops/api/events?hook=new', { token: OPERATOR_TOKEN });
    expect(body['events']).toEqual([]);
    expect(operator.complaints).toEqual([]);
  });

  it('begins with the sample of a preset', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByLabel('Begin with a sample').selectOption('github/issues.opened');

    const hook = page.getByLabel('Hook', { exact: true });
    await eventually('the sample is there', async () => (await hook.inputValue()) === 'github');
    await page.getByRole('textbox', { name: 'Payload' }).getByText('"action"').first().waitFor();
    expect(await operator.violations()).toEqual([]);
  });

  it('begins with an earlier event, chosen there or from its story', async () => {
    const id = await world.send('agent', { message: 'Came before', name: 'Earlier' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    const earlier = page.getByLabel('Begin with a sample or an earlier event');
    await earlier.selectOption({ label: 'agent: Earlier: Came before' });
    const payload = page.getByRole('textbox', { name: 'Payload' });
    await payload.getByText('Came before').waitFor();

    await operator.open(`/events/${id}`);
    await page.getByRole('link', { name: 'Try it' }).click();
    await payload.getByText('Came before').waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('saves a mapping, which is in force when it says so, and removes it again', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    const hook = page.getByLabel('Hook', { exact: true });
    await hook.fill('new');
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"title": "Printer on fire"}');
    await page.getByRole('button', { name: 'Begin a mapping' }).click();
    const mapping = page.getByRole('textbox', { name: 'Mapping' });
    await mapping.fill('{"id": "new", "match": {"path": "new"}, "channel": "chan_99"}');
    await page.getByRole('button', { name: 'Save the mapping' }).click();
    await page.getByRole('alert').getByText('channel').waitFor();
    expect(await world.send('new', {})).toBeNull();

    await mapping.fill('{"id": "new", "match": {"path": "new"}, "deliver": false}');
    await page.getByRole('button', { name: 'Save the mapping' }).click();
    await page.getByText('Saved as gateway.d/mapping-new.json5; it is in force.').waitFor();
    expect(await world.send('new', { title: 'Saved' })).not.toBeNull();

    await operator.open('/try');
    await page.getByLabel('Go on with a saved mapping').selectOption('new');
    await mapping.getByText('"deliver"').waitFor();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('button', { name: 'Remove it: really?' }).click();
    await page.getByText('Removed gateway.d/mapping-new.json5; it is in force.').waitFor();
    expect(await world.send('new', {})).toBeNull();
    expect(operator.complaints).toEqual([]);
  });

  it('shows which earlier events a mapping would change, before it is saved', async () => {
    await world.send('tickets', { action: 'opened', title: 'Paper is out' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByRole('button', { name: 'Begin a mapping' }).click();
    const mapping = page.getByRole('textbox', { name: 'Mapping' });
    await mapping.fill('{"id": "unseen", "match": {"path": "unseen"}, "deliver": false}');
    const earlier = page.getByRole('status', { name: 'Earlier events' });
    await earlier.getByText(/^With it, none of the (?:last )?\d+ events/).waitFor();
    const ignoring = { id: 'tickets', match: { path: 'tickets' }, action: 'ignore' };
    await mapping.fill(JSON.stringify(ignoring));
    await earlier.getByText(/^With it, \d+ of the (?:last )?\d+ events/).waitFor();
    await earlier
      .getByRole('link', { name: /^tickets, / })
      .first()
      .waitFor();
    expect(await operator.violations()).toEqual([]);
    expect(operator.complaints).toEqual([]);
  });

  it('sends what one has tried for real', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"message": "Tried and sent"}');
    await page.getByRole('button', { name: 'Send for real' }).click();

    await page.getByRole('heading', { name: /Tried and sent/ }).waitFor();
    await page.getByText('operator', { exact: true }).first().waitFor();
  });

  it('sends what one has tried as its sender would, signed, and never shows the secret', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByLabel('Hook', { exact: true }).fill('payments');
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"amount": 42}');
    await page.getByLabel('Send it as').selectOption('sender');
    await page.getByRole('button', { name: 'Send for real' }).click();

    await page.getByText('Sent signed as Stripe signs, as a new event.').waitFor();
    await page.getByRole('heading', { name: /Paid 42/ }).waitFor();
    await page.getByText('stripe', { exact: true }).first().waitFor();
    expect(await page.content()).not.toContain(SIGNING_SECRET);
    expect(operator.complaints).toEqual([]);
  });

  it('copies a command that is signed already, and says how long it is good', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await operator.open('/try');
    await page.getByLabel('Hook', { exact: true }).fill('payments');
    await page.getByRole('textbox', { name: 'Payload' }).fill('{"amount": 7}');
    await page.getByLabel('Send it as').getByText('its sender').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Copy as curl' }).click();

    await page.getByText('it is good for 300 seconds, and takes effect once').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).not.toContain(SIGNING_SECRET);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    const { eventId } = JSON.parse(stdout) as { eventId: string };
    const path = `/ops/api/events/${eventId}`;
    const { body } = await world.service.ask(path, { token: OPERATOR_TOKEN });
    expect(body).toMatchObject({ request: { verifiedBy: 'stripe', payload: { amount: 7 } } });
  });

  // Last: from here on the service has a public address.
  it('enables the preset of a sample, and shows its secret once', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/try');
    await page.getByLabel('Begin with a sample').selectOption('github/issues.opened');
    await page.getByLabel('Where GitHub reaches this service').fill('https://hooks.example.org');
    await page.getByRole('button', { name: 'Enable GitHub' }).click();

    const steps = page.getByRole('status', { name: 'Preset' });
    await steps.getByText('Payload URL: https://hooks.example.org/hooks/github').waitFor();
    await steps.getByText(/^Secret: [\w-]{43}$/).waitFor();
    await page.getByRole('button', { name: 'I have entered it' }).click();
    expect(await page.content()).not.toMatch(/Secret: [\w-]{43}/);
    await page.getByLabel('Send it as').selectOption('sender');
    await page.getByRole('button', { name: 'Send for real' }).click();
    await page.getByText('Sent signed as GitHub signs, as a new event.').waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
