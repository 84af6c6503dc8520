import type { Provider } from '@nestjs/common';
import { EventAcceptance } from './accept/event-acceptance.ts';
import { AgentController } from './http/endpoints/agent.controller.ts';
import { HookAnswers } from './http/endpoints/hook-answers.ts';
import { HookEndpoints } from './http/endpoints/hook-endpoints.ts';
import { HookReplay } from './http/endpoints/hook-replay.ts';
import { MappedController } from './http/endpoints/mapped.controller.ts';
import { StoredRequests } from './http/endpoints/stored-requests.ts';
import { WakeController } from './http/endpoints/wake.controller.ts';
import { AgentDispatch } from './ingest/agent-dispatch.ts';
import { MappingService } from './ingest/mapping/mapping-service.ts';
import { AgentPolicy } from './ingest/policy/agent-policy.ts';
import { TransformCompiler } from './ingest/transform/transform-compiler.ts';
import { TransformModules } from './ingest/transform/transform-modules.ts';
import { TransformSandbox } from './ingest/transform/transform-sandbox.ts';
import { ModelPolicy } from './ingest/policy/model-policy.ts';
import { SessionPolicy } from './ingest/policy/session-policy.ts';
import { ActionPreview } from './preview/action-preview.ts';
import { HookPreview } from './preview/hook-preview.ts';
import { Addressing } from './work/addressing.ts';
import { ChannelHealth } from './work/channel-health.ts';
import { ChannelOperations } from './work/channel-operations.ts';
import { ChannelRegistry } from './work/channel-registry.ts';
import { DeliveryStep } from './work/delivery-step.ts';
import { HeartbeatSchedule } from './work/heartbeat-schedule.ts';
import { HeartbeatStep } from './work/heartbeat-step.ts';
import { Outbox } from './work/outbox.ts';
import { Retention } from './work/retention.ts';
import { RunStep } from './work/run-step.ts';
import { SessionTurns } from './work/session-turns.ts';
import { Turns } from './work/turn.ts';
import { WorkLoop } from './work/work-loop.ts';

/** Everything between the door and the effects, in the order a request meets it. */
export const pipelineProviders: Provider[] = [
  HookEndpoints,
  WakeController,
  AgentController,
  MappedController,
  HookAnswers,
  StoredRequests,
  HookReplay,
  MappingService,
  TransformSandbox,
  TransformModules,
  TransformCompiler,
  AgentDispatch,
  AgentPolicy,
  SessionPolicy,
  ModelPolicy,
  EventAcceptance,
  WorkLoop,
  RunStep,
  HeartbeatStep,
  DeliveryStep,
  HeartbeatSchedule,
  Turns,
  SessionTurns,
  Outbox,
  Addressing,
  ChannelRegistry,
  ChannelHealth,
  ChannelOperations,
  Retention,
  HookPreview,
  ActionPreview,
];
