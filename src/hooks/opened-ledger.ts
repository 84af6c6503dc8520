// A ledger is opened late, and everybody asks for its ports early: Nest makes all providers before anything is served. So
// each port is provided as a stand-in, whose calls open the ledger or go straight to it. Nothing that injects a port has to
// know when that is, and hosts replace any of them as any other provider.
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Provider, Type } from '@nestjs/common';
import { withSignals } from './actions/shown-action.ts';
import { showExcerpt } from './boundary/index.ts';
import { GIVEN_OPTIONS } from './hooks.options.ts';
import type { HooksModuleOptions } from './hooks.options.ts';
import {
  Clock,
  ConsoleSessions,
  EventStore,
  Intake,
  LedgerAdmin,
  Maintenance,
  Refusals,
  Sessions,
  WorkLedger,
} from './ports/index.ts';
import type { Ledger, WaitingRun } from './ports/index.ts';

/**
 * The ledger of one ingress, opened when something first needs it: when the application begins to serve, or at the
 * first call of `Hooks` or of a port. So scripts, schema generators, a REPL and a failed bootstrap leave no lock behind.
 */
@Injectable()
export class OpenedLedger {
  #opening: Promise<Ledger> | undefined;
  #opened: Ledger | undefined;

  constructor(
    @Inject(GIVEN_OPTIONS) private readonly options: HooksModuleOptions,
    private readonly clock: Clock,
  ) {}

  get current(): Ledger | undefined {
    return this.#opened;
  }

  /** @throws Error with a sentence that says what to do; the next call tries again. */
  open(): Promise<Ledger> {
    this.#opening ??= this.options.ledger.open(this.clock, new Logger('Ledger')).then(
      (ledger) => (this.#opened = ledger),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  async close(): Promise<void> {
    const ledger = await this.#opening?.catch(() => undefined);
    await ledger?.maintenance.close();
  }
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** Of each method `true`, or what is made of its result for whoever asked. */
type Methods<T> = {
  readonly [K in keyof T]:
    true | (T[K] extends (...args: never[]) => Promise<infer R> ? (result: R) => R : never);
};

/** A port whose every call goes to the ledger, which is opened by the first. All methods of all ports are asynchronous. */
function port<T extends object>(
  provide: Type<T> | (abstract new () => T),
  pick: (ledger: Ledger) => T,
  methods: Methods<T>,
): Provider {
  return {
    provide,
    inject: [OpenedLedger],
    useFactory: (ledger: OpenedLedger) => {
      const lazy: object = Object.create(provide.prototype);
      for (const name of Object.keys(methods)) {
        const show: true | ((result: unknown) => unknown) = Reflect.get(methods, name);
        const call = (opened: Ledger, args: unknown[]): Promise<unknown> => {
          const target: object = pick(opened);
          const method: Method = Reflect.get(target, name);
          const result = method.apply(target, args);
          return show === true ? result : result.then(show);
        };
        const forward: Method = (...args) =>
          ledger.current === undefined
            ? ledger.open().then((opened) => call(opened, args))
            : call(ledger.current, args);
        Object.defineProperty(lazy, name, { value: forward });
      }
      return lazy;
    },
  };
}

function withExcerpt({ request, ...wait }: WaitingRun): WaitingRun {
  return { ...wait, request: request === null ? null : showExcerpt(request, wait.id) };
}

export const ledgerPorts: readonly Provider[] = [
  port(Intake, (ledger) => ledger.intake, {
    accept: true,
    holderOf: true,
    certificates: true,
    keepCertificate: true,
  }),
  port(WorkLedger, (ledger) => ledger.work, {
    claim: true,
    add: true,
    badEnds: true,
    behind: true,
    reserve: true,
    reconsider: true,
    reserveTurn: true,
    noteChannels: true,
    renew: true,
    noteActing: true,
    commit: true,
  }),
  port(Sessions, (ledger) => ledger.sessions, {
    context: true,
    routes: true,
    noteRoute: true,
    clearRoutes: true,
    clearTranscript: true,
  }),
  port(EventStore, (ledger) => ledger.events, {
    list: true,
    follow: true,
    get: (event) => event && withSignals(event),
    run: true,
    storedRequest: true,
    hookUses: true,
    sessions: true,
    session: true,
  }),
  port(Refusals, (ledger) => ledger.refusals, {
    record: true,
    list: true,
    countByHook: true,
    lost: true,
    failed: true,
  }),
  port(ConsoleSessions, (ledger) => ledger.consoleSessions, {
    start: true,
    find: true,
    extend: true,
    end: true,
  }),
  port(LedgerAdmin, (ledger) => ledger.admin, {
    retry: true,
    retryAll: true,
    dismiss: true,
    dismissAll: true,
    forget: true,
    leftovers: true,
    audit: true,
    audited: true,
    waits: (page) => ({ ...page, waits: page.waits.map(withExcerpt) }),
    countWaits: true,
    decide: true,
    resume: true,
    question: true,
    hasOpenButtons: true,
    setPaused: true,
    isPaused: true,
    counts: true,
    dead: true,
    waiting: true,
    channelConditions: true,
    activity: true,
    usage: true,
    budgets: true,
  }),
  port(Maintenance, (ledger) => ledger.maintenance, {
    prune: true,
    health: true,
    state: true,
    untilLost: true,
    close: true,
  }),
];
