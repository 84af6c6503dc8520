import JSON5 from 'json5';
import { ModelServer } from './model-server.ts';
import { OpenClaw } from './openclaw.ts';
import { documented, DocumentedService } from './programs.ts';

const [OURS = '', THEIRS = ''] = documented('HTTP runner');

describe('docs/agents.md: OpenClaw as an agent', () => {
  let model: ModelServer;
  let openClaw: OpenClaw;
  let service: DocumentedService;

  beforeAll(async () => {
    model = await ModelServer.start();
    openClaw = new OpenClaw();
    await openClaw.start(JSON5.parse(THEIRS), model.origin);
  });
  afterAll(async () => {
    await openClaw[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    service = new DocumentedService();
    const there = OURS.replace(':18789/', `:${openClaw.port}/`);
    await service.start(there, { env: { OTHER_GATEWAY_TOKEN: openClaw.token } });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  it('three turns are one conversation, which OpenClaw keeps', async () => {
    expect(await service.ask('Question 1')).toMatchObject({ reply: 'I heard 1.' });
    expect(await service.ask('Question 2')).toMatchObject({ reply: 'I heard 1, 2.' });
    expect(await service.ask('Question 3')).toMatchObject({ reply: 'I heard 1, 2, 3.' });
  });

  it('a session key of a form that OpenClaw keeps for itself is one like any other', async () => {
    expect(await service.ask('Question 4', 'cron')).toMatchObject({ reply: 'I heard 4.' });
    expect(await service.ask('Question 5', 'cron')).toMatchObject({ reply: 'I heard 4, 5.' });
  });
});
