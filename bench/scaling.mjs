// npm run bench:scaling: how many events a second instances and PostgreSQL would take together, simulated from service times
// that were measured on one machine (docs/scaling.md says which, and what the simulation leaves out).
//
// An event is prepared by its instance's main thread, waits for the group that is under way, and goes to the database with
// everybody who waited with it: one statement, one core of the database, under the lock of each main session that the group
// writes to. A commit waits for the flush of the log, which takes everybody who is waiting by then; only then the locks are
// free and the senders are answered. Runs are claimed and ended later, by transactions of their own.
import { parseArgs } from 'node:util';
import { printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
  },
});

/**
 * Microseconds of one core. Of the database by `npm run bench:ledgers` (2 vCPU, PostgreSQL 15, 2026-11-22): groups of 1.8, 3.3,
 * 9 and 64 events took 1,012, 280, 119 and 57 for each event; the end of a run 565 by pg_stat_statements, its claim 765 (what
 * the bench says of both, less that; 2026-11-23).
 * Of the main thread by `npm run bench -- --threads` (a wake 55 with SQLite) and what bench:ledgers says of this process.
 */
const MEASURED = {
  groupMicros: 900,
  eventMicros: 45,
  claimMicros: 765,
  commitMicros: 565,
  prepareMicros: 75,
  answerMicros: 15,
  runMicros: 500,
  flushMicros: 400,
};

/** A rate counts as carried while 99 of 100 senders are answered within this, and no queue grows. */
const MOST_P99_MS = 250;
const MOST_OF_GROUP = 256;

/** Whatever happens, in the order of time. */
class Agenda {
  #heap = [];
  #count = 0;
  now = 0;

  at(time, act) {
    const heap = this.#heap;
    const entry = { time, n: this.#count++, act };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = entry;
  }

  after(delay, act) {
    this.at(this.now + delay, act);
  }

  /** @returns false: nothing more happens before then */
  step(until) {
    const [first] = this.#heap;
    if (first === undefined || first.time > until) return false;
    const last = this.#heap.pop();
    if (this.#heap.length > 0) this.#sink(last);
    this.now = first.time;
    first.act();
    return true;
  }

  #sink(entry) {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], entry)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = entry;
  }
}

function isBefore(a, b) {
  return a.time < b.time || (a.time === b.time && a.n < b.n);
}

/** So many servers, one queue: the cores of a machine, or a thread. */
class Servers {
  #free;
  #queue = [];
  #first = 0;
  busy = 0;

  constructor(agenda, count) {
    this.agenda = agenda;
    this.count = count;
    this.#free = count;
  }

  serve(micros, then) {
    if (this.#free === 0) {
      this.#queue.push([micros, then]);
      return;
    }
    this.#free -= 1;
    this.busy += micros;
    this.agenda.after(micros, () => {
      this.#free += 1;
      if (this.#first < this.#queue.length) {
        const [next, go] = this.#queue[this.#first];
        this.#queue[this.#first++] = undefined;
        this.serve(next, go);
      }
      then();
    });
  }

  get waiting() {
    return this.#queue.length - this.#first;
  }
}

/** The write-ahead log: one flush at a time, for all that wait when it begins. */
class Log {
  #waiting = [];
  #isFlushing = false;

  constructor(agenda, micros) {
    this.agenda = agenda;
    this.micros = micros;
  }

  flush(then) {
    this.#waiting.push(then);
    if (!this.#isFlushing) this.#begin();
  }

  #begin() {
    const all = this.#waiting;
    this.#waiting = [];
    this.#isFlushing = true;
    this.agenda.after(this.micros, () => {
      this.#isFlushing = false;
      if (this.#waiting.length > 0) this.#begin();
      for (const then of all) then();
    });
  }
}

/** Locks of main sessions, each held by one transaction; taken in order, so nobody waits in a circle. */
class Locks {
  #queues = new Map();

  take(names, then) {
    const [name, ...rest] = names;
    if (name === undefined) return then();
    const next = () => this.take(rest, then);
    const queue = this.#queues.get(name);
    if (queue === undefined) {
      this.#queues.set(name, []);
      next();
    } else queue.push(next);
  }

  free(names) {
    for (const name of names) {
      const next = this.#queues.get(name).shift();
      if (next === undefined) this.#queues.delete(name);
      else next();
    }
  }
}

class Database {
  constructor(agenda, { cores, flushMicros }) {
    this.cores = new Servers(agenda, cores);
    this.log = new Log(agenda, flushMicros);
    this.locks = new Locks();
  }

  transact(micros, locks, then) {
    this.locks.take(locks, () => {
      this.cores.serve(micros, () => {
        this.log.flush(() => {
          this.locks.free(locks);
          then();
        });
      });
    });
  }
}

/** One process: a main thread, and one group on its way to the database. */
class Instance {
  #waiting = [];
  #isUnderWay = false;

