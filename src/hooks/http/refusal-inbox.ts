import { Injectable, Logger } from '@nestjs/common';
import { LogFields } from '../../platform/log-fields.ts';
import { Clock, KEPT_REFUSALS } from '../ports/index.ts';
import type { NewRefusal, RefusalKind } from '../ports/index.ts';

export type Refused = Omit<NewRefusal, 'at' | 'kind' | 'count'>;

interface RefusedLine {
  /** Id of the failed event, if one was kept. */
  readonly event: string | null;
  /** Null: the sentence quotes the sender, and belongs into no log. */
  readonly reason: string | null;
  readonly ms: number;
}

const MINUTE_MS = 60_000;
/** Most clients, hooks and codes that are told apart within a minute; the rest is one sum per code and known sender. */
const MOST_GROUPS = 1000;
/** What is handed on at a time: a write of so many holds up nobody. */
const MOST_AT_ONCE = 1000;

interface Group {
  readonly refused: Refused;
  repeats: number;
  /** Those that were not handed on yet, and the minute in which the first of them came. */
  unsaved: number;
  minute: number;
}

type Groups = Map<string, Group>;

/** In memory and bounded: strangers may send as many as they like. `refusal-keeper.ts` takes it to the ledger. */
@Injectable()
export class RefusalInbox {
  readonly #logger = new Logger('Hooks');
  readonly #strangers: Groups = new Map();
  readonly #senders: Groups = new Map();
  readonly #rows: Record<Exclude<RefusalKind, 'unverified'>, NewRefusal[]> = {
    lost: [],
    failed: [],
    repeated: [],
  };
  /** By {@link Clock.elapsed}. */
  #minuteBegan = 0;
  #onFilled: () => void = () => {};

  constructor(private readonly clock: Clock) {}

  get isEmpty(): boolean {
    const { lost, failed, repeated } = this.#rows;
    const rows = lost.length + failed.length + repeated.length;
    return rows + this.#strangers.size + this.#senders.size === 0;
  }

  /** @param listener is called with every refusal; must return at once. */
  onFilled(listener: () => void): void {
    this.#onFilled = listener;
  }

  add(refused: Refused, line: RefusedLine): void {
    const now = this.clock.now();
    if (this.isEmpty) this.#minuteBegan = this.clock.elapsed();
    // A signature that is used again proves nothing, and a token may be known and not be let in.
    const isVerified = refused.verifiedBy !== null && !isShutOut(refused);
    if (isVerified) this.#push({ ...refused, at: now, kind: kindOf(refused), count: 1 });
    const { group, isNew } = groupOf(refused, isVerified ? this.#senders : this.#strangers);
    if (!isVerified) addUnsaved(group, 1, now);
    if (isNew) this.#tell(group, line);
    else group.repeats += 1;
    this.#onFilled();
  }

  /** A verified sender sent again what had made that event: no refusal, and no line of its own in the log. */
  addRepeat(repeat: Omit<Refused, 'code' | 'reason'>, eventId: string): void {
    const reason = `the same as event ${eventId}, whose answer was given again`;
    const row = { ...repeat, code: 'repeat', reason, at: this.clock.now(), count: 1 };
    if (this.isEmpty) this.#minuteBegan = this.clock.elapsed();
    this.#push({ ...row, kind: 'repeated' });
    this.#onFilled();
  }

  /** Refusals that were not handed on yet, at most a thousand or so; what was lost comes first. */
  take(): NewRefusal[] {
    const rows: NewRefusal[] = this.#rows.lost.splice(0, MOST_AT_ONCE);
    for (const kind of ['failed', 'repeated'] as const)
      rows.push(...this.#rows[kind].splice(0, MOST_AT_ONCE - rows.length));
    for (const group of this.#strangers.values()) {
      if (rows.length >= MOST_AT_ONCE) break;
      if (group.unsaved === 0) continue;
      const { refused, minute: at, unsaved: count } = group;
      rows.push({ ...refused, at, kind: 'unverified', count });
      group.unsaved = 0;
    }
    return rows;
  }

  /** They could not be stored; they come again with the next {@link take}. */
  putBack(rows: readonly NewRefusal[]): void {
    for (const kind of ['lost', 'failed', 'repeated'] as const) {
      const kept = this.#rows[kind];
      const room = KEPT_REFUSALS - kept.length;
      const returned = rows.filter((row) => row.kind === kind);
      kept.unshift(...returned.slice(Math.max(0, returned.length - room)));
    }
    for (const row of rows) {
      if (row.kind === 'unverified') {
        addUnsaved(groupOf(row, this.#strangers).group, row.count, row.at);
      }
    }
  }

  /** Once a minute: one line for what came again, and whoever was silent for a minute is forgotten. */
  tellRepeats(): void {
    const now = this.clock.elapsed();
    if (now - this.#minuteBegan < MINUTE_MS) return;
    this.#minuteBegan = now;
    for (const groups of [this.#senders, this.#strangers]) {
      for (const [key, group] of groups) {
        const { refused, repeats: count } = group;
        group.repeats = 0;
        if (count > 0) {
          this.#logger.warn(new LogFields({ ...named(refused), count, msg: 'refused again' }));
        } else if (group.unsaved === 0) groups.delete(key);
      }
    }
  }

  #push(row: NewRefusal & { kind: Exclude<RefusalKind, 'unverified'> }): void {
    const rows = this.#rows[row.kind];
    if (rows.length >= KEPT_REFUSALS) rows.shift();
    rows.push(row);
  }

  /** The first of its kind for a while. No token, no payload, and of a stranger no word that he chose. */
  #tell({ refused }: Group, { event, reason, ms }: RefusedLine): void {
    this.#logger.warn(
      new LogFields({ event, ...named(refused), ...(reason !== null && { reason }), ms }),
    );
  }
}

function named({ hook, name, client, status, code }: Refused): object {
  return { hook: hook ?? name, client, status, code };
}

function isShutOut({ status, code }: Refused): boolean {
  return status === 401 || code === 'too_many_auth_failures';
}

function kindOf({ status }: Refused): 'failed' | 'lost' {
  return status >= 500 ? 'failed' : 'lost';
}

function groupOf(refused: Refused, groups: Groups): { group: Group; isNew: boolean } {
  const { client, hook, name, code, verifiedBy } = refused;
  const key = [code, client, hook ?? name, verifiedBy].join('\n');
  const known = groups.get(key);
  if (known !== undefined) return { group: known, isNew: false };
  const isRoom = groups.size < MOST_GROUPS;
  const one = isRoom ? refused : { ...refused, client: null, hook: null, name: null };
  // Known senders are those of the configuration, so these are few; strangers are never counted under their names.
  const place = isRoom ? key : [code, verifiedBy].join('\n');
  const rest = groups.get(place);
  if (rest !== undefined) return { group: rest, isNew: false };
  const group: Group = { refused: one, repeats: 0, unsaved: 0, minute: 0 };
  groups.set(place, group);
  return { group, isNew: true };
}

function addUnsaved(group: Group, count: number, at: number): void {
  if (group.unsaved === 0) group.minute = at - (at % MINUTE_MS);
  group.unsaved += count;
}
