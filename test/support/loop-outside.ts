import { wordsOf } from '../../src/hooks/work/repeated-words.ts';
import { SHORT, hop, sentence } from './loop-words.ts';
import type { LoopWorld } from './loop-world.ts';
import type { Random } from './random.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Of which kind an agent is. */
export type Agent = 'varied' | 'quoting' | 'constant';

/** Agents, one for each mapping, that say something of their own to each event. */
export function letAgentsReply(
  world: LoopWorld,
  random: Random,
  agents: Readonly<Record<string, Agent>>,
): void {
  const constants = new Map<string, string>();
  world.reply = ({ mapping, message }) => {
    const own = sentence(random, random.between(6, 90));
    switch (agents[mapping] ?? 'varied') {
      case 'varied':
        return own;
      case 'quoting':
        return `You wrote: "${message.slice(0, 60)}"\n\n${own}`;
      case 'constant': {
        const constant = constants.get(mapping) ?? own;
        constants.set(mapping, constant);
        return constant;
      }
    }
  };
}

/** Somebody of the outside. */
type Actor = (world: LoopWorld, random: Random, name: string) => void;

/** As a mapping's template shows it. */
function shown(user: string, text: string): string {
  return `${user} wrote: ${text}`;
}

/** How a person quotes: all of it, how it begins, or in HTML. */
function quote(random: Random, text: string): string {
  const lines = text.replace(/^/gm, '> ');
  return random.pick([
    lines,
    lines,
    lines.slice(0, random.between(40, 300)),
    text.length > 80 ? `> ${text.slice(0, random.between(20, 80))}…` : lines,
    `<blockquote>${text.replaceAll('<', '&lt;')}</blockquote>`,
    `"${text.slice(0, 200)}"`,
  ]);
}

/** In a chat, quickly: quotes what is replied and adds something, of which much is short. */
const quotingPerson: Actor = (world, random, name) => {
  let left = random.between(4, 20);
  const send = (message: string) =>
    world.send({ mapping: 'chat', message: shown(name, message), to: name, isLoop: false });
  world.listeners.set(name, (text) => {
    left -= 1;
    if (left <= 0) return;
    const own = random.chance(0.3)
      ? random.pick(SHORT)
      : sentence(random, random.between(1, random.pick([3, 15])));
    const quoted = quote(random, text);
    const message = random.pick([`${quoted}\n\n${own}`, `${own}\n\n${quoted}`, own]);
    world.after(random.between(SECOND, 90 * SECOND), () => send(message));
  });
  world.after(random.between(0, MINUTE), () => send(sentence(random, 8)));
};

/** By mail: what was written before stands below, all of it. */
const mailThread: Actor = (world, random, name) => {
  let left = random.between(3, 12);
  let thread = '';
  const send = () => {
    const own = random.chance(0.15) ? random.pick(SHORT) : sentence(random, random.between(2, 40));
    thread = `${own}\n\nOn Monday we wrote:\n${thread.replace(/^/gm, '> ')}`;
    const message = shown(name, thread);
    return world.send({ mapping: 'mail', message, to: name, isLoop: false });
  };
  world.listeners.set(name, (text) => {
    left -= 1;
    if (left <= 0) return;
    thread = `${text}\n\n${name} wrote:\n${thread.replace(/^/gm, '> ')}`.slice(0, 15_000);
    world.after(random.between(20 * SECOND, 20 * MINUTE), send);
  });
  world.after(random.between(0, MINUTE), send);
};

/** The same alert again and again, whatever is replied; with `isAnnotated`, our last reply stands beside it. */
function alert(isAnnotated: boolean): Actor {
  return (world, random, name) => {
    const text = sentence(random, random.between(6, 20)).replaceAll('\n', ' ');
    const every = random.between(5 * SECOND, 5 * MINUTE);
    let note = '';
    let values = random.between(1, 99);
    world.listeners.set(name, (reply) => (note = isAnnotated ? `\nannotation: ${reply}` : ''));
    for (let n = 0, at = 0; n < random.between(10, 40); n += 1) {
      at += every + random.between(0, every);
      world.after(at, async () => {
        values += 1;
        const state = random.chance(0.1) ? 'resolved' : 'firing';
        const message = shown(name, `${state} ${text} ${values}%${note}`);
        await world.send({ mapping: 'alert', message, to: name, isLoop: false });
      });
    }
  };
}

/** After each reply the same, and nothing of the reply: a button that somebody presses, or a build that is tried again. */
const sayingTheSame: Actor = (world, random, name) => {
  const text = sentence(random, random.between(2, 25));
  let left = random.between(4, 25);
  const send = () =>
    world.send({ mapping: 'chat', message: shown(name, text), to: name, isLoop: false });
  world.listeners.set(name, () => {
    left -= 1;
    if (left > 0) world.after(random.between(SECOND, random.pick([10, 300]) * SECOND), send);
  });
  world.after(random.between(0, MINUTE), send);
};

/** Two systems that say the same, about what we have said, too. */
const sameText: Actor = (world, random, name) => {
  const text = sentence(random, 12);
  for (let n = 0; n < random.between(4, 20); n += 1) {
    for (const system of ['one', 'two']) {
      world.after(random.between(0, 30 * MINUTE), async () => {
        const message = shown(`${name} ${system}`, text);
        await world.send({ mapping: 'ci', message, to: name, isLoop: false });
      });
    }
  }
};

