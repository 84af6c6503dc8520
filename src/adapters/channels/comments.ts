import type { OutgoingMessage } from '../../hooks/ports/channel.ts';
import type { HttpAnswer } from '../../platform/http-client.ts';
import { getField } from '../../platform/objects.ts';
import type { Explanation } from './delivery-errors.ts';
import { withoutCommands, withoutMentions, withoutReferences } from './markdown.ts';
import { Marker } from './marker.ts';
import { PlatformChannel, joinUrl, postJson } from './platform-channel.ts';

export interface CommentOptions {
  readonly token: string;
  /** Where it may comment, whatever a message names: `acme/shop`, or all below `acme/*`; `*` is everywhere. */
  readonly repositories: readonly string[];
}

/** One place on a platform of code, as recipients name it: `acme/shop#7`. */
export interface Item {
  readonly repository: string;
  /** `!` is a merge request where those have numbers of their own. */
  readonly sign: string;
  readonly number: string;
  /** Of a thread that is answered, as the platform names it; undefined: the item itself is. */
  readonly thread?: string;
}

const PART = String.raw`(?!\.{1,2}(?:[/#!]|$))[\w.-]{1,100}`;
/** No part of a path is `.` or `..`. */
const ITEM = new RegExp(`^(${PART}(?:/${PART}){1,20})([#!])([1-9]\\d{0,9})(?:/(\\w{1,40}))?$`);
const PATTERN = new RegExp(String.raw`^(?:\*|${PART}(?:/${PART})*(?:/\*)?)$`);

/** A comment notifies nobody, links and commands nothing, and is known again, so that it is not answered. */
export abstract class CommentChannel extends PlatformChannel {
  override readonly onlyAnswers = true;
  protected override readonly limit = 20_000;
  protected override readonly recipient = null;
  protected abstract readonly signs: readonly string[];
  /** How many parts a repository has at most. */
  protected abstract readonly depth: number;
  /** What a thread looks like that may stand behind the number; null: none may. */
  protected readonly thread: RegExp | null = null;
  readonly #marker: Marker;
  readonly #repositories: readonly string[];
  readonly #root: string;
  readonly #token: string;

  /** @throws Error when `repositories` names none, or something else */
  constructor(name: string, { token, repositories }: CommentOptions, apiRoot: string) {
    super({ name, secrets: [token] });
    if (repositories.length === 0)
      throw new Error('repositories is empty; name where it may comment');
    const wrong = repositories.find((one) => !PATTERN.test(one));
    if (wrong !== undefined) {
      throw new Error(`repositories holds "${wrong}"; write acme/shop, acme/* or *`);
    }
    this.#root = apiRoot;
    this.#token = token;
    this.#marker = new Marker(token);
    this.#repositories = repositories.map((one) => one.toLowerCase());
  }

  override expectedInsteadOf(to: string): string | null {
    const item = this.#parse(to);
    if (item !== null && this.#isAllowed(item.repository)) return null;
    const examples = this.signs.map((sign) => `acme/shop${sign}7`).join(' or ');
    return `an issue in one of ${this.#repositories.join(', ')} (repositories), such as ${examples}`;
  }

  override isOwn(text: string): boolean {
    return this.#marker.isOn(text);
  }

  async send({ to, text }: OutgoingMessage, signal: AbortSignal): Promise<{ messageId: string }> {
    const item = this.#parse(to);
    if (item === null) throw new TypeError('no recipient of comments');
    const request = postJson({ body: this.#marker.on(text) }, signal, this.headers(this.#token));
    const answer = await this.request(joinUrl(this.#root, this.path(item)), request);
    const id: unknown = getField(answer.json, 'id');
    if (answer.status === 201 && typeof id === 'number') return { messageId: String(id) };
    throw this.refusal(answer, this.explain(answer));
  }

  protected abstract headers(token: string): Readonly<Record<string, string>>;

  protected abstract path(item: Item): string;

  protected abstract explain(answer: HttpAnswer): Explanation;

  /** A cut may bring what stood within a line to the beginning of one. */
  override parts(markdown: string): readonly string[] {
    return super.parts(markdown).map(withoutCommands);
  }

  protected override form(markdown: string): string {
    return withoutReferences(withoutMentions(markdown));
  }

  #parse(to: string): Item | null {
    const [, repository = '', sign = '', number = '', thread] = ITEM.exec(to) ?? [];
    const parts = repository.split('/').length;
    const isKnown = this.signs.includes(sign) && parts <= this.depth;
    if (!isKnown || (thread !== undefined && this.thread?.test(thread) !== true)) return null;
    return { repository, sign, number, ...(thread !== undefined && { thread }) };
  }

  /** Platforms of code tell no letters apart by their case. */
  #isAllowed(repository: string): boolean {
    const name = repository.toLowerCase();
    return this.#repositories.some((one) => {
      if (one === '*') return true;
      return one.endsWith('/*') ? name.startsWith(one.slice(0, -1)) : name === one;
    });
  }
}
