import type { Browser } from 'playwright-core';
import { atLast } from '../support/eventually.ts';
import { COLOURS, DESK, Operator, PHONE, WALL, launch } from './browser.ts';
import { OPERATOR_TOKEN, World } from './world.ts';

const HIDING = '\u202Egnp.exe\u2066 \u200Bhidden\u200B \u{E0041}\u{E0042} \u0007\u001B[31mred';
const HOSTILE = [
  '<script>globalThis.owned = true</script><img src=x onerror="globalThis.owned = true">',
  HIDING,
  '[click](javascript:globalThis.owned=true) {{constructor.constructor("globalThis.owned=true")()}}',
  'x'.repeat(1_000_000),
  'line\n'.repeat(20_000),
  '\u202E'.repeat(200),
];

describe('Every view of the console', () => {
  let browser: Browser;
  let world: World;
  let views: readonly string[];

  beforeAll(async () => {
    browser = await launch();
    world = await World.begin(browser);
    const events = await fill();
    await using operator = await world.loggedIn();
    const links = await operator.page.getByRole('navigation').getByRole('link').all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
    views = [
      ...addresses.map((address) => address!.replace('/console', '')),
      ...events.map((id) => `/events/${id}`),
      '/events?search=hidden',
      '/events?show=refused',
      ...events.slice(-2).map((id) => `/try?event=${id}`),
      `/sessions?key=${encodeURIComponent('agent:main:main')}`,
    ];
  });

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await browser.close();
  });

  async function fill(): Promise<string[]> {
    const asked = HOSTILE.map((message) => {
      const name = message.slice(0, 200);
      return ['agent', { message, name, to: name, agentId: name, channel: 'chan_8' }] as const;
    });
    const accepted = [
      ...asked,
      ['wake', { text: HOSTILE[0], mode: 'next-heartbeat' }],
      ['wake', { text: HIDING, mode: 'next-heartbeat' }],
      ['tickets', { action: 'opened', title: HIDING, [HIDING]: HIDING }],
      ['tickets', { action: HIDING, title: HIDING }],
      ...HOSTILE.slice(0, 3).map((letter) => ['letters', { letter }] as const),
    ] as const;
    const ids: string[] = [];
    for (const [hook, payload] of accepted) {
      const id = await world.send(hook, payload);
      if (id === null) throw new Error(`${hook} was refused`);
      ids.push(id);
    }
    await atLast('all of it has ended', async () => {
      const token = OPERATOR_TOKEN;
      const { body } = await world.service.ask('/ops/api/events', { token });
      return (body['events'] as { status: string }[]).every(({ status }) =>
        ['done', 'failed', 'skipped', 'waiting'].includes(status),
      );
    });
    for (const hook of ['%3Cscript%3E', encodeURIComponent(HIDING), 'wake', 'payments']) {
      if ((await world.send(hook, {})) !== null) throw new Error(`${hook} was accepted`);
    }
    return ids;
  }

  const found = {
    light: [] as string[],
    dark: [] as string[],
    widerThanPhone: [] as string[],
    widerThanDesk: [] as string[],
    widerThanWall: [] as string[],
    missed: [] as string[],
    unmarked: [] as string[],
    hidden: [] as string[],
    ran: [] as string[],
    shownByCode: 0,
  };
  let walkers: readonly Operator[];

  async function walk(
    operator: Operator,
    unseen: Iterator<string>,
    look: (operator: Operator, view: string) => Promise<void>,
  ): Promise<void> {
    await operator.logIn(OPERATOR_TOKEN);
    for (let next = unseen.next(); next.done !== true; next = unseen.next()) {
      await operator.open(next.value);
      await operator.hasLoaded();
      await operator.unfold();
      await look(operator, next.value);
    }
  }

  /** To load a view takes longer than to look at it: each is loaded once, and all is asked of it. */
  async function lookAt(operator: Operator, view: string): Promise<void> {
    const { page } = operator;
    const on = (lines: readonly string[]): string[] => lines.map((line) => `${view} ${line}`);
    found.light.push(...on(await operator.violations()));
    await page.emulateMedia({ colorScheme: 'dark' });
    found.dark.push(...on(await operator.violations(COLOURS)));
    await page.emulateMedia({ colorScheme: 'light' });
    found.missed.push(...on(await operator.missedByKeyboard()));
    await operator.showAll();
    if ((await operator.overflow()) > 0) found.widerThanDesk.push(view);
    if (await page.evaluate(() => Reflect.has(globalThis, 'owned'))) found.ran.push(view);
    found.hidden.push(...on(await operator.hiddenTexts()));
    found.shownByCode += await page.locator('mark.hidden').count();
    await page.setViewportSize(WALL);
    if ((await operator.overflow()) > 0) found.widerThanWall.push(view);
    await page.setViewportSize(DESK);
  }

  async function lookAtOnPhone(operator: Operator, view: string): Promise<void> {
    const here = operator.page.getByRole('navigation').locator('[aria-current]');
    const { x, width } = (await here.boundingBox())!;
    if (x < 0 || x + width > PHONE.width) found.unmarked.push(view);
    await operator.showAll();
    if ((await operator.overflow()) > 0) found.widerThanPhone.push(view);
  }

  beforeAll(async () => {
    const at = (options = {}) => Operator.at(world.service, browser, options);
    walkers = [await at(), await at()];
    await using phone = await at({ viewport: PHONE });
    const unseen = views.values();
    await Promise.all([
      ...walkers.map((one) => walk(one, unseen, lookAt)),
      walk(phone, views.values(), lookAtOnPhone),
    ]);
  });
  afterAll(() => Promise.all(walkers.map((one) => one[Symbol.asyncDispose]())));

  it.each(['light', 'dark'] as const)('has nothing that axe finds, in %s', (name) => {
    expect(found[name]).toEqual([]);
  });

  it.each(['Phone', 'Desk', 'Wall'] as const)('is never wider than a %s', (name) => {
    expect(found[`widerThan${name}`]).toEqual([]);
  });

  it('has the filters of events in one row on a desk, and lists as wide as a wall', async () => {
    await using operator = await Operator.at(world.service, browser, { viewport: DESK });
    await operator.logIn(OPERATOR_TOKEN);
    await operator.open('/events');
    await operator.hasLoaded();
    const { page } = operator;
    const fields = await page.getByRole('search').locator('input, select').all();
    const boxes = await Promise.all(fields.map((field) => field.boundingBox()));
    const bottoms = boxes.map((box) => Math.round(box!.y + box!.height));
    expect({ fields: fields.length, rows: new Set(bottoms).size }).toEqual({ fields: 6, rows: 1 });

    await page.setViewportSize(WALL);
    const list = (await page
      .getByRole('region', { name: /^Events/ })
      .getByRole('list')
      .boundingBox())!;
    expect(list.x + list.width).toBeGreaterThan(WALL.width - 60);
  });

  it('is gone through by the keyboard alone, and shows where one is', () => {
    expect(found.missed).toEqual([]);
  });

  it('is marked on a phone among those that one can go to', () => {
    expect(found.unmarked).toEqual([]);
  });

  it('runs nothing that strangers wrote, asks nobody else, and has nothing to complain of', () => {
    expect(found.ran).toEqual([]);
    for (const { elsewhere, complaints } of walkers) {
      expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    }
  });

  it('shows each character that one would not see by its code', () => {
    expect(found.hidden).toEqual([]);
    expect(found.shownByCode).toBeGreaterThan(100);
  });
});