/** Answers each reply once, with all of it, and nothing more: of many customers. */
const confirmingBot: Actor = (world, random, name) => {
  const count = random.between(5, 25);
  for (let n = 0; n < count; n += 1) {
    const to = `${name} ${n}`;
    let isConfirmed = false;
    const confirm = (text: string) =>
      world.send({
        mapping: 'desk',
        message: shown('bot', `message received: ${text}`),
        to,
        isLoop: false,
      });
    world.listeners.set(to, (text) => {
      if (isConfirmed) return;
      isConfirmed = true;
      world.after(random.between(100, 5 * SECOND), () => confirm(text));
    });
    world.after(random.between(0, 2 * 60 * MINUTE), async () => {
      const message = shown(to, sentence(random, random.between(3, 30)));
      await world.send({ mapping: 'desk', message, to, isLoop: false });
    });
  }
};

/** Redelivers what it has, each a few times. */
const redelivering: Actor = (world, random, name) => {
  let left = random.between(2, 6);
  const send = (text: string) => {
    for (let times = random.between(1, 3), at = 0; times > 0; times -= 1) {
      at += random.between(SECOND, 2 * MINUTE);
      const message = shown(name, text);
      world.after(at, () => world.send({ mapping: 'poll', message, to: name, isLoop: false }));
    }
  };
  world.listeners.set(name, (text) => {
    left -= 1;
    if (left > 0) send(`${quote(random, text)}\n${sentence(random, random.between(1, 12))}`);
  });
  send(sentence(random, 9));
};

/** One agent after the other works on it, each given what the one before said, and then it is over. */
const pipeline: Actor = (world, random, name) => {
  const length = random.between(2, 7);
  for (let n = 0; n < length - 1; n += 1) {
    const way = hop(random);
    world.listeners.set(`${name} ${n}`, (text, runId) => {
      const marker = random.chance(0.5) ? runId : undefined;
      const message = shown('step', way(text, random));
      const to = `${name} ${n + 1}`;
      const mapping = `step ${n + 1}`;
      world.after(random.between(0, MINUTE), async () => {
        await world.send({ mapping, message, to, marker, isLoop: false });
      });
    });
  }
  for (let times = random.between(1, 5); times > 0; times -= 1) {
    world.after(random.between(0, 60 * MINUTE), async () => {
      const message = shown(name, sentence(random, random.between(3, 20)));
      await world.send({ mapping: 'step 0', message, to: `${name} 0`, isLoop: false });
    });
  }
};

/** Each hour's report, with what was said to the one before, and its own news. */
const report: Actor = (world, random, name) => {
  let last = '';
  world.listeners.set(name, (text) => (last = text));
  for (let n = 1; n < random.between(4, 12); n += 1) {
    world.after(n * 60 * MINUTE, async () => {
      const news = sentence(random, random.between(5, 30));
      const message = shown(name, `report\nbefore: ${last}\nnews: ${news}`);
      await world.send({ mapping: 'report', message, to: name, isLoop: false });
    });
  }
};

/** Who writes to us, and goes round in no circle. */
export const LEGITIMATE: Readonly<Record<string, Actor>> = {
  'a person who quotes': quotingPerson,
  'a thread of mails': mailThread,
  'an alert': alert(false),
  'an alert with our notes': alert(true),
  'who says the same after each reply': sayingTheSame,
  'two systems': sameText,
  'a bot that confirms': confirmingBot,
  'a sender that redelivers': redelivering,
  'a chain of agents': pipeline,
  'a report': report,
};

/** A circle: what is replied comes back over some hops, for one of our mappings or two in turn. */
export interface Circle {
  readonly hops: number;
  readonly mappings: number;
  /** Where our header stays: `kept` by all, or `stripped` on the way. */
  readonly marker: 'kept' | 'stripped';
  readonly agent: Agent;
}

/** What the hops of a circle have cut off. */
export interface Cuts {
  /** Something, in any round. */
  hasCut: boolean;
  /** In any round so much that the first six words of the reply were not there any more. */
  hasEmptied: boolean;
}

export function circle(world: LoopWorld, random: Random, given: Circle, name: string): Cuts {
  const cuts = { hasCut: false, hasEmptied: false };
  const mappings = Array.from({ length: given.mappings }, (_, n) => `round ${n}`);
  // One that is never held would go on for ever.
  let left = 40;
  for (const [at, mapping] of mappings.entries()) {
    const ways = Array.from({ length: given.hops }, () => ({
      way: hop(random),
      ms: random.pick([SECOND, 10 * SECOND, MINUTE, 5 * MINUTE]),
    }));
    const next = mappings[(at + 1) % mappings.length]!;
    world.listeners.set(`${name} ${mapping}`, (text, runId) => {
      left -= 1;
      if (left <= 0) return;
      let sent = text;
      let delay = 0;
      for (const { way, ms } of ways) {
        sent = way(sent, random);
        cuts.hasCut ||= sent.includes('…');
        delay += random.between(0, ms);
      }
      cuts.hasEmptied ||= !line(sent).includes(line(text, 6));
      const marker = given.marker === 'kept' ? runId : undefined;
      const message = shown('bot', sent);
      const to = `${name} ${next}`;
      world.after(delay, async () => {
        await world.send({ mapping: next, message, to, marker, isLoop: true });
      });
    });
  }
  world.after(random.between(0, 5 * MINUTE), async () => {
    const message = shown('somebody', sentence(random, random.between(4, 25)));
    const to = `${name} ${mappings[0]}`;
    await world.send({ mapping: mappings[0]!, message, to, isLoop: true });
  });
  return cuts;
}

/** Its words, or the first of them, in a line. */
function line(text: string, most = Infinity): string {
  return wordsOf(text).slice(0, most).join(' ');
}
