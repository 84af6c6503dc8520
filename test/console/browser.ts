import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { PATIENCE_MS, atLast } from '../support/eventually.ts';
import { ServiceProcess } from '../support/service-process.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };
export const WALL = { width: 2560, height: 1440 };

export const COLOURS = ['color-contrast', 'link-in-text-block'];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

export class ConsoleSuite {
  readonly directory = new ConfigDirectory();
  #service: ServiceProcess | undefined;
  #operator: Operator | undefined;

  static inThisFile(): ConsoleSuite {
    const suite = new ConsoleSuite();
    let browser: Browser | undefined;
    beforeAll(async () => {
      suite.#service = await ServiceProcess.listening(suite.directory.path);
      browser = await launch();
    });
    beforeEach(async () => {
      suite.#operator = await Operator.at(suite.service, browser!);
      await suite.operator.logIn(operatorToken(suite.directory.path));
    });
    afterEach(() => suite.#operator?.[Symbol.asyncDispose]());
    afterAll(async () => {
      await browser?.close();
      await suite.#service?.[Symbol.asyncDispose]();
      suite.directory[Symbol.dispose]();
    });
    return suite;
  }

  get service(): ServiceProcess {
    if (this.#service === undefined) throw new Error('the service was not started');
    return this.#service;
  }

  get operator(): Operator {
    if (this.#operator === undefined) throw new Error('nobody is logged in');
    return this.#operator;
  }
}

/** Somebody who looks at a console. What the page complains of, and what it asked other hosts for, is kept. */
export class Operator implements AsyncDisposable {
  /** Errors of scripts, of the content policy and of the console's own log. */
  readonly complaints: string[] = [];
  readonly elsewhere: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly url: string,
  ) {
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // The browser's own line for an answer that the page handles.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() !== 'error' || isAnswer) return;
      this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('request', (request) => {
      const address = new URL(request.url());
      if (address.protocol.startsWith('http') && address.origin !== new URL(url).origin) {
        this.elsewhere.push(request.url());
      }
    });
  }

  static async at(
    service: ServiceProcess,
    browser: Browser,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Operator> {
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return new Operator(await context.newPage(), context, service.url);
  }

  async open(path = '/'): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
  }

  async logIn(token: string): Promise<void> {
    await this.open();
    await this.page.getByLabel('Operator’s token').fill(token);
    await this.page.getByRole('button', { name: 'Log in' }).click();
    await this.page.getByRole('navigation', { name: 'Views' }).waitFor();
  }

  async hasLoaded(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor();
    await atLast(`${this.page.url()} has loaded`, async () => {
      return (await this.page.getByText('Loading …').count()) === 0;
    });
  }

  async unfold(): Promise<void> {
    const today = this.page.getByRole('button', { name: 'What would happen now' });
    if ((await today.count()) > 0) await today.click();
    await this.hasLoaded();
    await this.#outcomeOfTry();
    await this.page.evaluate(
      "for (const folded of document.querySelectorAll('details')) folded.open = true",
    );
  }

  /** Try asks a moment after it is there, and shows the answer behind the mapping. */
  async #outcomeOfTry(): Promise<void> {
    const { page } = this;
    if (!new URL(page.url()).pathname.endsWith('/try')) return;
    await page.waitForLoadState('networkidle');
    await page.locator('section[aria-label="Mapping"] ~ *').first().waitFor();
  }

  async showAll(): Promise<void> {
    await this.page.evaluate(`for (const button of document.querySelectorAll('button')) {
      if (button.textContent.startsWith('Show all')) button.click();
    }`);
  }

  hiddenTexts(): Promise<string[]> {
    return this.page.evaluate(`(() => {
      const hidden = /[[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\n\\t]]/v;
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        if (hidden.test(text.data)) found.push(JSON.stringify(text.parentElement.outerHTML.slice(0, 200)));
      }
      return found;
    })()`);
  }

  /** What can be clicked or filled in and the Tab key does not come to, or without a ring around it. */
  async missedByKeyboard(): Promise<string[]> {
    const { page } = this;
    // From what comes first on every page: it is begun with, and so not come to.
    await page.evaluate(`(() => {
      globalThis.markReached = (here) => {
        const { outlineStyle, boxShadow } = getComputedStyle(here);
        // An editor has its ring in its shadow.
        const isSeen = outlineStyle !== 'none' || boxShadow !== 'none' || here.shadowRoot !== null;
        if (isSeen) here.dataset.isReached = true;
      };
      globalThis.isThrough = false;
      document.querySelector('.skip').focus();
      document.addEventListener('focusin', ({ target }) => {
        markReached(target);
        globalThis.isThrough ||= target.matches('.skip');
      });
    })()`);
    // An editor has its ring a moment after the focus.
    const atOnce = (await page.locator('.cm-editor').count()) > 0 ? 1 : 10;
    for (let isThrough = false; !isThrough;) {
      await Promise.all(Array.from({ length: atOnce }, () => page.keyboard.press('Tab')));
      // Behind the last comes the first again. A date has several stops.
      isThrough = await page.evaluate(`(() => {
        markReached(document.activeElement);
        return isThrough || document.activeElement === document.body;
      })()`);
    }
    return page.evaluate(`[...document.querySelectorAll(
      'a[href]:not(.skip), button:enabled, input:not([tabindex="-1"]), select, textarea, summary, pre, .table, .list',
    )].filter((element) => element.checkVisibility() && element.dataset.isReached !== 'true')
      .map((element) => element.outerHTML.slice(0, 200))`);
  }

  /** What axe has against the page as it is, one line each. @param rules those that are asked; absent: all */
  async violations(rules?: readonly string[]): Promise<string[]> {
    // By the debugger: a script element would be against the page's policy.
    if (await this.page.evaluate("!('axe' in globalThis)")) await this.page.evaluate(AXE);
    const violations = await this.page.evaluate(async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      // Where all that is right stands would take it longer than to find what is wrong.
      const { violations } = await axe.run({
        resultTypes: ['violations'],
        preload: false,
        ...(runOnly !== undefined && { runOnly: [...runOnly] }),
      });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
      );
    }, rules);
    return violations;
  }

  overflow(): Promise<number> {
    return this.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

export function operatorToken(directory: string): string {
  return readFileSync(join(directory, 'data/operator-token'), 'utf8').trim();
}

export function hookToken(directory: string): string {
  return readFileSync(join(directory, 'data/hook-token'), 'utf8').trim();
}
