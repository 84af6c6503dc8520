import type { ComponentChildren } from 'preact';
import type { Api } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignText, Visible } from '../../ui/foreign-text.tsx';
import { Prompt } from '../../ui/prompt.tsx';
import { Reply } from '../../ui/reply.tsx';
import { BASE } from '../../mount.ts';
import { Time, duration } from '../../ui/time.tsx';

// The story of an event as moments in the order of their times.

type Story = Api<'EventDetails'>;
type Run = Api<'RunDetails'>;
type Delivery = Api<'DeliveryDetails'>;
type Wait = Api<'WaitDetails'>;

export interface Moment {
  /** ISO 8601; null: nobody noted when. It stands where it belongs all the same. */
  readonly at: string | null;
  readonly title: ComponentChildren;
  readonly tone?: 'good' | 'bad';
  readonly body?: ComponentChildren;
}

export function momentsOf(story: Story): Moment[] {
  return [
    received(story),
    decided(story),
    ...story.runs.flatMap((run) => [
      ...runMoments(run),
      ...story.deliveries.filter(({ runId }) => runId === run.id).flatMap(deliveryMoments),
    ]),
    ...story.deliveries.filter(({ runId }) => runId === null).flatMap(deliveryMoments),
    ...(story.summary === null
      ? []
      : [
          {
            at: null,
            title: 'Told to the main session',
            body: <ForeignText label="Summary" text={story.summary} />,
          },
        ]),
    ...(story.heartbeat === 'none'
      ? []
      : [
          {
            at: null,
            title: (
              <>
                Heartbeat <Badge state={story.heartbeat} />
              </>
            ),
          },
        ]),
  ];
}

function received({ receivedAt, request, hook }: Story): Moment {
  return {
    at: receivedAt,
    title: `Received at ${hook}`,
    body: (
      <>
        <dl class="facts">
          <dt>From</dt>
          <dd>{request.client}</dd>
          <dt>Verified by</dt>
          <dd>{request.verifiedBy}</dd>
          <dt>Path</dt>
          <dd>
            <Visible text={request.path} />
          </dd>
          {request.replayOf !== undefined && (
            <>
              <dt>Replay of</dt>
              <dd>
                <a href={`${BASE}/events/${request.replayOf}`}>{request.replayOf}</a>
              </dd>
            </>
          )}
        </dl>
        <Folded title="Headers">
          <ForeignText label="Headers" text={lines({ ...request.headers, ...request.query })} />
        </Folded>
        {request.payload === null ? (
          <p class="faint">The payload was forgotten (store.payloadDays).</p>
        ) : (
          <Folded
            title={
              request.payloadBytes === undefined
                ? 'Payload'
                : `Payload, the beginning of ${request.payloadBytes} bytes`
            }
          >
            <ForeignText label="Payload" text={JSON.stringify(request.payload, undefined, 2)} />
          </Folded>
        )}
      </>
    ),
  };
}

const DECISIONS: Readonly<Record<string, string>> = {
  wake: 'wake the agent',
  deliver: 'send a message',
  handler: 'ask the application',
};

function decided({ actions, mapping, skipped, error, warnings, console: said }: Story): Moment {
  const what = actions.map(({ kind }) => DECISIONS[String(kind)] ?? 'run an agent');
  const isBroken = error !== null && actions.length === 0 && skipped === null;
  const title = isBroken
    ? `The mapping ${mapping ?? ''} broke, and nothing was done`
    : skipped === null
      ? `Decided to ${what.join(', ') || 'do nothing'}`
      : 'Skipped';
  return {
    at: null,
    title,
    tone: isBroken ? 'bad' : undefined,
    body: (
      <>
        {isBroken && <Problem text={error} />}
        {skipped !== null && (
          <p>
            <Visible text={skipped} />
          </p>
        )}
        {mapping !== null && <p class="faint">by the mapping {mapping}</p>}
        {warnings.map((warning) => (
          <p key={warning} class="callout busy">
            <Visible text={warning} />
          </p>
        ))}
        {actions.map((action, index) => (
          <Folded
            key={index}
            title={`Action ${index + 1}: ${String(action['name'] ?? action['kind'])}`}
          >
            <ForeignText label="Action" text={lines(action)} />
          </Folded>
        ))}
        {said.length > 0 && (
          <Folded title="What the transform wrote">
            <ForeignText label="Console of the transform" text={said.join('\n')} />
          </Folded>
        )}
      </>
    ),
  };
}

