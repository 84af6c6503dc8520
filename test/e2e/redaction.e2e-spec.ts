import { EventStore, OperatorRequests } from '../../src/hooks/index.ts';
import { writtenDigest } from '../../src/hooks/options/index.ts';
import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks, TOKEN } from '../support/hooks.ts';

const ZOOM = {
  event: 'recording.completed',
  download_token: 'abc-download-token',
  payload: {
    object: { topic: 'Standup', password: 'hunter2', host: { email: 'ann@example.org' } },
  },
};

const KNOWN_BY_DIGEST = 'a-token/of+a-sender-that-is-a-digest-here';

let hooks: Hooks;

beforeAll(async () => {
  hooks = await Hooks.start({
    tokens: [{ id: 'ci', token: writtenDigest(KNOWN_BY_DIGEST), hooks: ['*'] }],
    mappings: [
      { id: 'plain' },
      { id: 'whole', messageTemplate: 'Got {{ payload }}' },
      { id: 'named', messageTemplate: '{{ download_token }} {{ payload.payload.object }}' },
      {
        id: 'ruled',
        redact: ['payload.payload.object.host.email', 'people[].mail'],
        keep: ['download_token'],
      },
      { id: 'each', forEach: 'people', redact: ['people[].mail'] },
      { id: 'keyed', messageTemplate: 'x', dedupeKey: '{{ login }}' },
      { id: 'ids', messageTemplate: 'Order {{ id }} {{ parts }}', dedupeKey: '{{ id }}' },
      { id: 'any', match: {}, messageTemplate: '{{ path }} {{ headers }} {{ query }}' },
    ],
  });
});
afterAll(() => hooks.close());

async function sent(path: string, body: unknown, headers = {}) {
  const { eventId } = await hooks.ask(path, body, headers);
  const details = await hooks.ended(eventId);
  return { details, messages: details.runs.map(({ prompt }) => readForeignContent(prompt)) };
}

describe('credentials in bodies (behaviour §7)', () => {
  it.each([
    ['without a template', '/plain', ''],
    ['where a template asks for all of it', '/whole', 'Got '],
  ])('are left out %s', async (_, path, before) => {
    const { messages, details } = await sent(path, ZOOM);
    const shown = structuredClone(ZOOM);
    shown.download_token = shown.payload.object.password = '[left out]';
    expect(messages).toEqual([before + JSON.stringify(shown)]);
    expect(details.request.payload).toEqual(shown);
    expect(details.actions[0]).not.toHaveProperty('signals');
  });

  it('are given to a template that names them, but not inside of what it names', async () => {
    const { messages } = await sent('/named', ZOOM);
    expect(messages).toEqual([
      'abc-download-token {"topic":"Standup","password":"[left out]","host":{"email":"ann@example.org"}}',
    ]);
  });

  it('are what the mapping says, too, in the prompt and in the story', async () => {
    const body = { ...ZOOM, people: [{ name: 'Bo', mail: 'bo@example.org' }] };
    const { messages, details } = await sent('/ruled', body);
    const [message = ''] = messages;
    expect(message).toContain('abc-download-token');
    expect(message).not.toMatch(/example\.org|hunter2/u);
    expect(JSON.stringify(details.request.payload)).toBe(message);
    expect((await sent('/each', body)).messages).toEqual(['{"name":"Bo","mail":"[left out]"}']);
  });

  it('are there again in a replay: what is stored is what came', async () => {
    const { details } = await sent('/plain', ZOOM);
    const stored = await hooks.app.get(EventStore).storedRequest(details.id);
    expect(stored?.payload).toBe(JSON.stringify(ZOOM));
    const replayed = await hooks.app.get(OperatorRequests).replay(details.id);
    expect(replayed).toMatchObject({ outcome: 'replayed', answer: { status: 200 } });
  });

  it('tell payloads apart that differ in nothing else', async () => {
    const login = (password: string) => ({ login: { user: 'ann', password } });
    for (const [password, replayed] of [
      ['a', null],
      ['b', null],
      ['a', 'true'],
    ]) {
      const { headers } = await hooks.post('/keyed', login(password!));
      expect(headers.get('idempotent-replayed')).toBe(replayed);
    }
  });
});

describe('our own tokens (found/security.md 9)', () => {
  it('are nowhere in the log, the story or the prompt, wherever a sender puts them', async () => {
    const token = TOKEN;
    const answer = await hooks.ask(
      `/in/${token}/x?key=1&note=${token}&code=K&sig=S&team=ops`,
      {},
      { 'x-hook-key': token, 'x-note': `see ${token}`, 'ocp-apim-subscription-key': 'k' },
    );
    const details = await hooks.ended(answer['eventId']);
    expect(details).toMatchObject({
      hook: 'in/[left out]/x',
      request: { path: 'in/[left out]/x', query: { team: 'ops' } },
    });
    expect(JSON.stringify(details)).not.toContain(token);
    expect(hooks.log.lines.some((line) => JSON.stringify(line).includes('in/[left out]/x'))).toBe(
      true,
    );
  });
});

describe('a token of which we know the digest only', () => {
  it('is as absent as ours that are written out', async () => {
    const answer = await hooks.ask(
      `/in/${KNOWN_BY_DIGEST}/x?note=${KNOWN_BY_DIGEST}&team=ops`,
      {},
      { authorization: `Bearer ${KNOWN_BY_DIGEST}`, 'x-note': KNOWN_BY_DIGEST },
    );
    const details = await hooks.ended(answer['eventId']);
    expect(details).toMatchObject({
      hook: 'in/[left out]/x',
      request: { path: 'in/[left out]/x', query: { team: 'ops' } },
    });
    expect(JSON.stringify([details, hooks.log.lines])).not.toContain(KNOWN_BY_DIGEST);
  });
});

describe('numbers beyond 2^53 (found/security.md 6)', () => {
  it('reach prompts and keys with every digit', async () => {
    const body = (id: string) => `{"id":${id},"parts":[${id},1.5]}`;
    const first = await sent('/ids', body('9007199254740993'));
    const second = await sent('/ids', body('9007199254740992'));
    expect([...first.messages, ...second.messages]).toEqual([
      'Order 9007199254740993 [9007199254740993,1.5]',
      'Order 9007199254740992 [9007199254740992,1.5]',
    ]);
    expect(JSON.stringify(first.details.request.payload)).toBe(body('9007199254740993'));
  });

  it('keep them where no double goes so far: in a template, the whole payload and the story', async () => {
    const body = '{"id":1e400,"parts":[-1e400,1e-400]}';
    const { messages, details } = await sent('/ids', body);
    expect(messages).toEqual(['Order 1e400 [-1e400,1e-400]']);
    expect(JSON.stringify(details.request.payload)).toBe(body);
    expect((await sent('/plain', body)).messages).toEqual([body]);
  });
});
