// The face of the hooks: all that the standalone service, the operator API, mail and the commands import. The package's
// own faces (src/index.ts and its neighbours) name the files behind it.
export { isLoopback } from '../platform/http-client.ts';
export { checkOptions, configuredHooks, configuredModels } from './operating/inspect-options.ts';
export { HooksModule, ingressOf } from './hooks.module.ts';
export type { HooksModuleExtras, HooksModuleOptions } from './hooks.options.ts';
export { Hooks } from './hooks.service.ts';
export { getHooksToken } from './inject-hooks.ts';
export { OpenedLedger } from './opened-ledger.ts';
export type { ConfiguredHook } from './operating/inspect-options.ts';
export type { MappingTrial } from './operating/mapping-trial.ts';
export { tryEvent } from './operating/event-trial.ts';
export type { ComparedEvent } from './operating/event-trial.ts';
export type { KeptRequest } from './http/stored-request.ts';
export { HookPreview } from './operating/hook-preview.ts';
export type { Preview, PreviewRequest, PreviewedAction } from './operating/hook-preview.ts';
export { OperatorRequests } from './operating/operator-requests.ts';
export type { PostedAnswer } from './operating/operator-requests.ts';

export { signRequest } from './http/auth/signatures/index.ts';
export { compilePathRules, tokenHeaderOf } from './http/path-rules.ts';
export type { PathRule } from './http/path-rules.ts';
export {
  clientAddress,
  failureClient,
  forwardedClient,
  isTrustedProxy,
  parseAddress,
  parseRange,
} from './http/auth/client-address.ts';
export type { TrustedRange } from './http/auth/client-address.ts';
export { AuthFailureThrottler } from './http/auth/auth-failure.throttler.ts';
export { secretName } from './http/auth/hook-tokens.ts';
export { HookAuthentication } from './http/auth/hook-authentication.ts';
export { parseBearer } from './http/auth/presented-token.ts';
export type { HookRouteDecorator } from './http/mount.ts';
export { HookGuard } from './http/hook.guard.ts';
export { secretHandshake } from './http/secret-windows.ts';
export type { SecretWindow, TakenSecret } from './http/secret-windows.ts';
export { parseJson } from './http/parse-json.ts';
export {
  SENDERS_DIR,
  bodyOf,
  listSamples,
  presets,
  readSample,
  schemes,
  sendersOf,
} from './senders/index.ts';
export type { Preset, Sample, Senders, SignatureScheme } from './senders/index.ts';

export { bareName } from './actions/hook-request.ts';
export { isMetBy } from './mappings/parse-when.ts';
export { TransformSandbox } from './transforms/transform-sandbox.ts';
export { serviceOpenApi } from './operating/openapi.ts';
export type { OpenApiDocument } from './operating/openapi.ts';
export type { RestingBackend } from './work/backend-health.ts';
export { ExternalServices } from './work/external-services.ts';
export type { ChannelReport } from './work/external-services.ts';
export { ChannelDelivery } from './work/channel-delivery.ts';
export { defaultChannel, unservedChannels } from './work/channel-delivery.ts';

export * from './options/index.ts';
export * from './ports/index.ts';
export { REJECTIONS, Rejection, describeRefused } from './ports/rejection.ts';
export type { RejectionCode } from './ports/rejection.ts';
