import type { Browser } from 'playwright-core';
import { Operator, launch } from '../console/browser.ts';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { PostgresSuite } from './suite.ts';

const TOKEN = 'operator-token-of-good-length';

describe('The console of several services', () => {
  const suite = PostgresSuite.inThisFile();

  it('lists them as soon as there are two', async () => {
    await using database = await suite.server.database();
    using directory = new ConfigDirectory();
    directory.write('gateway.json5', {
      gateway: { auth: { token: TOKEN } },
      hooks: { enabled: true, token: 'hook-token-of-good-length', defaultSessionKey: 'hook:x' },
      agents: { defaults: { runner: { type: 'demo' } } },
      store: { postgres: { url: database.url } },
    });
    await using one = await ServiceProcess.listening(directory.path);
    await using browser: Browser = await launch();
    await using operator = await Operator.at(one, browser);
    const { page } = operator;
    await operator.logIn(TOKEN);
    await page.getByRole('img', { name: /^Requests/ }).waitFor();
    expect(await page.getByRole('heading', { name: 'Services' }).count()).toBe(0);

    await using other = await ServiceProcess.listening(directory.path);
    const rowOf = ({ pid }: ServiceProcess) =>
      page.getByRole('row').filter({ hasText: new RegExp(`\\b${pid}\\b`) });
    await rowOf(other).waitFor();
    await rowOf(one).getByText('answers you').waitFor();
    expect(await operator.violations()).toEqual([]);
    expect(operator.complaints).toEqual([]);
  });
});
