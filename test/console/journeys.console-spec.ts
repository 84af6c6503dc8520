import type { Browser } from 'playwright-core';
import { ConfigDirectory } from '../support/config-directory.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Operator, hookToken, launch, operatorToken } from './browser.ts';

/** What people open a console for, from the log-in to the answer, in a real browser before a real service. */
describe('The console', () => {
  let browser: Browser;
  let directory: ConfigDirectory;
  let service: ServiceProcess;

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    directory = new ConfigDirectory();
    service = await ServiceProcess.listening(directory.path);
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  async function send(name: string, payload: object): Promise<Response> {
    return fetch(`${service.url}/hooks/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hookToken(directory.path)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(payload),
    });
  }

  async function loggedIn(): Promise<Operator> {
    const operator = await Operator.at(service, browser);
    await operator.logIn(operatorToken(directory.path));
    return operator;
  }

  it('shows the first event to whoever logs in for the first time', async () => {
    await send('agent', { message: 'Say hello', name: 'Greeter' });
    await using operator = await loggedIn();
    const { page } = operator;

    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('link', { name: /Greeter/ }).click();
    await page.getByText('Run ended').waitFor();
    await page.getByText('What the agent was shown').click();

    await page.getByLabel('What the agent was shown').getByText('Say hello').waitFor();
    expect(operator.complaints).toEqual([]);
    expect(operator.elsewhere).toEqual([]);
  });

  it('lets nobody in with another token, and says so', async () => {
    await using operator = await Operator.at(service, browser);
    const { page } = operator;
    await operator.open('/events');
    await page.getByLabel('Operator’s token').fill('not-the-token-of-the-operator');
    await page.getByRole('button', { name: 'Log in' }).click();

    await page.getByRole('alert').getByText('not the operator’s token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it('shows an event while it comes', async () => {
    await using operator = await loggedIn();
    const { page } = operator;
    await operator.open('/events');
    await page.getByText('● live').waitFor();
    await send('wake', { text: 'The disk of nas is full' });

    await page.getByRole('link', { name: /The disk of nas is full/ }).waitFor();
  });
});
