/**
 * The package's public face: the module, the services it exports, and what starts it. What stands behind the ports has
 * faces of its own: `nestjs-agent-hooks/agents`, `/channels`, `/ledger`; the types of settings, policies and requests are
 * in `/options`, those of transforms in `/transform`, and what e2e tests need is in `/testing`.
 */
import './platform/required-node.ts';
export { HooksModule } from './hooks/hooks.module.ts';
export { InjectHooks, getHooksToken } from './hooks/inject-hooks.ts';
export type { HooksModuleExtras, HooksModuleOptions } from './hooks/hooks.options.ts';
export type { HookRouteDecorator } from './hooks/http/mount.ts';
export { HookBody } from './hooks/http/hook.decorators.ts';
export { HookGuard } from './hooks/http/hook.guard.ts';
export { HookValidationPipe } from './hooks/http/hook-validation.pipe.ts';
export { SignatureGuard } from './hooks/http/signature.guard.ts';
export { hooksOpenApi } from './hooks/operating/openapi.ts';
export type { OpenApiDocument } from './hooks/operating/openapi.ts';

export { OnHook, deliver, run, skip, wake } from './hooks/handlers/on-hook.ts';
export type { HookEvent, HookResult, OnHookOptions } from './hooks/handlers/on-hook.ts';

// Exported by the module: inject them, or replace them by `forRoot({ providers })`.
export { Hooks } from './hooks/hooks.service.ts';
export type { HookReceipt } from './hooks/hooks.service.ts';
export type { AgentPayload } from './hooks/http/dto/agent-payload.ts';
export type { WakePayload } from './hooks/http/dto/wake-payload.ts';
export { HookAuthentication } from './hooks/http/auth/hook-authentication.ts';
export { AuthFailureThrottler } from './hooks/http/auth/auth-failure.throttler.ts';
export { AgentPolicy } from './hooks/actions/action-resolver.ts';
export { ModelPolicy } from './hooks/actions/action-resolver.ts';
export { SessionPolicy } from './hooks/actions/session-policy.ts';
export { MappingService } from './hooks/mappings/mapping-service.ts';
export { TransformSandbox } from './hooks/transforms/transform-sandbox.ts';
export { AgentDispatch } from './hooks/work/agent-dispatch.ts';
export { ChannelDelivery } from './hooks/work/channel-delivery.ts';
export { AgentDirectory, AgentRunner } from './hooks/ports/index.ts';
export type { AgentReply, AgentTurn } from './hooks/ports/index.ts';
export { HooksSettings } from './hooks/options/index.ts';
export { ExternalServices } from './hooks/work/external-services.ts';
export { OperatorRequests } from './hooks/operating/operator-requests.ts';
export {
  Clock,
  EventStore,
  LedgerAdmin,
  Maintenance,
  Refusals,
  RequestObserver,
  Sessions,
} from './hooks/ports/index.ts';

export type { ObservedRequest } from './hooks/ports/index.ts';
export { ConfigurationError } from './hooks/options/index.ts';
export { Rejection } from './hooks/ports/rejection.ts';
export type { RejectionCode } from './hooks/ports/rejection.ts';
export { demoRunner } from './adapters/agents/index.ts';
export { sqliteLedger } from './ledger/sqlite/index.ts';