  constructor(plan, database, random) {
    this.plan = plan;
    this.database = database;
    this.random = random;
    this.thread = new Servers(plan.agenda, 1);
  }

  /** @param answered with the microseconds that its sender waited */
  accept(answered) {
    const began = this.plan.agenda.now;
    this.thread.serve(MEASURED.prepareMicros, () => {
      const session = Math.floor(this.random() * this.plan.sessions);
      this.#waiting.push({ session, answered: () => answered(this.plan.agenda.now - began) });
      this.#send();
    });
  }

  #send() {
    if (this.#isUnderWay || this.#waiting.length === 0) return;
    this.#isUnderWay = true;
    const group = this.#waiting.splice(0, MOST_OF_GROUP);
    const { agenda, rttMicros, runs } = this.plan;
    const sessions = [...new Set(group.map(({ session }) => session))].toSorted((a, b) => a - b);
    const micros = MEASURED.groupMicros + group.length * MEASURED.eventMicros;
    agenda.after(rttMicros / 2, () => {
      this.database.transact(micros, sessions, () => {
        agenda.after(rttMicros / 2, () => {
          this.#isUnderWay = false;
          for (const { answered } of group) {
            this.thread.serve(MEASURED.answerMicros, answered);
            if (this.random() < runs) this.#run();
          }
          this.#send();
        });
      });
    });
  }

  /** What the database and this thread have to do for a run, whatever its agent does. */
  #run() {
    this.database.transact(MEASURED.claimMicros, [], () => {
      this.thread.serve(MEASURED.runMicros, () => {
        this.database.transact(MEASURED.commitMicros, [], () => {});
      });
    });
  }
}

/** What comes of a rate: answered events a second, their 99th percentile in ms, whether it was carried. */
function simulate(shape, rate, seconds) {
  const agenda = new Agenda();
  const random = seeded(Number(values.seed));
  const plan = { agenda, ...shape };
  const database = new Database(agenda, shape);
  const instances = Array.from(
    { length: shape.instances },
    () => new Instance(plan, database, random),
  );
  const end = seconds * 1e6;
  const times = [];
  const arrive = () => {
    instances[Math.floor(random() * instances.length)].accept((micros) => {
      // The first half fills the queues.
      if (agenda.now > end / 2) times.push(micros);
    });
    agenda.after((-Math.log(1 - random()) / rate) * 1e6, arrive);
  };
  arrive();
  while (agenda.step(end));
  times.sort((a, b) => a - b);
  const answered = times.length / (seconds / 2);
  const p99 = (times[Math.floor(times.length * 0.99)] ?? Infinity) / 1000;
  return {
    answered,
    p50: (times[times.length >> 1] ?? Infinity) / 1000,
    p99,
    isCarried: p99 <= MOST_P99_MS && answered >= rate * 0.97 && database.cores.waiting < rate / 10,
    database: database.cores.busy / (shape.cores * end),
    thread: instances[0].thread.busy / end,
  };
}

/** The highest rate that is carried, to 3 %. */
function most(shape) {
  let [low, high] = [50, 400_000];
  while (high / low > 1.03) {
    const rate = Math.sqrt(low * high);
    if (simulate(shape, rate, Number(values.seconds)).isCarried) low = rate;
    else high = rate;
  }
  return { rate: low, ...simulate(shape, low, Number(values.seconds)) };
}

/** @param seed the same seed, the same run */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How long a flush takes, and a message there and back. */
const DISKS = {
  'local disk': { flushMicros: MEASURED.flushMicros, rttMicros: 100 },
  'cloud disk': { flushMicros: 2000, rttMicros: 500 },
  'synchronous replica': { flushMicros: 4000, rttMicros: 500 },
};
const WORK = {
  'wakes of one main session': { sessions: 1, runs: 0 },
  'wakes of 1,000 main sessions': { sessions: 1000, runs: 0 },
  'a run each, 1,000 sessions': { sessions: 1000, runs: 1 },
};

const rows = [];
for (const [disk, speed] of Object.entries(DISKS)) {
  for (const [instances, cores] of [
    [1, 2],
    [3, 4],
    [8, 16],
    [32, 32],
  ]) {
    for (const [work, load] of Object.entries(WORK)) {
      const { rate, p50, p99, database, thread } = most({ instances, cores, ...speed, ...load });
      rows.push([
        disk,
        String(instances),
        String(cores),
        work,
        Math.round(rate).toLocaleString('en-US'),
        `${p50.toFixed(1)} / ${p99.toFixed(0)} ms`,
        `${Math.round(database * 100)} %`,
        `${Math.round(thread * 100)} %`,
      ]);
    }
  }
}
printTable(
  [
    'disk',
    'instances',
    'cores of the database',
    'work',
    'events/s',
    'p50 / p99',
    'database',
    'main thread',
  ],
  rows,
);
