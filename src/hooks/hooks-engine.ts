import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { GIVEN_OPTIONS, HOOK_MARKS } from './hooks.options.ts';
import type { HooksModuleOptions } from './hooks.options.ts';
import { BodyReader } from './http/body.ts';
import { RunWaits } from './http/run-outcomes.ts';
import { MappingService } from './mappings/mapping-service.ts';
import { OpenedLedger } from './opened-ledger.ts';
import { HooksSettings } from './options/index.ts';
import { RefusalKeeper } from './operating/refusal-keeper.ts';
import { TransformSandbox } from './transforms/transform-sandbox.ts';
import { ChannelHealth } from './work/channel-health.ts';
import { HeartbeatSchedule } from './work/heartbeat.ts';
import { Retention } from './work/retention.ts';
import { WorkLoop } from './work/work-loop.ts';

const DEFAULT_SHUTDOWN_SECONDS = 20;

/**
 * Less than the 10 s that Fastify gives its `onReady` hooks; a ledger that takes longer is opened while requests wait
 * for it.
 */
const READY_WITHIN_MS = 5000;

/** How long bodies that are under way when the door closes may take to end. */
const LAST_BODIES_MS = 500;

/**
 * The life of one ingress: opened once every bootstrap hook has succeeded or code calls `Hooks`; at a stop, runs get
 * their time while the server still listens.
 */
@Injectable()
export class HooksEngine implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  readonly #logger = new Logger('Hooks');
  #starting: Promise<void> | undefined;

  constructor(
    @Inject(GIVEN_OPTIONS) private readonly options: HooksModuleOptions,
    @Inject(HOOK_MARKS) private readonly marks: readonly unknown[],
    private readonly host: HttpAdapterHost,
    private readonly application: ApplicationConfig,
    private readonly body: BodyReader,
    private readonly settings: HooksSettings,
    private readonly mappings: MappingService,
    private readonly ledger: OpenedLedger,
    private readonly work: WorkLoop,
    private readonly heartbeats: HeartbeatSchedule,
    private readonly retention: Retention,
    private readonly refusals: RefusalKeeper,
    private readonly channels: ChannelHealth,
    private readonly transforms: TransformSandbox,
    private readonly waits: RunWaits,
  ) {
    host.init$.subscribe(() => {
      if (host.httpAdapter?.getType() !== 'fastify') return;
      const fastify = host.httpAdapter.getInstance<FastifyInstance>();
      fastify.addHook('onReady', () => this.#startInTime());
      fastify.addHook('preClose', (done) => {
        setTimeout(() => this.body.close(), LAST_BODIES_MS).unref();
        done();
      });
    });
  }

  /** @throws Error on any platform but Fastify. */
  onModuleInit(): void {
    const platform = this.host.httpAdapter?.getType();
    if (platform !== undefined && platform !== 'fastify') {
      throw new Error(
        'HooksModule needs Fastify: create the application with new FastifyAdapter()',
      );
    }
    const guards =
      this.application.getGlobalGuards().length + this.application.getGlobalRequestGuards().length;
    if (platform !== undefined && guards > 0 && this.marks.length === 0) {
      this.#logger.warn(
        'a global guard of the application also runs on hook requests, before the hook token is checked: if it does not ' +
          'know our senders, mark the routes for it, e.g. HooksModule.forRoot({ decorators: [Public()] })',
      );
    }
  }

  /** Opens the ledger and begins to work. @throws Error that says what to do; the next call tries again. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    await this.ledger.open();
    await this.heartbeats.start();
    this.work.start(() => this.mappings.runPlaces(this.settings.current));
    this.retention.start();
    this.refusals.start();
  }

  async #startInTime(): Promise<void> {
    const starting = this.start();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), READY_WITHIN_MS);
    });
    const outcome = await Promise.race([starting, late]).finally(() => clearTimeout(timer));
    if (outcome !== 'late') return;
    this.#logger.warn('the ledger is still being opened; requests wait for it');
    starting.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.error(`the ledger cannot be opened, hook requests are refused: ${reason}`);
    });
  }

  /** Nothing more is begun from now on; runs get their time, the rest is left to the next start. */
  async onModuleDestroy(): Promise<void> {
    const { shutdownSeconds = DEFAULT_SHUTDOWN_SECONDS } = this.options;
    this.waits.close();
    await Promise.all([this.work.stop(shutdownSeconds * 1000), this.retention.stop()]);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transforms.close();
    await Promise.all([this.refusals.stop(), this.channels.stop()]);
    await this.ledger.close();
  }
}
