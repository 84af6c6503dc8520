import { ConsoleSuite, hookToken } from './browser.ts';

describe('The view Sessions of the console', () => {
  const suite = ConsoleSuite.inThisFile();

  async function send(hook: string, body: object): Promise<void> {
    const token = hookToken(suite.directory.path);
    expect((await suite.service.ask(`/hooks/${hook}`, { token, body })).status).toBe(200);
  }

  it('shows all that wait, page by page', async () => {
    const { page } = suite.operator;
    const count = 250;
    for (let n = 1; n <= count; n += 1) {
      await send('wake', { text: `line ${n}.`, mode: 'next-heartbeat' });
    }
    await suite.operator.open('/sessions');
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
    expect(suite.operator.complaints).toEqual([]);
  });

  it('lets a session begin anew', async () => {
    const { page } = suite.operator;
    await send('agent', { message: 'Remember the milk', name: 'Shopping' });
    await suite.operator.open('/sessions');
    await page
      .getByRole('link', { name: /^agent:main:hook/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Clear the transcript …' }).click();
    await page.getByRole('button', { name: 'Clear the transcript: really?' }).click();
    await page.getByText('The transcript is forgotten').waitFor();
    await page.getByText('No turn yet.').waitFor();
    expect(suite.operator.complaints).toEqual([]);
  });

  it('forgets an event, once one is sure', async () => {
    const { page } = suite.operator;
    await send('wake', { text: 'Erika Mustermann called', mode: 'next-heartbeat' });
    await suite.operator.open('/events');
    await page.getByRole('link', { name: /Mustermann/ }).click();
    await page.getByRole('button', { name: 'Forget …' }).click();
    await page.getByRole('button', { name: 'Forget: really?' }).click();
    await page.getByText(/^An operator had this event forgotten/).waitFor();
    expect(await page.getByText(/Mustermann/).count()).toBe(0);
    expect(suite.operator.complaints).toEqual([]);
  });
});
