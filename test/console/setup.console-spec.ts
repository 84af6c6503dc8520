import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { freePort } from '../support/free-port.ts';
import { MattermostServer } from '../support/mattermost-server.ts';
import { MODEL_REPLY, OpenAiServer } from '../support/openai-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator, operatorToken, launch } from './browser.ts';

const KEY = 'sk-secret-of-the-tests';
const BOT_TOKEN = 'token-of-the-bot';
/** A channel whose name would run, hide or turn the line around. */
const HOSTILE = '<img src=x onerror="globalThis.owned=true">\u202Egnp';

/** From a demo that was just started to the reply to a first event, by the console alone. */
describe('The guided setup in the console', () => {
  let browser: Browser;
  let models: OpenAiServer;
  let chat: MattermostServer;
  let dir: ConfigDirectory;
  let service: ServiceProcess;
  let operator: Operator;

  beforeAll(async () => (browser = await launch()));
  afterAll(() => browser.close());
  beforeEach(async () => {
    models = new OpenAiServer();
    chat = new MattermostServer(BOT_TOKEN, HOSTILE);
    dir = new ConfigDirectory();
    await Promise.all([models.listen(), chat.listen()]);
    service = await ServiceProcess.listening(dir.path, { GATEWAY_PORT: String(await freePort()) });
    operator = await Operator.at(service, browser);
    await operator.logIn(operatorToken(dir.path));
  });
  afterEach(async () => {
    await operator[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await Promise.all([models.close(), chat.close()]);
    dir[Symbol.dispose]();
  });

  it('goes from a fresh demo to the story of the first event', async () => {
    const { page } = operator;
    const guide = page.getByRole('region', { name: 'Guided setup' });
    const choose = async (question: string, label: string | RegExp) => {
      const select = guide.getByRole('combobox', { name: question });
      const option = select.getByRole('option', { name: label });
      await option.waitFor({ state: 'attached' });
      await select.selectOption(await option.getAttribute('value'));
      await select.press('Tab');
      await page.keyboard.press('Enter');
    };
    const type = async (question: string | RegExp, text: string) => {
      const field = guide.getByRole('textbox', { name: question });
      await field.fill(text);
      await field.press('Enter');
    };
    await guide.getByRole('button', { name: 'Set it up' }).click();
    await choose('Which model answers?', /^another server/);
    await type('Its address', 'models.example');
    await guide.getByText('Write it as https://…').waitFor();
    expect(await operator.violations()).toEqual([]);
    await type('Its address', models.baseUrl);
    await guide.getByText('Does it need a key?').waitFor();
    expect(await operator.violations()).toEqual([]);
    await guide.getByRole('button', { name: 'Yes' }).click();
    const key = guide.getByLabel('The key');
    expect(await key.getAttribute('type')).toBe('password');
    await key.fill(KEY);
    await key.press('Enter');
    await choose('Where do replies go?', 'Mattermost');
    await type('Where is Mattermost?', chat.origin);
    await guide.getByText('Integrations → Bot Accounts').waitFor();
    await guide.getByLabel('The bot token of Mattermost').fill(BOT_TOKEN);
    await page.keyboard.press('Enter');
    // Somebody comes back to it.
    await guide.getByRole('combobox', { name: 'Which conversation?' }).waitFor();
    await page.reload();
    await choose('Which conversation?', /onerror/);
    await choose('Who sends events?', 'GitHub');
    await type('Where does GitHub reach', '');
    await guide.getByText('Done.', { exact: true }).waitFor();
    expect(chat.posts).toEqual([MODEL_REPLY]);
    await guide.getByText(MODEL_REPLY).waitFor();
    expect(await operator.violations()).toEqual([]);
    expect(await operator.overflow()).toBe(0);
    expect(await operator.hiddenTexts()).toEqual([]);
    expect(await page.evaluate('globalThis.owned')).toBeUndefined();
    const shown = await page.content();
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain(BOT_TOKEN);
    // What is entered at the sender is there to be copied.
    await guide.getByRole('button', { name: /^Copy [\w-]{43}$/ }).waitFor();
    await guide.getByRole('button', { name: /^Copy http.*\/hooks\/github$/ }).waitFor();
    await guide.getByRole('link', { name: 'See the first event' }).click();
    await page.waitForURL(/\/console\/events\/[\da-f-]{36}$/);
    await page.getByText(MODEL_REPLY).first().waitFor();
    await operator.open();
    await guide.getByRole('button', { name: 'Close' }).click();
    await guide.getByRole('button', { name: 'Set it up' }).waitFor();
    expect(operator.complaints).toEqual([]);
    expect(operator.elsewhere).toEqual([]);
  });

  it('is stopped with nothing done, and begun again', async () => {
    const guide = operator.page.getByRole('region', { name: 'Guided setup' });
    await guide.getByRole('button', { name: 'Set it up' }).click();
    await guide.getByRole('combobox', { name: 'Which model answers?' }).waitFor();
    await guide.getByRole('button', { name: 'Stop' }).click();
    await guide.getByRole('button', { name: 'Set it up' }).click();
    await guide.getByRole('combobox', { name: 'Which model answers?' }).waitFor();
    expect(operator.complaints).toEqual([]);
  });
});
