import { ScriptedServer } from '../support/scripted-server.ts';
import { isRecord } from '../../src/platform/objects.ts';

interface ReceivedSpan {
  readonly instance: unknown;
  readonly traceId: unknown;
  readonly spanId: unknown;
  readonly parentSpanId: unknown;
  readonly name: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** `POST /v1/traces` of OTLP/HTTP, in JSON. */
export class OtlpReceiver extends ScriptedServer {
  private constructor() {
    super(() => ({ status: 200, headers: { 'content-type': 'application/json' }, chunks: ['{}'] }));
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await receiver.listen();
    return receiver;
  }

  trace(traceId: string): ReceivedSpan[] {
    return this.requests
      .flatMap(({ body }) => listIn(body, 'resourceSpans'))
      .flatMap((of) => {
        const instance = attributesIn(fieldOf(of, 'resource'))['service.instance.id'];
        const spans = listIn(of, 'scopeSpans').flatMap((scope) => listIn(scope, 'spans'));
        return spans.map((span) => ({
          instance,
          traceId: fieldOf(span, 'traceId'),
          spanId: fieldOf(span, 'spanId'),
          parentSpanId: fieldOf(span, 'parentSpanId'),
          name: fieldOf(span, 'name'),
          attributes: attributesIn(span),
        }));
      })
      .filter((span) => span.traceId === traceId);
  }
}

function attributesIn(holder: unknown): Record<string, unknown> {
  const pairs = listIn(holder, 'attributes').map((one): [string, unknown] => {
    const value = fieldOf(one, 'value');
    return [String(fieldOf(one, 'key')), isRecord(value) ? Object.values(value)[0] : undefined];
  });
  return Object.fromEntries(pairs);
}

function listIn(holder: unknown, name: string): unknown[] {
  const list = fieldOf(holder, name);
  return Array.isArray(list) ? list : [];
}

function fieldOf(holder: unknown, name: string): unknown {
  return isRecord(holder) ? holder[name] : undefined;
}
