import { documented, DocumentedService } from './programs.ts';

describe('docs/agents.md: programs that nobody has logged in', () => {
  let service: DocumentedService;
  beforeEach(() => (service = new DocumentedService()));
  afterEach(() => service[Symbol.asyncDispose]());

  it('Claude Code says so itself', async () => {
    await service.start(documented('Claude Code')[0] ?? '');
    const run = await service.ask('Where is the station?');
    expect(run).toMatchObject({
      status: 'failed',
      error: 'the command "claude" ended with exit code 1: Not logged in · Please run /login',
    });
  });
});
