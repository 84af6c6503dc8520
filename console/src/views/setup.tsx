import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { answer, api } from '../api/client.ts';
import type { Api } from '../api/client.ts';
import { asApiError, useResource } from '../api/resource.ts';
import { copy } from '../ui/copy.ts';
import { Visible } from '../ui/foreign-text.tsx';
import { May } from '../ui/may.tsx';
import { tell } from '../ui/notices.tsx';
import { Loaded } from '../ui/page.tsx';
import './setup.css';

type Conversation = NonNullable<Api<'SetupState'>['conversation']>;
type Entry = Api<'SetupEntry'>;
type Question = NonNullable<Conversation['question']>;

const EVERY_MS = 10_000;
/** While it is under way. */
const OFTEN_MS = 700;

/** `hooks setup`, asked and answered here: the service runs the command, and this shows what it says. */
export function Setup() {
  return (
    <May role="configure">
      <Guide />
    </May>
  );
}

function Guide() {
  const [everyMs, setEvery] = useState(EVERY_MS);
  const state = useResource(() => answer(api.GET('/ops/api/setup')), [], everyMs);
  const isUnderWay = state.data?.conversation?.ending === null;
  useEffect(() => setEvery(isUnderWay ? OFTEN_MS : EVERY_MS), [isUnderWay]);
  const change = async (call: () => Promise<unknown>) => {
    await call().catch((error: unknown) => tell(asApiError(error).message, 'failed'));
    state.reload();
  };
  return (
    <section class="card setup" aria-label="Guided setup">
      <h2>From here to the first reply</h2>
      <Loaded from={state}>
        {({ refusal, conversation }) =>
          conversation === null ? (
            <Beginning refusal={refusal} change={change} />
          ) : (
            <Talk key={conversation.id} of={conversation} change={change} />
          )
        }
      </Loaded>
    </section>
  );
}

type Change = (call: () => Promise<unknown>) => Promise<void>;

function Beginning({ refusal, change }: { refusal: string | null; change: Change }) {
  if (refusal !== null) return <p class="help">{refusal}</p>;
  return (
    <>
      <p class="help">
        Connects a model, a place for replies and a sender, tries each, and ends with the reply to a
        first event. Nothing is written before all was tried. At a terminal it is{' '}
        <code>hooks setup</code>.
      </p>
      <div class="actions">
        <button
          type="button"
          class="primary"
          onClick={() => void change(() => answer(api.POST('/ops/api/setup')))}
        >
          Set it up
        </button>
      </div>
    </>
  );
}

function Talk({ of, change }: { of: Conversation; change: Change }) {
  const { id, by, isYours, entries, question, eventId, ending } = of;
  const path = { path: { id } };
  const end = () => void change(() => answer(api.DELETE('/ops/api/setup/{id}', { params: path })));
  const reply = (number: number, text: string) =>
    change(() =>
      answer(
        api.POST('/ops/api/setup/{id}/answer', {
          params: path,
          body: { question: number, answer: text },
        }),
      ),
    );
  return (
    <>
      <div role="log" aria-label="What was said" class="said">
        {blocksOf(entries).map((block, index) => (
          <Block key={index} entries={block} />
        ))}
      </div>
      {!isYours && <p class="help">{by} began it, and is asked.</p>}
      {question !== null && <Asked key={question.number} question={question} reply={reply} />}
      {isYours && question === null && ending === null && <p class="help">Working …</p>}
      {ending === 'done' && <p>Done.</p>}
      {ending === 'failed' && <p class="problem">It ended without a reply.</p>}
      <div class="actions">
        {eventId !== null && (
          <Link class="button" href={`/events/${eventId}`}>
            See the first event
          </Link>
        )}
        <button type="button" onClick={end}>
          {ending === null ? 'Stop' : 'Close'}
        </button>
      </div>
    </>
  );
}

function Asked(props: {
  question: Question;
  reply: (number: number, text: string) => Promise<void>;
}) {
  const { kind, message, choices, initial, problem, number } = props.question;
  const [text, setText] = useState(initial ?? '');
  const [isSent, setSent] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Whoever does something else on this page goes on with it.
    if (document.activeElement !== document.body) return;
    form.current?.querySelector<HTMLElement>('input, select, button')?.focus();
  }, []);
  const send = async (said: string) => {
    setSent(true);
    await props.reply(number, said);
    setSent(false);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send(text);
  };
  const field = {
    id: 'setup-answer',
    'aria-describedby': problem === null ? undefined : 'setup-problem',
  };
  return (
    <form class="asked" ref={form} onSubmit={submit} autocomplete="off">
      {kind === 'confirm' ? (
        <strong id="setup-question">
          <Visible text={message} />
        </strong>
      ) : (
        <label for="setup-answer">
          <Visible text={message} />
        </label>
      )}
      {problem !== null && (
        <p id="setup-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
      {kind === 'select' && (
        <select
          {...field}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
      {(kind === 'text' || kind === 'password') && (
        <input
          {...field}
          type={kind}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div class="actions">
        {kind === 'confirm' ? (
          choices.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              aria-describedby="setup-question"
              class={value === initial ? 'primary' : undefined}
              disabled={isSent}
              onClick={() => void send(value)}
            >
              {label}
            </button>
          ))
        ) : (
          <button type="submit" class="primary" disabled={isSent}>
            Answer
          </button>
        )}
      </div>
    </form>
  );
}

/** Lines of one kind that follow each other. */
function blocksOf(entries: readonly Entry[]): Entry[][] {
  const blocks: Entry[][] = [];
  for (const entry of entries) {
    const last = blocks.at(-1);
    if (last?.[0]?.kind === entry.kind) last.push(entry);
    else blocks.push([entry]);
  }
  return blocks;
}

function Block({ entries }: { entries: readonly Entry[] }) {
  const kind = entries[0]!.kind;
  return (
    <div class={kind}>
      {entries.map(({ text }, index) => (
        <p key={index}>
          {kind === 'result' || kind === 'note' ? (
            <Copied text={text} />
          ) : (
            <Visible text={text || '(nothing)'} />
          )}
        </p>
      ))}
    </div>
  );
}

/** Addresses, secrets and ids: nobody types those. */
const TO_COPY = /https?:\/\/[\w./?=&%#:-]{4,}|[\w+/=-]{24,}/g;

/** A line, with a button behind what one would copy. */
function Copied({ text }: { text: string }) {
  let end = 0;
  const parts = [...text.matchAll(TO_COPY)].map(({ 0: found, index }) => {
    const before = text.slice(end, index);
    // The end of a sentence, and not of an address.
    const word = found.replace(/[.,;:]+$/, '');
    end = index + word.length;
    return (
      <span key={index}>
        <Visible text={before} />
        <code>
          <Visible text={word} />
        </code>
        <button
          type="button"
          class="quiet small"
          aria-label={`Copy ${word}`}
          onClick={() => void copy(word, 'Copied.')}
        >
          Copy
        </button>
      </span>
    );
  });
  return (
    <>
      {parts}
      <Visible text={text.slice(end)} />
    </>
  );
}
