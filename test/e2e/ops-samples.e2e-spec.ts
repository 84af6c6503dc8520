import { listSamples, presets } from '../../src/hooks/index.ts';
import type { SampleRequest, Samples } from '../../src/service/index.ts';
import { OperatedService } from '../support/operated-service.ts';

const SAMPLES = '/ops/api/samples';

let service: OperatedService;
beforeAll(async () => (service = await OperatedService.start()));
afterAll(() => service[Symbol.asyncDispose]());

async function listed(): Promise<Samples['presets']> {
  const { body } = await service.get(SAMPLES);
  return (body as unknown as Samples).presets;
}

async function sample(preset: string, name: string): Promise<SampleRequest> {
  const { status, body } = await service.get(`${SAMPLES}/${preset}/${name}`);
  expect(status).toBe(200);
  return body as unknown as SampleRequest;
}

describe('GET /ops/api/samples', () => {
  it('lists the samples of every preset that has some', async () => {
    const having = [...presets.keys()].filter((id) => listSamples(id).length > 0);
    const all = await listed();
    expect(all.map(({ preset }) => preset)).toEqual(having);
    const github = all.find(({ preset }) => preset === 'github');
    expect(github).toEqual({
      preset: 'github',
      sender: 'GitHub',
      hook: 'github',
      isEnabled: false,
      proof: 'own-secret',
      signsAddress: false,
      samples: listSamples('github'),
    });
  });

  it('has each of them as its sender would send it', async () => {
    for (const { preset, samples } of await listed()) {
      for (const name of samples) {
        const { body, headers, contentType } = await sample(preset, name);
        expect(body).toMatch(/\w/);
        expect(headers['content-type']).toBe(contentType);
        if (contentType === 'application/json') expect(JSON.parse(body)).toBeDefined();
      }
    }
  });

  it('has a form as the text that it is', async () => {
    const { hook, body, contentType, query } = await sample('twilio', listSamples('twilio')[0]!);
    expect(hook).toBe('twilio');
    expect(contentType).toMatch(/^application\/x-www-form-urlencoded/);
    expect([...new URLSearchParams(body)].length).toBeGreaterThan(3);
    expect(query).toEqual({});
  });

  it.each([
    ['nobody/x'],
    ['github/nothing'],
    ['generic/..%2f..%2f..%2f..%2fpackage'],
    ['..%2f..%2f..%2f..%2f..%2f/package'],
    ['github/%00'],
    ['__proto__/constructor'],
    [`github/${'x'.repeat(100)}`],
  ])('there is none of %s', async (path) => {
    const { status, body, text } = await service.get(`${SAMPLES}/${path}`);
    expect({ status, code: body['code'] }).toEqual({ status: 404, code: 'unknown_sample' });
    expect(text).not.toContain('nestjs');
  });
});
