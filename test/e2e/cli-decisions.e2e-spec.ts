import { eventually } from '../support/eventually.ts';
import { ServedCommands } from '../support/served-commands.ts';

const LETTER = `Where is my order?\n${'and one more line\n'.repeat(30)}the end of it`;

let served: ServedCommands;
let eventId: string;
beforeEach(async () => {
  const letters = {
    id: 'letters',
    messageTemplate: '{{ letter }}',
    approve: 'reply',
    channel: 'chan_1',
    to: '42',
  };
  served = await ServedCommands.start({ mappings: [letters] }, () => ({
    agents: { defaults: { runner: { type: 'demo' }, notify: false } },
    channels: { chan_1: { provider: 'telegram', token: '1:a', apiRoot: 'http://127.0.0.1:1' } },
  }));
  eventId = await served.postUntil('waiting', 'letters', { letter: LETTER });
});
afterEach(() => served[Symbol.asyncDispose]());

describe('hooks decisions', () => {
  it('lists what waits with the request that is answered, of which hook and agent, since and until when', async () => {
    const { stdout } = await served.hooks('decisions');
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^\S{36} {2}letters would send this reply to chan_1, recipient 42$/),
      `  event ${eventId}, hook letters, agent main`,
      expect.stringMatching(/^ {2}waiting since \S+Z; without a decision by \S+Z it is denied$/),
      '  The agent was asked:',
      `  > The beginning of ${LETTER.length} characters:`,
      expect.stringMatching(/^ {2}> <<<EXTERNAL_UNTRUSTED_CONTENT id="\w{32}">>>$/),
      '  > Where is my order?',
      ...Array<string>(11).fill('  > and one more line'),
      expect.stringMatching(/^ {2}> <<<END_EXTERNAL_UNTRUSTED_CONTENT id="\w{32}">>>$/),
      expect.stringMatching(/^ {2}\| This is the demo agent/),
      '',
    ]);
    expect((await served.hooks('decisions')).stdout).toBe(stdout);
  });

  it('decides with other words, which the audit has beside those of the reply until the event is erased', async () => {
    const { waits } = (await served.json('decisions')) as { waits: { id: string; text: string }[] };
    const [{ id, text } = { id: '', text: '' }] = waits;
    expect(await served.hooks('approve', id, '--text', 'Dear Ann')).toMatchObject({ code: 0 });
    const entry = async () => {
      const { entries } = (await served.json('audit')) as { entries: Record<string, unknown>[] };
      return entries.find(({ subject }) => subject === id);
    };
    const after = { verdict: 'approved', isEdited: true };
    expect(await entry()).toMatchObject({
      operation: 'POST /ops/api/waits/:id/decide',
      before: { text: text.slice(0, 200) },
      after: { ...after, text: 'Dear Ann' },
    });
    await eventually('nothing of it is under way, and it is erased', async () => {
      return (await served.hooks('events', 'forget', eventId)).code === 0;
    });
    expect(await entry()).toMatchObject({ before: null, after });
    expect(JSON.stringify(await entry())).not.toContain('Dear Ann');
  });
});
