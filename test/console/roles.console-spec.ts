import type { Browser } from 'playwright-core';
import { launch } from './browser.ts';
import type { Operator } from './browser.ts';
import { READING_TOKEN, World } from './world.ts';

describe('Roles in the console', () => {
  let browser: Browser;
  let world: World;
  let story: string;

  beforeAll(async () => {
    browser = await launch();
    world = await World.begin(browser);
    await world.waitingLetter('Hello');
    story = `/events/${String(await world.send('agent', { message: 'Hello', deliver: false }))}`;
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await browser.close();
  });

  async function buttonsOn(operator: Operator, path: string): Promise<readonly string[]> {
    await operator.open(path);
    await operator.hasLoaded();
    return operator.page.getByRole('main').getByRole('button').allInnerTexts();
  }

  it.each([
    ['a story', () => story, ['Replay', 'Forget …']],
    ['Try', () => '/try', ['Send for real']],
    ['Decisions', () => '/decisions', ['Approve', 'Edit', 'Deny …']],
    ['Channels', () => '/channels', ['Send a test message']],
    ['Tokens', () => '/tokens', ['Make a token']],
  ])('who may only look sees nothing on %s that they may not do', async (_, path, buttons) => {
    await using all = await world.loggedIn();
    expect(await buttonsOn(all, path())).toEqual(expect.arrayContaining(buttons));
    await using looking = await world.loggedIn(READING_TOKEN);
    const shown = await buttonsOn(looking, path());
    expect(shown.filter((name) => buttons.includes(name.trim()))).toEqual([]);
    expect(looking.complaints).toEqual([]);
  });

  it('the bar says who one is', async () => {
    await using looking = await world.loggedIn(READING_TOKEN);
    const out = looking.page.getByRole('button', { name: 'Log out ana' });
    expect(await out.getAttribute('title')).toBe('Logged in as ana, who may read');
  });

  it('the audit tells what was done, and what was before and after', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open(story);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Sent, as a new event.').waitFor();
    await using looking = await world.loggedIn(READING_TOKEN);
    await looking.page.getByRole('link', { name: 'Audit' }).click();
    const row = looking.page.getByRole('row', { name: 'POST events/:id/replay' });
    expect(await row.innerText()).toMatch(/operator 127\.0\.0\.1[^]*done[^]*eventId/);
  });
});
