// npm run bench:mixed [-- --seconds 60 --rate 200 --senders 12 --idle 60 --checkout ../other]: the whole way of a request:
// events of 1.5 KB, each with a run by a gateway that answers at once and a delivery to a server that takes it. Says what
// one costs the processor and the disk, and what memory it takes while it lasts and after it. The fake gateway and receiver
// are in this process.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HERE, TOKEN, startService } from './services.mjs';
import { atMost, printTable } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    senders: { type: 'string', default: '12' },
    idle: { type: 'string', default: '60' },
    checkout: { type: 'string', default: HERE },
  },
});
/** A quarter of the 97 KB that one wrote before the ledger's second edition, and the memory then aimed at. */
const AIMS = { writtenKb: 24, loadedMb: 260 };
const MESSAGE = 'Disk almost full. '.repeat(83);
/** Deliveries to one recipient wait for each other. */
const RECIPIENTS = 100;
const SECRET = `whsec_${Buffer.alloc(32, 'bench').toString('base64')}`;
const REPLY = 'The disk of web-1 is 91 % full; the largest directory is /var/log.';

/** Reads each request and answers it by `answer`. */
async function startServer(answer) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

/** A turn of a gateway that speaks chat completions: one chunk, and its end. */
function answerTurn(_request, response) {
  const chunk = (delta, finish) => ({
    id: 'turn',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [chunk({ role: 'assistant', content: REPLY }, null), chunk({}, 'stop')];
  const lines = [...chunks.map((it) => JSON.stringify(it)), '[DONE]'];
  response.setHeader('content-type', 'text/event-stream');
  response.end(lines.map((line) => `data: ${line}\n\n`).join(''));
}

/** Posts at an even rate, one request at a time. @returns how many were accepted. */
async function send(url, end, intervalMs) {
  let accepted = 0;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  for (let due = performance.now(); due < end; due += intervalMs) {
    await delay(Math.max(0, due - performance.now()));
    const to = `recipient-${Math.floor(Math.random() * RECIPIENTS)}`;
    const body = JSON.stringify({ message: MESSAGE, channel: 'chan_1', to });
    const answer = await fetch(`${url}/hooks/agent`, { method: 'POST', headers, body });
    await answer.body.cancel();
    if (answer.status !== 200) throw new Error(`an event was answered ${answer.status}`);
    accepted += 1;
  }
  return accepted;
}

const delivered = new Set();
const gateway = await startServer(answerTurn);
const receiver = await startServer((request, response) => {
  delivered.add(request.headers['webhook-id']);
  response.end();
});
const channel = { provider: 'webhook', url: receiver.url, secrets: [SECRET], allowPrivate: true };
const service = await startService({
  checkout: resolve(values.checkout),
  gateway: gateway.url,
  channels: { chan_1: channel },
});
try {
  const idle = service.residentMb();
  const before = { written: service.writtenBytes(), cpu: service.cpuMicros() };
  const senders = Number(values.senders);
  const intervalMs = (1000 * senders) / Number(values.rate);
  const began = performance.now();
  const end = began + Number(values.seconds) * 1000;
  const sent = await Promise.all(
    Array.from({ length: senders }, () => send(service.url, end, intervalMs)),
  );
  const events = sent.reduce((sum, count) => sum + count, 0);
  while (delivered.size < events) await delay(50);
  const seconds = (performance.now() - began) / 1000;
  const loaded = service.residentMb();
  const peak = service.peakMb();
  const writtenKb = (service.writtenBytes() - before.written) / events / 1000;
  const cpu = (service.cpuMicros() - before.cpu) / events;
  await delay(Number(values.idle) * 1000);
  printTable(
    [`${events} events in ${seconds.toFixed(0)} s`, 'measured', 'aims'],
    [
      ['CPU per event', `${cpu.toFixed(0)} µs`, ''],
      ['written per event', `${writtenKb.toFixed(1)} KB`, atMost(AIMS.writtenKb, writtenKb, 'KB')],
      ['memory before', `${idle.toFixed(0)} MB`, ''],
      ['memory at the end', `${loaded.toFixed(0)} MB`, atMost(AIMS.loadedMb, loaded, 'MB')],
      ['memory, most', `${peak.toFixed(0)} MB`, atMost(AIMS.loadedMb, peak, 'MB')],
      [`memory ${values.idle} s later`, `${service.residentMb().toFixed(0)} MB`, ''],
    ],
  );
} finally {
  await service.stop();
  for (const { server } of [gateway, receiver]) {
    server.closeAllConnections();
    server.close();
  }
}
