import { readForeignContent } from '../support/foreign-content.ts';
import { Hooks } from '../support/hooks.ts';

let hooks: Hooks;

const REPORT = 'application/vnd.security.vulnerability.report; version=1.1';

afterAll(() => hooks.close());

describe('POST /hooks/<name>', () => {
  beforeAll(async () => {
    hooks = await Hooks.start({
      presets: ['mail'],
      otherSecrets: ['the-secret-of-another-part'],
      models: {
        providers: {
          p: { type: 'openai', baseUrl: 'http://127.0.0.1:1/', apiKey: 'key-of-the-provider' },
        },
      },
      mappings: [
        {
          id: 'alerts',
          forEach: 'alerts',
          messageTemplate: '{{ item.name }} #{{ index }}',
          dedupeKey: '{{ item.id }}',
        },
        {
          match: { path: 'ci/build' },
          action: 'wake',
          textTemplate: 'Build {{ payload.n }} {{ query.q }}',
        },
        {
          id: 'typed',
          match: { path: 'ingest', source: 'shop' },
          instructions: 'Be brief.',
          to: '{{ to }}',
          channel: 'chan_2',
        },
        {
          id: 'boss',
          match: { path: 'mail' },
          when: { 'payload.messages[].fromAddress': { any: 'boss@example.org' } },
          messageTemplate: 'The boss: {{ messages[0].subject }}',
        },
        { id: 'wake', messageTemplate: 'never' },
        { id: 'lines', messageTemplate: [{ each: 'items', line: '{{ title }}', most: 200 }] },
        { id: 'each', forEach: 'items', messageTemplate: '{{ title }}' },
        { id: 'trusted', allowUnsafeExternalContent: true, messageTemplate: '{{ text }}' },
        {
          id: 'scan',
          when: {
            [`payload.scan_overview["${REPORT}"].severity`]: ['High', 'Critical'],
            'payload.id': '9007199254740993',
          },
          sessionKey: 'hook:{{ labels["app.kubernetes.io/name"] }}',
          dedupeKey: '{{ id }}',
          redact: [`scan_overview["${REPORT}"]["scan.key"]`],
          messageTemplate: `{{ scan_overview["${REPORT}"].severity }}: {{ scan_overview }} {{ labels.app.kubernetes.io/name }}`,
        },
        {
          id: 'rows',
          forEach: '["form rows"]',
          body: 'form',
          messageTemplate:
            '{{ ["First name"] }} {{ item }}{{ ["__proto__"] }}{{ ["constructor.name"] }}{{ item["constructor"] }}',
        },
        { id: 'headers', messageTemplate: 'a{{ headers.authorization }}b{{ headers.x-event }}' },
      ],
    });
  });

  it('makes one run per item, in order, each in the answer', async () => {
    const answer = await hooks.ask('/alerts', {
      alerts: [
        { name: 'cpu', id: 'a' },
        { name: 'disk', id: 'b' },
      ],
    });
    expect(answer['runIds']).toEqual([answer['runId'], expect.any(String)]);
    const details = await hooks.ended(answer['eventId']);
    expect(details).toMatchObject({ mapping: 'alerts', status: 'done' });
    expect(details.runs.map(({ prompt }) => /(cpu|disk) #\d/.exec(prompt ?? '')?.[0])).toEqual([
      'cpu #0',
      'disk #1',
    ]);
  });

  it.each(['lines', 'each'])('%s: one request makes no 200 MB of text', async (path) => {
    const body = { title: 'x'.repeat(500_000), items: Array.from({ length: 200 }, () => ({})) };
    const answer = await hooks.ask(`/${path}`, body);
    expect(answer).toMatchObject({ status: 500, code: 'mapping_failed' });
    const details = await hooks.details(answer['eventId']);
    expect(details).toMatchObject({ status: 'failed', runs: [] });
    expect(details.error).toContain('more than 16000000 characters');
    const usual = await hooks.ask(`/${path}`, { ...body, title: 'x' });
    expect(usual.status).toBe(200);
  });

  it('takes fields of any name, as Harbor, Kubernetes and forms have them', async () => {
    const scan = (id: string): string =>
      `{"id":${id},"scan_overview":{"${REPORT}":{"severity":"High","scan.key":"k"}},"labels":{"app":"shop","app.kubernetes.io/name":"api"}}`;
    const answer = await hooks.ask('/scan', scan('9007199254740993'));
    const { runs } = await hooks.ended(answer['eventId']);
    expect(runs[0]).toMatchObject({ sessionKey: 'hook:api' });
    const left = JSON.stringify({ [REPORT]: { severity: 'High', 'scan.key': '[left out]' } });
    expect(readForeignContent(runs[0]?.prompt)).toBe(`High: ${left} api`);
    const other = await hooks.ask('/scan', scan('9007199254740992'));
    expect(await hooks.details(other['eventId'])).toMatchObject({
      status: 'skipped',
      runs: [],
      skipped: 'no mapping takes it, because of their conditions: scan (payload.id)',
    });
  });

  it('takes such fields of a form, and none that every object has', async () => {
    const form = 'First+name=Ann&form+rows=one&form+rows=two&__proto__=x&constructor=y';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { eventId } = await hooks.ask('/rows', form, type);
    const { runs } = await hooks.ended(eventId);
    expect(runs.map(({ prompt }) => readForeignContent(prompt))).toEqual(['Ann one', 'Ann two']);
  });

  it('leaves out items that were seen before and answers with the rest', async () => {
    const first = await hooks.ask('/alerts', { alerts: [{ name: 'cpu', id: 1 }] });
    const second = await hooks.ask('/alerts', {
      alerts: [
        { name: 'cpu', id: 1 },
        { name: 'new', id: 3 },
      ],
    });
    expect(second['eventId']).not.toBe(first['eventId']);
    expect((await hooks.ended(second['eventId'])).runs).toHaveLength(1);
    const third = await hooks.post('/alerts', { alerts: [{ name: 'cpu', id: 1 }] });
    expect(third.headers.get('idempotent-replayed')).toBe('true');
    expect(await third.json()).toMatchObject({ eventId: first['eventId'] });
  });

  it.each([
    [true, 'boss', 'The boss: Pay'],
    [
      false,
      'mail',
      'New email from boss@example.org\nSender authenticated by the mail server: false\nSubject: Pay',
    ],
    [
      'unknown',
      'mail',
      'New email from boss@example.org\nSender authenticated by the mail server: unknown\nSubject: Pay',
    ],
    [undefined, 'boss', 'The boss: Pay'],
  ])('asks who wrote a mail of authentic mail: %s goes to %s', async (authentic, id, prompt) => {
    const message = { from: 'boss@example.org', fromAddress: 'boss@example.org', authentic };
    const body = {
      source: 'mail',
      messages: [{ ...message, id: `m${authentic}`, subject: 'Pay' }],
    };
    const details = await hooks.ended((await hooks.ask('/mail', body))['eventId']);
    expect(details.mapping).toBe(id);
    expect(details.runs).toMatchObject([{ prompt: expect.stringContaining(`\n${prompt}\n`) }]);
  });

  it('says so when there is nothing left to do', async () => {
    const answer = await hooks.ask('/alerts', { alerts: [] });
    const { eventId } = answer;
    expect(answer).toEqual({
      status: 200,
      ok: true,
      skipped: true,
      reason: 'alerts is empty',
      eventId,
    });
    expect(await hooks.details(eventId)).toMatchObject({
      status: 'skipped',
      skipped: 'alerts is empty',
      mapping: 'alerts',
      runs: [],
      deliveries: [],
      heartbeat: 'none',
    });
  });

  it('matches a path of several segments and reads the query', async () => {
    const answer = await hooks.ask('/ci/build?q=failed', { n: 7 });
    expect(answer).toMatchObject({ status: 200, mode: 'now' });
    await hooks.ended(answer['eventId']);
    expect(hooks.runner.turns.some(({ prompt }) => prompt.includes('Build 7 failed'))).toBe(true);
  });

  it('matches by the source of the payload, with no fall-through', async () => {
    expect(await hooks.ask('/ingest', { source: 'other' })).toMatchObject({
      status: 404,
      code: 'unknown_hook',
    });
    const { eventId } = await hooks.ask('/ingest', { source: 'shop', to: '99', text: 'hi' });
    const details = await hooks.ended(eventId);
    expect(details.runs[0]?.prompt).toMatch(
      /^Another system reports [^\n]*\n\nThe operator adds[^\n]*\nBe brief\.\n\nSECURITY NOTICE/,
    );
    expect(details.deliveries).toMatchObject([
      { channel: 'chan_2', to: '99', status: 'delivered' },
    ]);
  });

  it('never makes a recipient that came from content the last route', async () => {
    await hooks.ended((await hooks.ask('/ingest', { source: 'shop', to: '99' }))['eventId']);
    const { deliveries } = await hooks.ended(
      (await hooks.ask('/agent', { message: 'x' }))['eventId'],
    );
    expect(deliveries).toMatchObject([{ channel: 'chan_1', to: '+1', status: 'delivered' }]);
  });

  it('lets built-ins win over mappings of the same name', async () => {
    expect(await hooks.ask('/wake', { text: 'x' })).toMatchObject({ status: 200, mode: 'now' });
  });

  it('shows a trusted hook without the fence', async () => {
    const details = await hooks.ended(
      (await hooks.ask('/trusted', { text: 'as it is' }))['eventId'],
    );
    expect(details.runs[0]?.prompt).toMatch(/^as it is\n\nReceived: /);
  });

  it('keeps credentials in the query out of details and templates', async () => {
    const { eventId } = await hooks.ask('/ci/build?access_token=private&q=seen', { n: 1 });
    expect((await hooks.details(eventId)).request.query).toEqual({ q: 'seen' });
  });

  it.each(['the-secret-of-another-part', 'key-of-the-provider'])(
    'keeps %s, which only other sections name, out of all that a sender wrote',
    async (secret) => {
      const { eventId } = await hooks.ask(
        `/ci/build?q=${secret}`,
        {},
        { 'x-event': `a ${secret}` },
      );
      const { request } = await hooks.details(eventId);
      expect(request.query).toEqual({});
      expect(request.headers).not.toHaveProperty('x-event');
    },
  );

  it('keeps credentials out of templates and details', async () => {
    const { eventId } = await hooks.ask('/headers', {}, { 'x-event': 'E', cookie: 'c=1' });
    const details = await hooks.ended(eventId);
    expect(details.runs[0]?.prompt).toContain('\nabE\n');
    expect(Object.keys(details.request.headers)).not.toContain('authorization');
    expect(Object.keys(details.request.headers)).not.toContain('cookie');
  });

  it('never takes /hooks//wake as wake: here the mapping of every name takes it', async () => {
    const answer = await hooks.ask('//wake', { text: 'x' });
    expect(answer).toMatchObject({ status: 200, runId: expect.any(String) });
    expect(answer).not.toHaveProperty('mode');
  });
});
