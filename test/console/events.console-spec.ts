import type { Browser, Page } from 'playwright-core';
import { OpenAiServer } from '../support/openai-server.ts';
import { launch } from './browser.ts';
import type { Operator } from './browser.ts';
import { World } from './world.ts';

const REPLY = [
  '# Review of the release',
  '- **two** findings',
  '- `npm ci` fails',
  '',
  'See [the log](javascript:globalThis.owned=true) <img src=x onerror="globalThis.owned=true">',
].join('\n');

describe('The events of the console', () => {
  let browser: Browser;
  let world: World;
  let operator: Operator;
  let page: Page;
  const model = new OpenAiServer();

  beforeAll(async () => {
    model.reply = REPLY;
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
    world.receiver.isMended = true;
    operator = await world.loggedIn();
    ({ page } = operator);
  });

  afterEach(() => operator[Symbol.asyncDispose]());

  const selection = () => page.getByRole('region', { name: 'Selection' });

  it('retries those that were selected, tells how far it is, and which could not be', async () => {
    world.receiver.isMended = false;
    for (const name of ['First', 'Second']) {
      await world.send('agent', { message: 'Ping', name, channel: 'chan_8' });
    }
    await operator.open('/events?hook=agent');
    await page.getByRole('link', { name: /failed.*Second/ }).waitFor();
    await page.getByRole('link', { name: /failed.*First/ }).waitFor();
    await page.getByRole('checkbox').first().check();
    await selection().getByRole('button', { name: 'Select all 2 shown' }).click();
    await selection().getByText('2 selected').waitFor();
    expect(await operator.violations()).toEqual([]);
    world.receiver.isMended = true;
    const before = world.receiver.messages.length;
    await selection().getByRole('button', { name: 'Retry' }).click();
    await selection().getByText('Retry: 2 of 2 done').waitFor();
    await page.getByRole('link', { name: /done.*Second/ }).waitFor();
    await page.getByRole('link', { name: /done.*First/ }).waitFor();
    expect(world.receiver.messages.length).toBe(before + 2);

    await page.getByRole('checkbox').first().check();
    await selection().getByRole('button', { name: 'Dismiss' }).click();
    await selection()
      .getByText(/^Dismiss: 0 of 1 done; 1 not: /)
      .waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('forgets those that were selected only when it was said twice', async () => {
    await world.send('tickets', { action: 'closed', title: 'Forget me' });
    await operator.open('/events?hook=tickets&status=skipped');
    await page.getByRole('checkbox').first().check();
    await selection().getByRole('button', { name: 'Forget …' }).click();
    await selection().getByRole('button', { name: 'Forget: really?' }).click();
    await selection().getByText('Forget: 1 of 1 done').waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('narrows the list by a click, says how many there are, and keeps the view in the browser', async () => {
    await world.send('wake', { text: 'The disk is full', mode: 'next-heartbeat' });
    await operator.open('/events');
    const facets = page.getByRole('group', { name: 'Of the last 24 hours' });
    await facets.getByRole('button', { name: /^wake 1$/ }).click();
    await page.waitForURL(/events\?hook=wake/);
    await page.getByRole('button', { name: 'Save this view' }).click();
    await operator.open('/events');
    const views = page.getByRole('group', { name: 'Saved views' });
    await views.getByRole('link', { name: 'wake' }).click();
    await page.waitForURL(/events\?hook=wake/);
    await views.getByRole('button', { name: 'Remove the view wake' }).click();
    await views.getByRole('link').waitFor({ state: 'detached' });
    expect(operator.complaints).toEqual([]);
  });

  it('tells waiting from work, and shows a reply as text of which nothing runs', async () => {
    const id = await world.send('review', { what: 'it' });
    await operator.open(`/events/${id}`);
    const reply = page.locator('.reply');
    await reply.getByRole('heading', { name: 'Review of the release' }).waitFor();
    await reply.getByRole('strong').getByText('two').waitFor();
    await reply.getByText('(javascript:globalThis.owned=true)').waitFor();
    expect(await reply.locator('a, img').count()).toBe(0);
    expect(await page.evaluate(() => Reflect.has(globalThis, 'owned'))).toBe(false);
    await page.getByRole('img', { name: /^Run of asker: .* work$/ }).waitFor();
    expect(await operator.violations()).toEqual([]);
    await reply.getByRole('button', { name: 'Show the source' }).click();
    await reply.getByText('**two** findings').waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('says that the service is away, keeps what was typed, and goes on once it is back', async () => {
    await operator.open('/try');
    await page.getByLabel('Hook', { exact: true }).fill('tickets');
    const away = page.getByRole('alert').filter({ hasText: 'The service does not answer' });
    await page.context().setOffline(true);
    await page.getByLabel('Headers').fill('x-a: b');
    await away.waitFor();
    expect(await operator.violations()).toEqual([]);
    await page.context().setOffline(false);
    await away.getByRole('button', { name: 'Try now' }).click();
    await away.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Hook', { exact: true }).inputValue()).toBe('tickets');
  });

  it('counts the outcomes of each hook, each of which leads to its events', async () => {
    await world.send('tickets', { action: 'closed', title: 'No' });
    await world.send('wake', { text: 7 });
    await operator.open('/hooks');
    const row = page.getByRole('row', { name: /^tickets/ });
    await row.getByRole('link', { name: /^\d+$/ }).click();
    await page.waitForURL(/events\?status=skipped&hook=tickets/);
    expect(operator.complaints).toEqual([]);
  });
});
