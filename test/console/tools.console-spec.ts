import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { openaiCompatible } from '../support/protocols/index.ts';
import { ProtocolServer, REPLY } from '../support/protocol-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator, PHONE, launch } from './browser.ts';
import { HOOK_TOKEN, OPERATOR_TOKEN } from './world.ts';

const HOSTILE = '<img src=x onerror="globalThis.owned = true"> \u202Egnp.exe\u200B';

describe('The story of a run that used tools', () => {
  let browser: Browser;
  let model: ProtocolServer;
  let directory: ConfigDirectory;
  let service: ServiceProcess;
  let story: string;

  beforeAll(async () => {
    browser = await launch();
    model = await ProtocolServer.start(openaiCompatible);
    const program = `${import.meta.dirname}/../support/mcp/program.ts`;
    const tools = {
      mcp: { desk: { command: process.execPath, args: [program] } },
      untrusted: ['desk_echo', 'desk_fail'],
    };
    directory = new ConfigDirectory().write('gateway.json5', {
      gateway: { auth: { token: OPERATOR_TOKEN } },
      hooks: { enabled: true, token: HOOK_TOKEN, defaultSessionKey: 'hook:tools' },
      models: { providers: { local: model.provider('the-key-of-the-model') } },
      agents: { list: [{ id: 'main', model: `local/${openaiCompatible.modelId}`, tools }] },
    });
    service = await ServiceProcess.listening(directory.path);
    model.answer(
      openaiCompatible.toolCall('desk_echo', { text: HOSTILE }),
      openaiCompatible.toolCall('desk_fail', { text: 'what is wrong?' }),
    );
    const body = { message: 'Look it up', deliver: false };
    const answer = await service.ask('/hooks/agent', { token: HOOK_TOKEN, body });
    story = `/events/${String(answer.body['eventId'])}`;
  });

  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await model.close();
    directory[Symbol.dispose]();
    await browser.close();
  });

  async function opened(viewport?: typeof PHONE): Promise<Operator> {
    const operator = await Operator.at(service, browser, viewport && { viewport });
    await operator.logIn(OPERATOR_TOKEN);
    await operator.open(story);
    await operator.page.getByText('Run ended').waitFor();
    return operator;
  }

  it('has each call in its place: which tool, how it ended, what went in and what came out', async () => {
    await using operator = await opened();
    const { page } = operator;
    const titles = await page.getByRole('heading', { name: /^(?:Run |Tool )/ }).allInnerTexts();
    expect(titles.map((title) => title.replaceAll(/\s+/g, ' ').trim())).toEqual([
      expect.stringMatching(/^Run /),
      expect.stringMatching(/^Tool desk_echo succeeded [\d.]+ m?s$/),
      expect.stringMatching(/^Tool desk_fail failed [\d.]+ m?s$/),
      'Run ended succeeded',
    ]);

    const [echo, fail] = await page.getByText('Input and result').all();
    await echo!.click();
    await page.getByLabel('Result').getByText('echo: <img').waitFor();
    await fail!.click();
    await page.getByLabel('Input').getByText('what is wrong?').waitFor();
    await page.getByLabel('Result').getByText('the disk is full').waitFor();
    await page.getByLabel('Reply').getByText(REPLY).waitFor();
  });

  it('shows what a tool said as text that hides nothing and runs nothing, also on a phone', async () => {
    await using operator = await opened(PHONE);
    await operator.unfold();
    const { page } = operator;

    expect(await page.evaluate(() => Reflect.has(globalThis, 'owned'))).toBe(false);
    expect(await operator.hiddenTexts()).toEqual([]);
    expect(await operator.violations()).toEqual([]);
    expect(await operator.overflow()).toBeLessThanOrEqual(0);
    expect(operator.complaints).toEqual([]);
  });

  it('is counted in the view Usage, as a chart of days and by whose it was', async () => {
    await using operator = await opened();
    const { page } = operator;
    await operator.open('/usage');
    const used = page.getByRole('region', { name: 'What was used in 30 days' });
    await used.getByRole('row', { name: 'main 1 33 21 no price' }).waitFor();
    await page.getByText('Figures').click();
    const figures = page.getByRole('region', { name: 'Tokens, figures' }).locator('tbody tr');
    await figures.waitFor();
    expect(await figures.count()).toBe(1);
    await page.getByRole('button', { name: 'By model' }).click();
    const model = `local/${openaiCompatible.modelId}`;
    await used.getByRole('row', { name: `${model} 1 33 21 no price` }).waitFor();
  });
});