function runMoments(run: Run): Moment[] {
  const { startedAt, finishedAt, notes, status, prompt, reply, toolCalls, usage, warnings } = run;
  const { error, joined } = run;
  const began: Moment = {
    at: startedAt,
    title:
      startedAt === null ? (
        <>
          Run <Badge state={status} />
        </>
      ) : (
        `Run of ${run.agentId} began`
      ),
    body: (
      <>
        <dl class="facts">
          <dt>Session</dt>
          <dd>
            <Visible text={run.sessionKey} />
          </dd>
          {run.model !== null && (
            <>
              <dt>Model</dt>
              <dd>
                <Visible text={run.model} />
              </dd>
            </>
          )}
          {run.contract !== null && (
            <>
              <dt>Trust</dt>
              <dd>
                {run.contract.trust}; tools:{' '}
                {[run.contract.allowedTools].flat().join(', ') || 'none'}
              </dd>
            </>
          )}
        </dl>
        {prompt !== null && (
          <Folded title="What the agent was shown">
            <Prompt text={prompt} />
          </Folded>
        )}
      </>
    ),
  };
  const attempts = notes.map(({ at, attempt, outcome, error, nextAt }, index): Moment => ({
    at,
    title: `Attempt ${attempt}: ${outcome}`,
    tone: 'bad',
    body: (
      <>
        {error !== undefined && <Problem text={error} />}
        {index === notes.length - 1 && finishedAt === null && <NextAttempt at={nextAt} />}
      </>
    ),
  }));
  const tools = toolCalls.map(({ tool, outcome, ms, input, result }): Moment => ({
    at: null,
    title: (
      <>
        Tool <Visible text={tool} /> <Badge state={outcome} />{' '}
        <span class="faint">{duration(ms)}</span>
      </>
    ),
    tone: outcome === 'succeeded' ? 'good' : 'bad',
    body: (
      <Folded title="Input and result">
        <ForeignText label="Input" text={input ?? 'forgotten'} />
        <ForeignText label="Result" text={result ?? 'forgotten'} />
      </Folded>
    ),
  }));
  const asked = run.waits.flatMap(waitMoments);
  if (finishedAt === null) return [began, ...attempts, ...tools, ...asked];
  const ended: Moment = {
    at: finishedAt,
    title: (
      <>
        Run ended <Badge state={status} />
      </>
    ),
    tone: GOOD_ENDS.includes(status) ? 'good' : 'bad',
    body: (
      <>
        {error !== null && <Problem text={error} />}
        {joined !== null && <p class="faint">Its event is a line of run {joined}.</p>}
        {warnings.map((warning) => (
          <p key={warning} class="callout busy">
            <Visible text={warning} />
          </p>
        ))}
        {usage !== null && (
          <p class="faint">
            {usage.inputTokens.toLocaleString()} tokens read, {usage.outputTokens.toLocaleString()}{' '}
            written
          </p>
        )}
        {reply !== null && <Reply text={reply} />}
      </>
    ),
  };
  return [began, ...attempts, ...tools, ...asked, ended];
}

/** Ends of runs that nobody has to look after. */
const GOOD_ENDS: readonly string[] = ['succeeded', 'collected', 'skipped'];

const WAITS: Readonly<Record<Wait['kind'], string>> = {
  run: 'Waits for leave to begin',
  tools: 'Waits for leave to call tools',
  reply: 'Waits for leave to send the reply',
  event: 'Waits for an event',
};

