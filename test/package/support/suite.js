// A host's suite, for Jest and for Vitest, both with globals and without any set-up file.
import { Test } from '@nestjs/testing';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { EventStore, HooksModule, demoRunner } from 'nestjs-agent-hooks';
import { memoryLedger } from 'nestjs-agent-hooks/testing';

const token = 'a-token-only-for-this-consumer-test';

it('takes a wake', async () => {
  const options = { enabled: true, token, defaultSessionKey: 'hook:consumer' };
  const testing = await Test.createTestingModule({
    imports: [HooksModule.forRoot({ ...options, ledger: memoryLedger(), runner: demoRunner() })],
  }).compile();
  const app = testing.createNestApplication(new FastifyAdapter());
  await app.init();
  const answer = await app.inject({
    method: 'POST',
    url: '/hooks/wake',
    headers: { authorization: `Bearer ${token}` },
    payload: { text: 'hello', mode: 'next-heartbeat' },
  });
  expect(answer.statusCode).toBe(200);
  expect(await app.get(EventStore).get(answer.json().eventId)).toMatchObject({ hook: 'wake' });
  await app.close();
});
