import { LoopLookup } from '../support/loop-lookup.ts';

/** What an agent says, round after round. */
const REPLIES = [
  'The queue of the mail server was stuck, so I have restarted it and it delivers again.',
  'Restarting did not help this time. One of the disks is full; please remove old backups there.',
  'There are still nine thousand messages waiting, although most of them are newsletters anyway.',
  'Nobody has answered my question about backups yet, hence everything remains as it was before.',
  'Meanwhile the second server took over, and customers can read and write their mails as usual.',
  'Its certificate ends on Sunday. Whoever is in charge should renew that before the weekend begins.',
  'All services answer within a second now. Should I go on watching them until tomorrow morning?',
];

const ANSWERS = ['really?', 'then do that', 'who did it', 'ok', 'why?', 'thanks a lot', 'and now?'];

/** @returns how many events came until one was held; null: none of nine was */
async function goRound(
  way: (text: string, round: number) => string,
  say = (_message: string, round: number): string => REPLIES[round % REPLIES.length]!,
): Promise<number | null> {
  const world = new LoopLookup();
  const send = (message: string) =>
    world.send({ mapping: 'desk', message, to: 'them', isLoop: true });
  let round = 0;
  world.reply = ({ message }) => say(message, round);
  world.listeners.set('them', (text) => {
    const message = way(text, round);
    round += 1;
    if (round < 9) world.after(1000, () => send(message));
  });
  await send('anna wrote: no mail arrives since eight');
  await world.run();
  const [held] = await world.held();
  world.close();
  return held === undefined ? null : round;
}

const quoting = (message: string, round: number): string =>
  `You wrote: "${message.slice(0, 60)}"\n\n${REPLIES[round]!}`;
const cut = (text: string, most: number): string => `${text.slice(0, most)}…`;
const wrapped = (text: string): string =>
  JSON.stringify({ event: { id: '462600305', body: JSON.stringify({ text }) } });

// Each of them went on for ever once; the numbers are those of circles in loop-histories.spec.ts at that time.
describe('a circle in which replies are cut off is held', () => {
  it.each([
    ['to some words (1478)', (text: string) => `bot: > ${cut(JSON.stringify({ text }), 60)}`],
    ['to four words (4408)', (text: string) => `bot: ${cut(wrapped(text), 76)}`],
    [
      'somewhere below, so that the footer is whole in some rounds only (6297)',
      (text: string, round: number) => {
        const sent = `[desk] ${text}\n-- \nsent by the ticket system of the hotel`;
        return `bot: ${round % 2 === 0 ? cut(sent, sent.length - 20) : sent} for all`;
      },
    ],
  ])('%s', async (_to, way) => {
    expect(await goRound(way)).toBe(4);
  });

  it('to what its agent quotes of the event (779)', async () => {
    expect(await goRound((text) => `bot wrote: ${cut(wrapped(text), 120)}`, quoting)).toBe(4);
  });
});

describe('nobody is held', () => {
  it.each([
    ['says the same after each reply, and nothing of it', () => 'anna pressed: show me more of it'],
    [
      'quotes all of it, and says less than at first',
      (text: string, round: number) =>
        `> ${text}\n${['yes please do it', 'yes', 'do it', 'please'][round % 4]}`,
    ],
    [
      'quotes how it begins, and says something',
      (text: string, round: number) =>
        `anna: ${cut(text, 40)}\n${ANSWERS[round % ANSWERS.length]!}`,
    ],
    [
      'quotes how it begins, and says words that stand further below (6164)',
      (text: string) =>
        `anna: > ${cut(text, 40)}\n${text.split(' ').at(-3)!} ${text.split(' ').at(-5)!}`,
    ],
  ])('who %s', async (_does, way) => {
    expect(await goRound(way)).toBeNull();
  });
});

/** Who is in a conversation, each of whose messages shows nothing but what was said. */
class Conversation {
  readonly world = new LoopLookup();
  readonly runs: string[] = [];
  /** The newest reply. */
  last = '';

  /** @param begin how replies begin */
  constructor(public begin = '') {
    this.world.reply = (_incoming, runId) => {
      this.last = `${this.begin}${REPLIES[this.runs.length % REPLIES.length]!}`;
      this.runs.push(runId);
      return this.last;
    };
  }

  /** @returns whether it is held */
  async say(
    message: string,
    named: { readonly marker?: string; readonly payload?: string } = {},
  ): Promise<boolean> {
    const before = (await this.world.held()).length;
    this.world.clock.advance(1000);
    await this.world.send({ mapping: 'desk', message, to: 'them', isLoop: false, ...named });
    return (await this.world.held()).length > before;
  }
}

it('a circle is held where many replies begin alike (5957)', async () => {
  const talk = new Conversation('Thank you for writing to us about your order of today. ');
  for (const name of ['ana', 'ben', 'cem']) await talk.say(`${name} is here`);
  let isHeld = false;
  for (let round = 1; round <= 4; round += 1) isHeld = await talk.say(`FW: ${talk.last}`);
  expect(isHeld).toBe(true);
});

it('an alert is not held that has the first words of another reply, and our notes (88)', async () => {
  const talk = new Conversation('The disk is almost full. ');
  await talk.say('anna asks why it is slow');
  for (let times = 0; times < 6; times += 1) {
    const note = times === 0 ? '' : `\nnote: ${talk.last}`;
    talk.begin = '';
    expect(await talk.say(`the disk is almost full on host two, says its monitor${note}`)).toBe(
      false,
    );
  }
});

describe('an event that names the run whose reply caused it', () => {
  const naming = (runId: string): string =>
    JSON.stringify({ references: `<1@a.example> <hooks-run.${runId}@mail.example>` });

  it('is held in the fourth round, such as an answer to mails that nobody wrote', async () => {
    const talk = new Conversation();
    await talk.say('anna asks when you are open');
    for (let round = 1; round <= 4; round += 1) {
      const payload = naming(talk.runs.at(-1)!);
      const isHeld = await talk.say('nobody is in the office until Monday', { payload });
      expect([round, isHeld]).toEqual([round, round === 4]);
    }
  });

  it('is held itself, and nobody whose run it names', async () => {
    const talk = new Conversation();
    await talk.say('anna asks when you are open');
    const [hers = ''] = talk.runs;
    for (const marker of [hers, hers, hers, hers, hers]) await talk.say('stop anna', { marker });
    expect(await talk.say(`> ${REPLIES[0]!}\nthanks`)).toBe(false);
    expect(await talk.say(`> ${REPLIES[0]!}\nand tomorrow?`)).toBe(false);
  });

  it('counts for nothing where the run is none, or not ours', async () => {
    const talk = new Conversation();
    for (let times = 0; times < 6; times += 1) {
      const marker = '019b784e-a73e-70ad-8000-000000000001';
      expect(await talk.say('me again', { marker })).toBe(false);
    }
  });

  // As the body of an issue does, which stands in the events of all of its comments.
  it.each(['ok thanks', 'ok yes no thanks please do it go on why and now fine stop'])(
    'holds nobody else in a conversation that brings the name, where a frame held ready %j',
    async (common) => {
      const talk = new Conversation();
      await talk.say('mallory opens an issue');
      for (let round = 1; round <= 3; round += 1) {
        const text = REPLIES[round - 1]!;
        expect(await talk.say(`${text.slice(0, 60)}… ${common}`)).toBe(false);
      }
      const payload = naming(talk.runs.at(-1)!);
      for (const said of ['ok', 'thanks', 'yes please', 'ok do it']) {
        expect(await talk.say(said, { payload })).toBe(false);
      }
    },
  );
});