function whoEnded(
  { by, event, reason }: NonNullable<Wait['decision']>,
  key: string | null,
): string {
  if (by !== null) return `by ${by}`;
  if (event !== null) return `by ${event.trust.mapping ?? event.hook}`;
  if (reason !== null) return 'nobody has to decide any more';
  return key === null ? 'nobody decided in time' : 'it did not come in time';
}

function waitMoments(wait: Wait): Moment[] {
  const { kind, openedAt, recipient, calls, key, question, decision } = wait;
  const asked: Moment = {
    at: openedAt,
    title: WAITS[kind],
    body: (
      <>
        {recipient !== null && (
          <p>
            to {recipient.channel} → <Visible text={recipient.to ?? 'nobody'} />
          </p>
        )}
        {calls.length > 0 && (
          <Folded title="Tool calls">
            <ForeignText
              label="Tool calls"
              text={calls.map(({ tool, input }) => `${tool} ${input}`).join('\n')}
            />
          </Folded>
        )}
        {key !== null && (
          <p>
            <Visible text={question === null ? key : `${key} (${question})`} />
          </p>
        )}
        {decision === null && key === null && <a href={`${BASE}/decisions`}>Decide</a>}
      </>
    ),
  };
  if (decision === null) return [asked];
  const { verdict, at, reason, text, event } = decision;
  const ended: Moment = {
    at,
    title: (
      <>
        <Badge state={verdict} /> {whoEnded(decision, key)}
      </>
    ),
    tone: verdict === 'approved' || verdict === 'resumed' ? 'good' : 'bad',
    body: (
      <>
        {event !== null && <a href={`${BASE}/events/${event.eventId}`}>Show what came</a>}
        {reason !== null && (
          <p>
            <Visible text={reason} />
          </p>
        )}
        {text !== null && <Reply text={text} />}
      </>
    ),
  };
  return [asked, ended];
}

function deliveryMoments({ channel, to, status, attempts, error, messageId }: Delivery): Moment[] {
  const isHandler = channel === 'handler';
  const what = isHandler ? 'Handler' : `Delivery to ${channel}`;
  const whole = (
    <>
      {what}
      {to !== null && (
        <>
          {isHandler ? ' ' : ' → '}
          <Visible text={to} />
        </>
      )}{' '}
      <Badge state={status} />
    </>
  );
  const tone =
    status === 'delivered' ? 'good' : ['dead', 'unknown'].includes(status) ? 'bad' : undefined;
  const tried = attempts.map(({ at, attempt, outcome, error: why, nextAt }, index): Moment => ({
    at,
    title: index === attempts.length - 1 ? whole : `${what}, attempt ${attempt}: ${outcome}`,
    tone: index === attempts.length - 1 ? tone : 'bad',
    body: (
      <>
        {why !== undefined && <Problem text={why} />}
        {index === attempts.length - 1 && status === 'pending' && <NextAttempt at={nextAt} />}
        {index === attempts.length - 1 && messageId !== null && (
          <p class="faint">
            Message <Visible text={messageId} />
          </p>
        )}
      </>
    ),
  }));
  if (tried.length > 0) return tried;
  return [
    {
      at: null,
      title: whole,
      tone,
      body: error === null ? undefined : <Problem text={error} />,
    },
  ];
}

/** When it is tried again; it may be later behind others, or while a channel rests. */
function NextAttempt({ at }: { at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <p class="faint">
      Next attempt: <Time at={at} /> at the earliest
    </p>
  );
}

/** Why something went wrong, in words that may quote anybody. */
function Problem({ text }: { text: string }) {
  return (
    <p class="problem">
      <Visible text={text} />
    </p>
  );
}

/** Something long, folded until somebody wants to see it. */
function Folded({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>
        <Visible text={title} />
      </summary>
      {children}
    </details>
  );
}

/** `name: value` lines; what is no text as JSON. */
function lines(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}`,
    )
    .join('\n');
}
