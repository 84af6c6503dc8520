import { traced } from '../../platform/tracing.ts';
import type { OpenSpan, SpanStart } from '../../platform/tracing.ts';
import { HANDLER, mainSession } from '../ports/index.ts';
import type { Lease } from '../ports/index.ts';
import type { StepResult } from './step.ts';

// A step as a span, in the words of OpenTelemetry's conventions for agents (gen-ai-agent-spans.md, in development) and for
// messages. A turn belongs to the trace of its event, and a delivery to its turn, whichever process does them. Wakes meet
// in a heartbeat, which is a trace of its own.

export function tracedStep(lease: Lease, perform: () => Promise<StepResult>): Promise<StepResult> {
  const span = spanOf(lease);
  if (span === undefined) return perform();
  return traced({ ...span, isDetached: true }, async (open) => {
    const result = await perform();
    describe(open, result);
    return result;
  });
}

function spanOf({ kind, job, ref, eventId, attempt }: Lease): SpanStart | undefined {
  if (kind === 'notice') return undefined;
  const ids = {
    'hooks.attempt': attempt,
    ...(eventId !== null && { 'hooks.event.id': eventId }),
  };
  if (kind === 'delivery' && job.channel === HANDLER) {
    const { hook, trace: parent, deliveryId } = job;
    return {
      name: `handle ${hook}`,
      kind: 'CONSUMER',
      parent,
      attributes: { ...ids, 'hooks.delivery.id': deliveryId },
    };
  }
  if (kind === 'delivery') {
    return {
      name: `send ${job.channel}`,
      kind: 'PRODUCER',
      parent: job.trace,
      attributes: {
        ...ids,
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': job.channel,
        'hooks.delivery.id': job.deliveryId,
      },
    };
  }
  const { agentId } = job;
  const isRun = kind === 'run';
  return {
    name: `invoke_agent ${agentId}`,
    parent: isRun ? job.trace : undefined,
    attributes: {
      ...ids,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': agentId,
      'gen_ai.conversation.id': isRun ? job.session : mainSession(agentId),
      ...(isRun && ref !== null && { 'hooks.run.id': ref }),
    },
  };
}

/** Errors are told by their kind: their words may be a provider's or a platform's. */
function describe(span: OpenSpan, { outcome, changes }: StepResult): void {
  // Nobody was asked, and nothing was sent.
  if (outcome.type === 'cut' || outcome.type === 'release') span.drop();
  if (outcome.type === 'rest' && !outcome.asked) span.drop();
  span.set({ 'hooks.outcome': outcome.type });
  const isCutOff = outcome.type === 'retry' && outcome.interrupted === true;
  if (['dead', 'retry', 'rest'].includes(outcome.type) && !isCutOff) span.fail(outcome.type);
  for (const change of changes) {
    if (change.type === 'delivery-update' && change.status !== undefined) {
      span.set({ 'hooks.delivery.status': change.status });
    }
    if (change.type !== 'run-update' || change.status === undefined) continue;
    const { status, model, usage } = change;
    span.set({ 'hooks.run.status': status, 'gen_ai.response.model': model });
    if (usage === undefined) continue;
    span.set({
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    });
  }
}
