import { hash, randomBytes } from 'node:crypto';
import { AgentError, AgentRunner } from '../../hooks/ports/agent-runner.ts';
import type { AgentReply, AgentTurn } from '../../hooks/ports/agent-runner.ts';
import type { CallbackSettings } from '../../hooks/ports/agent-directory.ts';
import { SystemClock } from '../../hooks/ports/clock.ts';
import type { Clock } from '../../hooks/ports/clock.ts';
import { CALLBACK_TOKEN, NO_MAPPING, callbackKey } from '../../hooks/ports/wait.ts';
import { parseJson } from '../../platform/objects.ts';
import { PROTOCOLS } from './callback-protocols.ts';
import type { Remote, Standing } from './callback-protocols.ts';

// An agent that runs elsewhere. Its turn is a few short steps, between which its run waits and costs a row:
//
//   begun ─▶ a token is drawn, and kept with the run before anybody is told
//         ─▶ started with it ─▶ a callback, or the time to ask ─▶ still working, or its result

interface State {
  readonly token: string;
  /** Epoch milliseconds at which its time is over. */
  readonly until: number;
  /** By what it is asked; empty: it cannot be. Absent: it is not started yet. */
  readonly task?: string;
}

const TOKEN_BYTES = 32;

/**
 * Runs agents elsewhere (`type: 'http'`, `mode: 'callback'`). The run waits meanwhile, over restarts of both sides: what
 * became of it comes by `POST {hooks.path}/runs/<runId>`, with a bearer token for this run alone, or is asked for. After
 * a crash only `plain` is started again, by its `Idempotency-Key`; any other run is interrupted.
 * @throws AgentError
 */
export function callbackRunner({ clock }: { readonly clock?: Clock } = {}): AgentRunner {
  return new CallbackRunner(clock ?? new SystemClock());
}

class CallbackRunner extends AgentRunner {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  async run(turn: AgentTurn, signal: AbortSignal): Promise<AgentReply> {
    const settings = requireSettings(turn);
    const now = this.#clock.now();
    const { resumed } = turn;
    // What ended badly is begun anew, by another token and so under another key.
    if (resumed === undefined || resumed.isRepeated === true) {
      const token = CALLBACK_TOKEN + randomBytes(TOKEN_BYTES).toString('base64url');
      return waiting({ token, until: now + settings.withinMs }, now);
    }
    const state = readState(resumed.state);
    const remote: Remote = { turn, settings, signal };
    if (!resumed.isApproved) {
      await this.#end(remote, state);
      throw new AgentError(resumed.reason ?? 'it was ended', 'permanent');
    }
    if (state.task === undefined) return this.#start(remote, state);
    const standing = await this.#standing(remote, state, resumed.event?.content);
    return this.#goOn(remote, state, standing);
  }

  /** Only a start is no question that could be asked twice. */
  override mayRepeat({ agent, resumed }: Pick<AgentTurn, 'agent' | 'resumed'>): boolean {
    if (agent.runner?.type !== 'callback' || resumed === undefined) return true;
    const isStarted = readState(resumed.state).task !== undefined;
    return isStarted || PROTOCOLS[agent.runner.protocol].isRepeatable(agent.runner);
  }

  async #start(remote: Remote, state: State): Promise<AgentReply> {
    const { turn, settings } = remote;
    const { token } = state;
    const callback = { url: turn.callbackUrl, token, key: `${turn.id}-${keyOf(token)}` };
    const protocol = PROTOCOLS[settings.protocol];
    const { task, standing } = await protocol.start(remote, callback).catch((error: unknown) => {
      const mayHaveBegun = error instanceof AgentError && error.kind === 'retryable';
      if (!mayHaveBegun || protocol.isRepeatable(settings)) throw error;
      throw new AgentError(`${error.message}; the agent may have begun`, 'permanent');
    });
    if (standing.is === 'working' && task === '' && callback.url === undefined) {
      const message =
        'the agent was started, and cannot say what became of it: set hooks.publicUrl to where it reaches this service';
      throw new AgentError(message, 'needs-operator');
    }
    return this.#goOn(remote, { ...state, task }, standing);
  }

  /** What it says itself; where it says nothing, what it answers. */
  async #standing(remote: Remote, { task = '' }: State, said?: string): Promise<Standing> {
    const protocol = PROTOCOLS[remote.settings.protocol];
    const told = said === undefined ? null : protocol.read(parseJson(said));
    if (told !== null) return told;
    if (task === '') return { is: 'working' };
    // Whoever does not answer now is asked again.
    return protocol.ask(remote, task).catch((error: unknown) => {
      if (!(error instanceof AgentError)) throw error;
      return { is: 'working', progress: error.message } as const;
    });
  }

  async #goOn(remote: Remote, state: State, standing: Standing): Promise<AgentReply> {
    if (standing.is === 'succeeded') return { text: standing.text };
    if (standing.is === 'failed') throw new AgentError(standing.error, 'permanent');
    const now = this.#clock.now();
    if (now >= state.until) {
      await this.#end(remote, state);
      throw new AgentError('it did not end in time', 'permanent');
    }
    const { pollSeconds } = remote.settings;
    const next = state.task === '' ? state.until : now + pollSeconds * 1000;
    return waiting(state, Math.min(next, state.until), standing.progress);
  }

  async #end(remote: Remote, { task = '' }: State): Promise<void> {
    if (task === '') return;
    const ending = PROTOCOLS[remote.settings.protocol].cancel(remote, task);
    await ending.catch((error: unknown) => {
      if (!(error instanceof AgentError)) throw error;
    });
  }
}

function waiting(state: State, askedAgainAt: number, question?: string): AgentReply {
  const { token } = state;
  const wait = { key: callbackKey(token), state: JSON.stringify(state), by: [NO_MAPPING] };
  return {
    text: '',
    waits: { ...wait, askedAgainAt, question: question ?? 'its agent to call back' },
  };
}

/** Tells one start of a run from another, and nothing of the token. */
function keyOf(token: string): string {
  return hash('sha256', token, 'base64url').slice(0, 8);
}

function readState(text: string): State {
  const state: State = JSON.parse(text);
  return state;
}

function requireSettings({ agent: { id, runner } }: AgentTurn): CallbackSettings {
  if (runner?.type === 'callback') return runner;
  throw new AgentError(`agent "${id}" does not run elsewhere`, 'permanent');
}
