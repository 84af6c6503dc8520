// Preloaded by a service (`node --import`), as an SDK of OpenTelemetry is: whatever ends there is told to OTLP_ENDPOINT, in
// the JSON of OTLP/HTTP (opentelemetry-proto, opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto, in
// the names of its JSON mapping), in the same moment.
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

const { OTLP_ENDPOINT = '', OTLP_INSTANCE = '' } = process.env;

const toAttributes = (attributes: Readonly<Record<string, unknown>>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: String(value) },
  }));

function toSpan(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  const { name, attributes, parentSpanContext, status } = span;
  const parentSpanId = parentSpanContext?.spanId;
  return { traceId, spanId, parentSpanId, name, attributes: toAttributes(attributes), status };
}

class OtlpExporter implements SpanExporter {
  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    const resource = { attributes: toAttributes({ 'service.instance.id': OTLP_INSTANCE }) };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(toSpan) }] }] };
    const headers = { 'content-type': 'application/json' };
    void fetch(OTLP_ENDPOINT, { method: 'POST', headers, body: JSON.stringify(body) }).then(
      () => done({ code: 0 }),
      (error: unknown) => done({ code: 1, error: error as Error }),
    );
  }

  async shutdown(): Promise<void> {}
}

new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new OtlpExporter())],
}).register();
