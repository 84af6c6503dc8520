import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { DESK, Operator, PHONE, WALL, hookToken, launch, operatorToken } from './browser.ts';

/**
 * What holds for every view, whatever it shows: axe finds nothing, the page is never wider than the window, nothing is
 * asked of another host, and what strangers wrote stays text.
 */
describe('Every view of the console', () => {
  const directory = new ConfigDirectory();
  let browser: Browser;
  let service: ServiceProcess;
  let views: readonly string[];

  beforeAll(async () => {
    service = await ServiceProcess.listening(directory.path);
    browser = await launch();
    const events = await fill();
    await using operator = await Operator.at(service, browser);
    await operator.logIn(operatorToken(directory.path));
    const links = await operator.page.getByRole('navigation').getByRole('link').all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    views = [
      ...addresses.map((address) => address!.replace('/console', '')),
      ...events.map((id) => `/events/${id}`),
      `/sessions?key=${encodeURIComponent('agent:main:main')}`,
    ];
  });

  afterAll(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  /** What a stranger may send who wants something to run, to hide, or to break. */
  const HOSTILE = [
    '<script>globalThis.owned = true</script><img src=x onerror="globalThis.owned = true">',
    '\u202Egnp.exe\u2066 \u200Bhidden\u200B \u{E0041}\u{E0042} \u0007\u001B[31mred',
    '[click](javascript:globalThis.owned=true) {{constructor.constructor("globalThis.owned=true")()}}',
    'x'.repeat(200_000),
    'line\n'.repeat(100_000),
  ];

  async function fill(): Promise<string[]> {
    const headers = {
      authorization: `Bearer ${hookToken(directory.path)}`,
      'content-type': 'application/json',
    };
    const ids: string[] = [];
    for (const message of HOSTILE) {
      const body = JSON.stringify({ message, name: message.slice(0, 200) });
      const sent = await fetch(`${service.url}/hooks/agent`, { method: 'POST', headers, body });
      const { eventId } = (await sent.json()) as { eventId: string };
      ids.push(eventId);
    }
    const body = JSON.stringify({ text: HOSTILE[0] });
    await fetch(`${service.url}/hooks/wake`, { method: 'POST', headers, body });
    await fetch(`${service.url}/hooks/%3Cscript%3E`, { method: 'POST', headers, body: '{}' });
    await fetch(`${service.url}/hooks/wake`, { method: 'POST', body: '{}' });
    return ids;
  }

  /** Opens every view and waits until it has shown what it loads. */
  async function walk(operator: Operator, look: (view: string) => Promise<void>): Promise<void> {
    await operator.logIn(operatorToken(directory.path));
    for (const view of views) {
      await operator.open(view);
      await operator.page.getByRole('heading', { level: 1 }).waitFor();
      await eventually(`${view} has loaded`, async () => {
        return (await operator.page.getByText('Loading …').count()) === 0;
      });
      await look(view);
    }
  }

  it.each([
    ['light', 'light'],
    ['dark', 'dark'],
  ] as const)('has nothing that axe finds, in %s', async (_name, colorScheme) => {
    await using operator = await Operator.at(service, browser, { colorScheme });
    const found: string[] = [];
    await walk(operator, async (view) => {
      found.push(...(await operator.violations()).map((violation) => `${view} ${violation}`));
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['phone', PHONE],
    ['desk', DESK],
    ['wall', WALL],
  ] as const)('fits on a %s', async (_name, viewport) => {
    await using operator = await Operator.at(service, browser, { viewport });
    const wider: string[] = [];
    await walk(operator, async (view) => {
      if ((await operator.overflow()) > 0) wider.push(view);
    });
    expect(wider).toEqual([]);
  });

  it('runs nothing that strangers wrote, asks nobody else, and has nothing to complain of', async () => {
    await using operator = await Operator.at(service, browser);
    await walk(operator, async () => {
      for (const folded of await operator.page.locator('summary').all()) await folded.click();
    });
    const isOwned = await operator.page.evaluate(() => Reflect.has(globalThis, 'owned'));

    expect({ isOwned, elsewhere: operator.elsewhere, complaints: operator.complaints }).toEqual({
      isOwned: false,
      elsewhere: [],
      complaints: [],
    });
  });
});
