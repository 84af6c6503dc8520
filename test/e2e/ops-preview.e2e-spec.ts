import { OperatedService } from '../support/operated-service.ts';

const PREVIEW = '/ops/api/preview';
const JSON_BODY = { 'content-type': 'application/json' };

let service: OperatedService;
beforeEach(async () => (service = await OperatedService.start()));
afterEach(() => service[Symbol.asyncDispose]());

function ask(body: string, token?: null) {
  return service.post(PREVIEW, { body, headers: JSON_BODY, ...(token === null && { token }) });
}

describe('POST /ops/api/preview', () => {
  it('hands over the request as it was described', async () => {
    const described = { hook: 'ci', payload: [1, { a: null }], headers: { 'x-a': 'b' }, query: {} };
    expect(await ask(JSON.stringify(described))).toMatchObject({
      status: 200,
      body: { hook: 'ci' },
    });
    expect(service.requests.journal).toMatchObject([described]);
  });

  it('takes any payload, whatever its keys are called', async () => {
    const payload = { constructor: 1, prototype: { constructor: { prototype: 2 } }, toString: 3 };
    expect(await ask(JSON.stringify({ hook: 'ci', payload }))).toMatchObject({ status: 200 });
    expect(service.requests.journal).toMatchObject([{ hook: 'ci', payload }]);
  });

  it('takes an absent payload for {}', async () => {
    await ask('{"hook":"ci"}');
    expect(service.requests.journal).toMatchObject([{ hook: 'ci', payload: {} }]);
  });

  it('looks at the request of an event', async () => {
    expect(await ask('{"event":"e1"}')).toMatchObject({ status: 200, body: { hook: 'of e1' } });
  });

  it.each([
    ['unknown', 404, 'unknown_event'],
    ['pruned', 410, 'payload_pruned'],
  ])('of an event that is %s is %i', async (event, status, code) => {
    expect(await ask(JSON.stringify({ event }))).toMatchObject({ status, body: { code } });
  });

  it.each([
    ['', 'hook'],
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['{"hook":', 'JSON object'],
    ['{"hook":7}', 'hook'],
    ['{"hook":"ci","headers":{"a":1}}', 'headers must be an object of texts'],
    ['{"hook":"ci","query":["a"]}', 'query must be an object of texts'],
    ['{"hook":"ci","color":"red"}', 'color'],
    ['{"hook":"ci","constructor":1}', 'constructor'],
    ['{"hook":"ci","headers":{"constructor":{"prototype":1}}}', 'headers must be an object'],
    [`{"hook":"ci","payload":${'['.repeat(100_000)}`, 'levels'],
  ])('refuses the body %.40s', async (body, said) => {
    const answer = await ask(body);
    expect(answer).toMatchObject({ status: 400, body: { ok: false, code: 'invalid_body' } });
    expect(answer.body['error']).toContain(said);
    expect(service.requests.journal).toEqual([]);
  });

  it('refuses more than 2 MB', async () => {
    const answer = await ask(`{"hook":"ci","payload":"${'x'.repeat(2 * 1024 * 1024)}"}`);
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect(service.requests.journal).toEqual([]);
  });
});
