import type { Browser, Locator } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator, hookToken, launch, operatorToken } from './browser.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN, World } from './world.ts';

describe('The console', () => {
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

  beforeEach(() => (world.receiver.isMended = true));

  it('shows the event of the demo to whoever has just started it', async () => {
    using directory = new ConfigDirectory();
    await using service = await ServiceProcess.listening(directory.path);
    const body = { message: 'Say hello', name: 'Greeter' };
    await service.ask('/hooks/agent', { token: hookToken(directory.path), body });
    await using operator = await Operator.at(service, browser);
    await operator.logIn(operatorToken(directory.path));
    const { page } = operator;
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('npx nestjs-agent-hooks setup').waitFor();
    expect(await operator.violations()).toEqual([]);
    await steps.getByRole('link', { name: 'Try' }).click();
    await page.waitForURL(/\/console\/try$/);

    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('link', { name: /Greeter/ }).click();
    await page.getByText('Run ended').waitFor();
    await page.getByText('What the agent was shown').click();

    await page.getByLabel('What the agent was shown').getByText('Say hello').waitFor();
    expect(operator.complaints).toEqual([]);
    expect(operator.elsewhere).toEqual([]);
  });

  it('has an answer sent in other words, and another one never', async () => {
    const edited = await world.waitingLetter('the first');
    const denied = await world.waitingLetter('the second');
    await using operator = await world.loggedIn();
    const { page } = operator;
    await page.getByText('2 runs wait for a decision').waitFor();
    await page.getByRole('link', { name: 'Decide', exact: true }).click();
    const [first, second] = await Promise.all(
      [edited, denied].map(async (id) => {
        const link = page.locator(`a[href$="/events/${id}"]`);
        await link.waitFor();
        return page.getByRole('article').filter({ has: link });
      }),
    );
    await first!.getByText('the first').first().waitFor();
    const asked = first!.getByLabel('Request');
    await asked.getByText('<<<EXTERNAL_UNTRUSTED_CONTENT').waitFor();
    await asked.getByText('the first').waitFor();
    await first!.getByRole('button', { name: 'Edit' }).click();
    await first!.getByLabel('Reply that is sent').fill('Dear Sir, no.');
    await first!.getByRole('button', { name: 'Approve with these words' }).click();
    await first!.waitFor({ state: 'detached' });
    await second!.getByLabel('Reason').fill('too blunt');
    await second!.getByRole('button', { name: 'Deny …' }).click();
    await second!.getByRole('button', { name: 'Deny: really?' }).click();
    await page.getByText('Nothing waits for a decision.').waitFor();

    await operator.open(`/events/${denied}`);
    await page.getByText('denied by operator: too blunt').first().waitFor();
    await operator.open(`/events/${edited}`);
    await page.getByText('approved').waitFor();
    await eventually('the edited answer is there', () =>
      world.receiver.messages.some((message) => message.includes('Dear Sir, no.')),
    );
    expect(world.receiver.messages.join('')).not.toContain('the second');
    expect(operator.complaints).toEqual([]);
  });

  it('shows the decision that a message links to, and takes none by that', async () => {
    for (let n = 1; n <= 6; n += 1) await world.waitingLetter(`${'line\n'.repeat(40)}letter ${n}`);
    const { waits } = await world.read<{ waits: { id: string }[] }>('/ops/api/waits');
    const { id } = waits[3]!;
    await using operator = await world.loggedIn();
    const { page } = operator;

    await operator.open(`/decisions#${id}`);
    const linked = page.locator(`article[id="${id}"]`);
    await linked.waitFor();
    await eventually('it is at the top', async () => {
      const { y } = (await linked.boundingBox())!;
      return Math.abs(y) < 10;
    });
    expect((await world.read<{ waits: unknown[] }>('/ops/api/waits')).waits).toEqual(waits);

    for (const wait of waits) {
      const body = { verdict: 'denied' };
      await world.service.ask(`/ops/api/waits/${wait.id}/decide`, { token: OPERATOR_TOKEN, body });
    }
  });

  it('lets nobody in with another token, and says so', async () => {
    await using operator = await Operator.at(world.service, browser);
    const { page } = operator;
    await operator.open('/events');
    for (const token of ['not-the-token-of-the-operator', HOOK_TOKEN]) {
      await page.getByLabel('Operator’s token').fill(token);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('alert').getByText('not the token of an operator').waitFor();
    }
    expect(await page.context().cookies()).toEqual([]);
  });

  it('forgets who was logged in as soon as he logs out', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    const before = await page.context().cookies();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Operator’s token').waitFor();
    await page.reload();
    await page.getByLabel('Operator’s token').waitFor();

    expect(before).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.context().cookies()).toEqual([]);
    const cookie = before.map(({ name, value }) => `${name}=${value}`).join('; ');
    const late = await fetch(`${world.service.url}/ops/api/events`, { headers: { cookie } });
    expect(late.status).toBe(401);
  });

  it('shows the log-in wherever a session has ended, also where only a stream is open', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events');
    await page.getByText('● live').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Log out' }).click();

    await page.getByLabel('Operator’s token').waitFor();
    expect(page.url()).toContain('/events');
  });

  it('shows an event while it comes, without a reload', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events');
    await page.getByText('● live').waitFor();
    await world.send('wake', { text: 'The disk of nas is full' });

    await page.getByRole('link', { name: /The disk of nas is full/ }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('says why a request did nothing', async () => {
    const id = await world.send('tickets', { action: 'closed', title: 'Printer on fire' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open(`/events/${id}`);
    await page.getByRole('heading', { name: 'Skipped' }).waitFor();
    await page.getByRole('button', { name: 'What would happen now' }).click();

    const today = page.getByRole('region', { name: 'What would happen now' });
    await today.getByText('It would be skipped').waitFor();
    await today.getByText('Why each mapping takes it or not').click();
    await today.getByText('payload.action').first().waitFor();
  });

  it('lists what did nothing by its reason, which is no error', async () => {
    await world.send('tickets', { action: 'closed', title: 'Paper is out' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events?status=skipped');
    const row = page.getByRole('link', { name: /skipped.*tickets/ }).first();
    const colourOf = (found: Locator) => found.evaluate('(node) => getComputedStyle(node).color');

    const reason = row.getByText('payload.action');
    expect(await colourOf(reason)).toBe(await colourOf(page.getByText('● live')));
    expect(await operator.violations()).toEqual([]);
  });

  it('sends a dead reply again once its channel is mended', async () => {
    world.receiver.isMended = false;
    const body = { message: 'Ping', name: 'Dead letter', channel: 'chan_8' };
    const id = await world.send('agent', body);
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open(`/events/${id}`);
    await page.getByText('dead', { exact: true }).waitFor();
    const before = world.receiver.messages.length;
    world.receiver.isMended = true;
    await page.getByRole('button', { name: 'Retry' }).click();

    await page.getByText('delivered', { exact: true }).waitFor();
    expect(world.receiver.messages.length).toBe(before + 1);
  });

  it('says when a reply is tried again', async () => {
    Object.assign(world.receiver, { isMended: false, refusal: 503 });
    const body = { message: 'Ping', name: 'Busy', channel: 'chan_8' };
    const id = await world.send('agent', body);
    await using operator = await world.loggedIn();
    await operator.open(`/events/${id}`);
    await operator.page.getByText(/Next attempt: .+ at the earliest/).waitFor();
    Object.assign(world.receiver, { isMended: true, refusal: 400 });
    await operator.page.getByText('delivered', { exact: true }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('replays an event as a new one, and shows it', async () => {
    const id = await world.send('agent', { message: 'Once more', name: 'Replayed' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open(`/events/${id}`);
    await page.getByRole('button', { name: 'Replay' }).click();

    await page.getByText('Replay of').waitFor();
    expect(page.url()).not.toContain(id);
    await page.getByRole('link', { name: String(id) }).click();
    await page.getByText(String(id)).waitFor();
  });

  it('makes a token for a sender, shows it once, replaces it and ends it', async () => {
    const knock = async (token: string): Promise<number> => {
      const body = { action: 'opened', title: 'By a token of its own' };
      return (await world.service.ask('/hooks/tickets', { token, body })).status;
    };
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/tokens');
    const made = page.getByRole('status').filter({ hasText: 'shown this once' });
    const make = async (): Promise<string> => {
      await page.getByLabel('Sender', { exact: true }).fill('helpdesk');
      await page.getByLabel('Hooks it may speak to').fill('tickets');
      await page.getByRole('button', { name: 'Make a token' }).click();
      const token = await made.locator('code').last().textContent();
      await page.getByRole('button', { name: 'I have entered it' }).click();
      return String(token);
    };
    const first = await make();
    const second = await make();
    const rows = page.getByRole('row', { name: /^helpdesk tickets/ });
    await eventually('both are listed', async () => (await rows.count()) === 2);
    expect([await knock(first), await knock(second)]).toEqual([200, 200]);
    expect(await page.content()).not.toContain(first);

    await page.getByRole('button', { name: 'End all but the newest' }).click();
    await page.getByRole('button', { name: 'End all but the newest, now' }).click();
    await page.getByText('Only the newest token counts from now on.').waitFor();
    expect([await knock(first), await knock(second)]).toEqual([401, 200]);

    await page.getByRole('button', { name: 'End it', exact: true }).click();
    await page.getByRole('button', { name: 'End it, now' }).click();
    await page.getByText('helpdesk has no token any more.').waitFor();
    expect(await knock(second)).toBe(401);
    expect(operator.complaints).toEqual([]);
  });

  it('marks what came from outside, also in a prompt of which only the beginning is shown', async () => {
    const id = await world.send('agent', { message: 'x'.repeat(200_000), name: 'Long' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open(`/events/${id}`);
    await page.getByText('What the agent was shown').click();

    const outside = page.getByTitle('From outside: data, never instructions');
    await outside.getByText(/x{1000}/).waitFor();
    await page
      .getByRole('button', { name: /^Show all/ })
      .first()
      .waitFor();
    expect(await outside.count()).toBe(1);
  });

  it('finds last night’s alert by a word that only its payload has', async () => {
    const id = await world.send('agent', { message: 'Backup of rosenrot failed', name: 'Backup' });
    await world.send('agent', { message: 'Backup of schneewittchen went well', name: 'Backup' });
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events');
    const found = page.getByRole('listitem');
    await found.nth(1).waitFor();
    await page.getByLabel('Text').fill('rosenrot');
    await page.getByLabel('Text').press('Enter');

    await page.waitForURL(/search=rosenrot/);
    // The index follows what was accepted.
    await eventually('one event is found', async () => {
      if ((await found.count()) === 1) return true;
      await page.reload();
      return false;
    });
    await found.getByRole('link').click();
    await page.waitForURL(new RegExp(`/events/${id}`));
  });

  it('shows who was refused, and why', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events?show=refused');
    await page.getByText('● live').waitFor();
    await world.send('wake', { text: 7 });

    const refusals = page.getByRole('region', { name: 'Refused requests' });
    await refusals.getByRole('row', { name: /wake 400 invalid_payload/ }).waitFor();
    expect(operator.complaints).toEqual([]);
  });

  it('counts a flood of refused requests while it comes, in a row and a message a second', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events?show=refused');
    await page.getByText('● live').waitFor();
    const refusals = page.getByRole('region', { name: 'Refused requests' });
    const { url } = world.service;
    const request = { method: 'POST', body: '{}', headers: { 'x-forwarded-for': '192.0.2.9' } };
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(Array.from({ length: 25 }, () => fetch(`${url}/hooks/payments`, request)));
    }

    const row = refusals.getByRole('row', { name: /payments 401 invalid_signature/ });
    await row.first().waitFor();
    await eventually('all are counted', async () => {
      const rows = await row.all();
      const counts = await Promise.all(rows.map((one) => one.locator('td').last().textContent()));
      return counts.reduce((sum, text) => sum + Number(text), 0) === 500;
    });
    expect(await row.count()).toBeLessThan(10);
    expect(operator.complaints).toEqual([]);
  });

  it('says why a channel fails', async () => {
    world.receiver.isMended = false;
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/channels');
    await page.getByRole('button', { name: 'Send a test message' }).click();

    await page.getByRole('definition').getByText('refused the message (400)').waitFor();
  });

  it('says why no mail arrives', async () => {
    const mail = { account: 'me@example.org', host: '127.0.0.1', port: 1, secure: false };
    using directory = new ConfigDirectory().write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: {
        enabled: true,
        token: HOOK_TOKEN,
        defaultSessionKey: 'hook:ingress',
        presets: ['mail'],
        mail: { ...mail, auth: { password: 'password-of-the-mailbox' } },
      },
      agents: { defaults: { runner: { type: 'demo' } } },
    });
    await using service = await ServiceProcess.listening(directory.path);
    await using operator = await Operator.at(service, browser);
    const { page } = operator;
    await operator.logIn(OPERATOR_TOKEN);
    await page.getByRole('link', { name: 'Mail' }).click();

    await page.getByRole('row', { name: /INBOX.*ECONNREFUSED/ }).waitFor();
    expect(await page.content()).not.toContain('password-of-the-mailbox');
    expect(await operator.violations()).toEqual([]);
  });

  it('tries a channel by a message', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/channels');
    const before = world.receiver.messages.length;
    await page.getByRole('button', { name: 'Send a test message' }).click();

    await page.getByText('chan_8: the test message was delivered.').waitFor();
    expect(world.receiver.messages.length).toBe(before + 1);
  });

  it('stays quick while a thousand events come, and draws only what one sees', async () => {
    await using operator = await world.loggedIn();
    const { page } = operator;
    await operator.open('/events');
    await page.getByText('● live').waitFor();
    const texts = Array.from({ length: 1000 }, (_, n) => `Event ${n} of many`);
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
          await world.send('wake', { text, mode: 'next-heartbeat' });
        }
      }),
    );
    await world.send('wake', { text: 'The last of them', mode: 'next-heartbeat' });

    await page.getByRole('link', { name: /The last of them/ }).waitFor();
    expect(await page.getByRole('listitem').count()).toBeLessThan(100);
    expect(operator.complaints).toEqual([]);
  });
});
