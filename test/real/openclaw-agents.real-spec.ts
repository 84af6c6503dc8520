import JSON5 from 'json5';
import { eventually } from '../support/eventually.ts';
import { Front } from './front.ts';
import { ModelServer } from './model-server.ts';
import { OpenClaw } from './openclaw.ts';
import { documented, DocumentedService } from './programs.ts';

const [OURS = '', THEIRS = ''] = documented('OpenClaw');
/** What a restart interrupted is begun anew after a minute or two. */
const ANEW_MS = 400_000;

describe('docs/agents.md: OpenClaw as an agent that runs elsewhere', () => {
  let model: ModelServer;
  let openClaw: OpenClaw;
  let service: DocumentedService;
  let front: Front;

  beforeAll(async () => {
    model = await ModelServer.start();
    openClaw = new OpenClaw();
    await openClaw.start(JSON5.parse(THEIRS), model.origin);
    service = new DocumentedService();
    front = await Front.start(() => service.url);
    const there = OURS.replace(':18789/', `:${openClaw.port}/`).replace(
      'https://hooks.example.com',
      front.url,
    );
    const env = { OTHER_GATEWAY_TOKEN: openClaw.token };
    await service.start(there, { env, sessionMode: 'isolated' });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await front[Symbol.asyncDispose]();
    await openClaw[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  /** Starts a run whose agent is asked and does not answer yet. @returns the id of its event, and what lets it answer */
  async function begin(question: string): Promise<{ event: string; release: () => void }> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    model.held = promise;
    const before = model.asked;
    const event = await service.send(question);
    expect(await service.waits(event)).toMatchObject({ status: 'waiting', reply: null });
    await eventually('the model is asked', () => model.asked > before);
    return { event, release };
  }

  const toldOf = (runId: string) => front.passed.filter(({ path }) => path.includes(runId));

  it('starts it, waits, and has its answer once', async () => {
    const { event, release } = await begin('Question 1');
    release();
    const run = await service.ended(event);
    expect(run).toMatchObject({ status: 'succeeded', reply: 'I heard 1.' });
    const told = toldOf(run.id);
    expect(told.map(({ path }) => path)).toEqual([
      expect.stringMatching(new RegExp(`^/hooks/runs/${run.id}/hookrun_[\\w-]{43}$`)),
    ]);
    expect(told[0]?.headers.authorization).toBeUndefined();
  });

  it('goes on after our restart', async () => {
    const { event, release } = await begin('Question 2');
    await service.kill();
    await service.begin();
    release();
    const run = await service.ended(event);
    expect(run).toMatchObject({ status: 'succeeded', reply: 'I heard 2.' });
    expect(toldOf(run.id)).toHaveLength(1);
  });

  it('goes on after the restart of OpenClaw', async () => {
    const { event, release } = await begin('Question 3');
    await openClaw.kill();
    release();
    await openClaw.begin();
    const run = await service.ended(event, ANEW_MS);
    expect(run).toMatchObject({ status: 'succeeded', reply: 'I heard 3.' });
    expect(toldOf(run.id)).toHaveLength(1);
  }, 600_000);

  it('is told to end', async () => {
    const { event, release } = await begin('Question 5');
    const asked = model.requests.at(-1);
    await service.decide(await service.waits(event), { verdict: 'denied' });
    expect(await service.ended(event)).toMatchObject({ status: 'failed', reply: null });
    expect(await asked?.closed).toBe('broken');
    release();
  });

  it('fails with its words', async () => {
    model.refusal = { status: 400, message: 'no such thing' };
    const event = await service.send('Question 4');
    const run = await service.ended(event);
    expect(run).toMatchObject({ status: 'failed', reply: null });
    expect(run.error).toContain('LLM request failed: provider rejected the request');
  });
});
