import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator, hookToken, launch, operatorToken } from './browser.ts';

/** What sessions remember, and what waits in them. */
describe('The view Sessions of the console', () => {
  const directory = new ConfigDirectory();
  let browser: Browser;
  let service: ServiceProcess;
  let operator: Operator;

  beforeAll(async () => {
    service = await ServiceProcess.listening(directory.path);
    browser = await launch();
  });
  beforeEach(async () => {
    operator = await Operator.at(service, browser);
    await operator.logIn(operatorToken(directory.path));
  });
  afterEach(() => operator[Symbol.asyncDispose]());
  afterAll(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  async function send(hook: string, body: object): Promise<void> {
    const token = hookToken(directory.path);
    expect((await service.ask(`/hooks/${hook}`, { token, body })).status).toBe(200);
  }

  it('shows all that wait, page by page', async () => {
    const { page } = operator;
    const count = 250;
    for (let n = 1; n <= count; n += 1) {
      await send('wake', { text: `line ${n}.`, mode: 'next-heartbeat' });
    }
    await operator.open('/sessions');
    await page.getByRole('link', { name: 'agent:main:main' }).click();
    await page.getByText('line 1.', { exact: true }).waitFor();
    const more = page.getByRole('button', { name: 'Load more of what waits' });
    while (await more.isVisible()) {
      const shown = await page.getByText(/^line \d+\.$/).count();
      await more.click();
      await page
        .getByText(/^line \d+\.$/)
        .nth(shown)
        .waitFor();
    }
    expect(await page.getByText(/^line \d+\.$/).allTextContents()).toEqual(
      Array.from({ length: count }, (_, n) => `line ${n + 1}.`),
    );
    expect(await page.getByText(/· untrusted$/).count()).toBe(count);
    expect(operator.complaints).toEqual([]);
  });

  it('lets a session begin anew', async () => {
    const { page } = operator;
    await send('agent', { message: 'Remember the milk', name: 'Shopping' });
    await operator.open('/sessions');
    await page
      .getByRole('link', { name: /^agent:main:hook/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Clear the transcript …' }).click();
    await page.getByRole('button', { name: 'Clear the transcript: really?' }).click();
    await page.getByText('The transcript is forgotten').waitFor();
    await page.getByText('No turn yet.').waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
