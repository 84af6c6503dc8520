import { ConsoleSuite, hookToken, operatorToken } from './browser.ts';

describe('The view Now of the console', () => {
  const suite = ConsoleSuite.inThisFile();

  it('draws what was counted, and has it as a table', async () => {
    const { page } = suite.operator;
    for (const text of ['one', 'two', 'three']) {
      await suite.service.ask('/hooks/wake', {
        token: hookToken(suite.directory.path),
        body: { text },
      });
    }
    await page.reload();
    const requests = page.getByRole('article', { name: 'Requests' });
    await requests.getByRole('img', { name: /of the last hour: 3 accepted, 0 refused/ }).waitFor();
    await requests.locator('canvas').waitFor();
    await requests.getByText('Figures').click();
    await requests.getByRole('cell', { name: '3', exact: true }).waitFor();
    expect(await suite.operator.violations()).toEqual([]);
    expect(suite.operator.complaints).toEqual([]);
  });

  it('leads to what a sender was refused, where no button mends it', async () => {
    const { page } = suite.operator;
    await suite.service.ask('/hooks/wake', {
      token: hookToken(suite.directory.path),
      body: { text: 7 },
    });
    const needs = page.getByRole('list', { name: 'What needs you' });
    const lost = needs.getByRole('listitem').filter({ hasText: 'request to wake was refused' });
    await lost.getByRole('link', { name: 'Show refused requests' }).click();
    await page.waitForURL(/events\?show=refused&hook=wake/);
    const refusals = page.getByRole('region', { name: 'Refused requests' });
    await refusals.getByRole('row', { name: /wake 400 invalid_payload/ }).waitFor();
    expect(suite.operator.complaints).toEqual([]);
  });

  it('resumes a paused service by its one button', async () => {
    const { page } = suite.operator;
    const token = operatorToken(suite.directory.path);
    await suite.service.ask('/ops/api/pause', { token, body: {} });
    await page.reload();
    const needs = page.getByRole('list', { name: 'What needs you' });
    await needs.getByText('the service is paused').waitFor();
    expect(await suite.operator.violations()).toEqual([]);
    await needs.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Resume: done.').waitFor();
    await needs.getByText('the service is paused').waitFor({ state: 'detached' });
    const { body } = await suite.service.ask('/ops/api/status', { token });
    expect(body['paused']).toBe(false);
    expect(suite.operator.complaints).toEqual([]);
  });
});
