import type { Browser, Page } from 'playwright-core';
import { OpenAiServer, openAiError } from '../support/openai-server.ts';
import { launch } from './browser.ts';
import type { Operator } from './browser.ts';
import { HOOK_TOKEN, World } from './world.ts';

describe('The keyboard of the console', () => {
  let browser: Browser;
  let world: World;
  let operator: Operator;
  let page: Page;
  const model = new OpenAiServer();

  beforeAll(async () => {
    model.meanwhile = {
      status: 429,
      headers: { 'retry-after': '600' },
      body: openAiError('Rate limit reached for big', 'rate_limit_exceeded'),
    };
    await model.listen();
    browser = await launch();
    world = await World.begin(browser, { model: model.baseUrl });
  });

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await browser.close();
    await model.close();
  });

  beforeEach(async () => {
    operator = await world.loggedIn();
    ({ page } = operator);
  });

  afterEach(() => operator[Symbol.asyncDispose]());

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = () => page.evaluate<string>('document.activeElement.textContent');

  async function down(to: RegExp): Promise<string> {
    await page
      .locator('main :is(.attention > li, .event-row, tbody tr)', { hasText: to })
      .first()
      .waitFor();
    for (let row = 0; row < 50; row += 1) {
      await press('j');
      if (to.test(await focused())) return focused();
    }
    throw new Error(`no row says ${to}`);
  }

  it('leads from Now to what waits for a model that is away, with why and how many', async () => {
    await world.send('review', { what: 'the first' });
    await world.send('review', { what: 'the second' });
    await operator.open();
    const row = await down(/is unavailable, 2 behind it/);
    expect(row).toMatch(/^info: model local\/big is unavailable.*429.*Rate limit reached for big/);
    expect(row).toMatch(/ since .* next try /);
    expect(row).not.toContain('UTC');
    await press('Enter');
    await page.waitForURL(/events\?status=running/);
    await down(/review/);
    await press('Enter');
    await page.getByText(/^waits for model local\/big/).waitFor();
    await press('Escape');
    await page.waitForURL(/events\?status=running/);
  });

  it('leads from Now to a channel that fails, with why', async () => {
    Object.assign(world.receiver, { isMended: false, refusal: 503 });
    await world.send('agent', { message: 'Ping', name: 'Down', channel: 'chan_8' });
    await operator.open();
    expect(await down(/chan_8 fails, 1 behind it/)).toContain('503');
    await press('Enter');
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await page.getByRole('definition').getByText('(503)').waitFor();
    await operator.open();
    await page.getByRole('button', { name: 'Retry all' }).focus();
    await press('Enter');
    await page.getByText(/^Retry all: \d done\.$/).waitFor();
    world.receiver.isMended = true;
  });

  it('finds a condition that said no by the words of the request', async () => {
    await world.send('tickets', { action: 'closed', title: 'Stapler is gone' });
    await operator.open();
    await operator.hasLoaded();
    await press('/');
    await page.getByLabel('Text').waitFor();
    await page.keyboard.type('Stapler');
    await press('Enter', 'Escape');
    await page.waitForURL(/search=Stapler/);
    expect(await down(/skipped/)).toContain('payload.action');
    await press('Enter');
    await page.getByRole('heading', { name: 'Skipped' }).waitFor();
  });

  it('finds a repeat, with the event that it repeats, and a token that was wrong', async () => {
    const ask = async (token: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      };
      const request = { method: 'POST', headers, body: JSON.stringify({ text: 'Only once' }) };
      return (await fetch(`${world.service.url}/hooks/wake`, request)).json();
    };
    const { eventId } = (await ask(HOOK_TOKEN)) as { eventId: string };
    await ask(HOOK_TOKEN);
    await ask('not-the-token-of-this-hook');
    await operator.open();
    await operator.hasLoaded();
    await press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type('repeated');
    await press('Enter');
    await page.waitForURL(/show=refused/);
    expect(await down(/401 *unauthorized/)).toContain('wake');
    await press('k', 'k', 'k', 'k');
    expect(await down(/repeat/)).toContain(eventId);
    expect(operator.complaints).toEqual([]);
  });

  it('shows its keys, and goes to a view by typing', async () => {
    await operator.open();
    await operator.hasLoaded();
    await press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('search events').waitFor();
    expect(await operator.violations()).toEqual([]);
    await press('Escape');
    await keys.waitFor({ state: 'detached' });
    await press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    expect(await operator.violations()).toEqual([]);
    await page.keyboard.type('tok');
    await press('Enter');
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor();
  });

  it('says that an address is none, instead of showing another view under it', async () => {
    await operator.open('/whatever');
    await page.getByRole('heading', { name: 'No such view' }).waitFor();
    expect(await operator.violations()).toEqual([]);
  });
});
