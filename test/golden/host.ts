import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HooksModule } from '../../src/index.ts';
import { memoryLedger } from '../../src/testing.ts';
import { everywhere } from './requests/everywhere.ts';
import type { Requests } from './requests/request.ts';

export const TOKEN = 'golden-hook-token-of-decent-length';

export type IngressOptions = Parameters<typeof HooksModule.forRoot>[0];
export type Ledger = Awaited<ReturnType<IngressOptions['ledger']['open']>>;
/** What is asked of a ledger beside the requests. */
export type Store = Pick<Ledger, 'events' | 'admin'>;

/** A Nest application with an ingress, and what it is asked. */
export interface GoldenHost {
  /** Also the name of its file of answers. */
  readonly name: string;
  readonly requests: Requests;
  /** Where its hooks are reached: what `~` in a target stands for. @default '/hooks' */
  readonly prefix?: string;
  /** The token of a good sender. @default TOKEN */
  readonly token?: string;
  /** One ingress each. @default one without options of its own */
  readonly ingresses?: readonly Partial<IngressOptions>[];
  readonly adapter?: ConstructorParameters<typeof FastifyAdapter>[0];
  /** Before it listens: what a host's `main.ts` does. */
  readonly prepare?: (app: NestFastifyApplication) => unknown;
  /** Stands before the store. */
  readonly ledger?: (ledger: Ledger) => Ledger;
  /** Brings it into the state it is asked in; returns what ends that state before the application is closed. */
  readonly enter?: (running: RunningHost) => Promise<() => unknown>;
}

export interface RunningHost {
  readonly app: NestFastifyApplication;
  readonly port: number;
  /** One per ingress. */
  readonly stores: readonly Store[];
  close(): Promise<void>;
}

/** A host that is asked the compact list, unless it says otherwise. */
export function around(name: string, host: Partial<GoldenHost> = {}): GoldenHost {
  return { requests: everywhere, ...host, name };
}

/** Answers at once: what an agent does is no part of an answer. */
const runner: IngressOptions['runner'] = {
  run: async ({ kind }) => ({ text: kind === 'run' ? 'the reply' : 'HEARTBEAT_OK' }),
  mayRepeat: () => true,
};

/** Mappings that every host has; only the plain one calls the transforms. */
const mappings: IngressOptions['mappings'] = [
  { id: 'raw' },
  {
    id: 'note',
    action: 'wake',
    textTemplate: 'Note: {{ text }} {{ query.team }} {{ headers.x-event }}',
  },
  { id: 'nested', match: { path: 'a/b' }, messageTemplate: '{{ path }}: {{ text }}' },
  {
    id: 'build',
    name: 'CI',
    messageTemplate:
      '{{ build.number }} {{ query.team }} {{ headers.x-event }} {{ path }} {{ headers.x-api-key }}{{ query.api_key }}',
  },
  { id: 'shop', match: { path: 'sourced', source: 'shop' }, messageTemplate: 'Shop: {{ text }}' },
  {
    id: 'list',
    forEach: 'items',
    messageTemplate: '{{ index }} {{ item.title }}',
    dedupeKey: '{{ item.id }}',
  },
  { id: 'dedupe', messageTemplate: '{{ id }}', dedupeKey: '{{ id }}' },
  { id: 'keyed', sessionKey: 'hook:keyed:{{ id }}' },
  { id: 'elsewhere', agentId: 'nobody', messageTemplate: 'x' },
  ...Object.entries({
    'says-null': 'saysNull',
    'says-undefined': 'saysUndefined',
    'says-nonsense': 'saysNonsense',
    throws: 'throws',
    'makes-two': 'makesTwo',
    'never-ends': 'neverEnds',
  }).map(([id, name]) => ({ id, transform: { module: 'golden.js', export: name } })),
];

const defaults: Partial<IngressOptions> = {
  enabled: true,
  token: TOKEN,
  defaultSessionKey: 'hook:golden',
  presets: ['mail'],
  mappings,
  configDir: fileURLToPath(new URL('config', import.meta.url)),
  maxBodyBytes: 262_144,
  transformLimits: { timeoutMs: 1500 },
  runner,
};

/** By the names of today; version 1, in which the answers are recorded, called them otherwise. */
function storeOf(ledger: Ledger): Store {
  const { stories, operations } = ledger as {
    stories?: Store['events'];
    operations?: Store['admin'];
  };
  return { events: stories ?? ledger.events, admin: operations ?? ledger.admin };
}

/** Boots it over real HTTP on a free port. */
export async function startHost(host: GoldenHost): Promise<RunningHost> {
  const stores: Store[] = [];
  const ledger: IngressOptions['ledger'] = {
    open: async (clock) => {
      const opened = await memoryLedger().open(clock);
      stores.push(storeOf(opened));
      return host.ledger?.(opened) ?? opened;
    },
  };
  const imports = (host.ingresses ?? [{}]).map((options) =>
    HooksModule.forRoot({ ledger, runner, ...defaults, ...options }),
  );
  @Module({ imports })
  class GoldenHostModule {}
  const app = await NestFactory.create<NestFastifyApplication>(
    GoldenHostModule,
    new FastifyAdapter(host.adapter),
    { logger: false, abortOnError: false },
  );
  await host.prepare?.(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const running = { app, port, stores, close: () => app.close() };
  const leave = await host.enter?.(running);
  return {
    ...running,
    close: async () => {
      await leave?.();
      await app.close();
    },
  };
}
