// The least a Fastify server can do for the same request: parse the JSON, answer.
import Fastify from 'fastify';

const app = Fastify();
app.post('/hooks/wake', async () => ({ ok: true }));
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening on ${app.server.address().port}\n`);
