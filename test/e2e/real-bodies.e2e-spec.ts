import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { GOOD, openIngress } from '../support/ingress-host.ts';
import type { Ingress } from '../support/ingress-host.ts';
import { hmac } from '../support/signed.ts';

const SECRET = 'what-the-sender-signs-its-text-with';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const PARTS_TYPE = { 'content-type': 'multipart/form-data; boundary=XX' };

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const gzip = { 'content-encoding': 'gzip' };
const type = (text: string): Record<string, string> => ({ 'content-type': text });

/** A part by its name, with whatever else its headers say. */
const part = (name: string, value: string | Buffer, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--XX\r\nContent-Disposition: form-data; name=${name}${more}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const parts = (...all: Buffer[]): Buffer => Buffer.concat([...all, Buffer.from('--XX--\r\n')]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0x0d, 0x0a, 0x2d, 0x2d, 0x58, 0x00, 0xe9]);

const BUILD = '{"build":"#7"}';
const build = { build: '#7' };

type Seen = Record<string, unknown> | [status: number, code: string, words: RegExp];

/** What senders were reported to send, to other receivers; and what becomes of it here. */
const REPORTED: readonly [
  report: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
  seen: Seen,
][] = [
  // Words of the type and the charset.
  ['tcplugins/tcWebHooks#92', 'json', type('application/json; charset=ISO-8859-1'), BUILD, build],
  [
    'jenkinsci/generic-webhook-trigger-plugin#226',
    'json',
    type('application/json; charset=UTF-8'),
    BUILD,
    build,
  ],
  [
    'expressjs/body-parser#106 (Cisco)',
    'json',
    type('application/json; charset=ISO-8859-1'),
    latin1('{"zone":"Café"}'),
    { zone: 'Café' },
  ],
  ['expressjs/body-parser#474', 'json', type('application/json; utf-8'), BUILD, build],
  ['expressjs/body-parser#213', 'json', type('*/*; charset=UTF-8'), BUILD, build],
  ['expressjs/body-parser#15', 'json', type('application/vnd.api+json'), BUILD, build],
  ['expressjs/body-parser#76', 'json', {}, BUILD, build],
  ['n8n-io/n8n#20748', 'json', type('application/cloudevents+json'), BUILD, build],
  ['n8n-io/n8n#3679', 'json', type('application/hal+json; charset=utf-8'), BUILD, build],
  [
    'mendhak/teamcity-stash#17',
    'json',
    JSON_TYPE,
    latin1('{"by":"Jos\xe9"}'),
    [400, 'invalid_json', /it is not UTF-8 \(at byte 11\)/],
  ],
  [
    'misskey-dev/misskey#9823',
    'json',
    type('text/plain;charset=UTF-8'),
    BUILD,
    [415, 'unsupported_media_type', /Send JSON: Content-Type application\/json/],
  ],
  // A mark at the beginning.
  ['n8n-io/n8n#35933', 'json', JSON_TYPE, `\uFEFF${BUILD}`, build],
  ['n8n-io/n8n#35933 (form)', 'form', FORM_TYPE, '\uFEFFa=1', { a: '1' }],
  ['SharePoint/sp-dev-docs#1123', 'json', JSON_TYPE, '\uFEFF{"value":[]}', { value: [] }],
  ['jellyfin/jellyfin-plugin-webhook#395', 'text', type('text/plain'), '\uFEFFhi', { text: 'hi' }],
  // What `curl -d` and `fetch` send to our own endpoints.
  ['webhooksite/webhook.site#45', 'wake', FORM_TYPE, '{"text":"a"}', { text: 'a' }],
  ['stripe/stripe-mock#250', 'agent', FORM_TYPE, ' \r\n{"message":"a"}', { message: 'a' }],
  [
    'spyder007/teamcity-msteams-notifier#75',
    'wake',
    type('text/plain; charset=ISO-8859-1'),
    latin1('{"text":"Zoë"}'),
    { text: 'Zoë' },
  ],
  [
    'nestjs-agent-hooks: curl -d text=hi',
    'wake',
    FORM_TYPE,
    'text=hi',
    [415, 'unsupported_media_type', /Content-Type application\/json/],
  ],
  // Packed.
  ['TracecatHQ/tracecat#1289', 'json', { ...JSON_TYPE, ...gzip }, gzipSync(BUILD), build],
  [
    'OpenFn/lightning#3937',
    'agent',
    { ...JSON_TYPE, ...gzip },
    gzipSync('{"message":"a"}'),
    { message: 'a' },
  ],
  ['silverton-io/buz#588', 'json', { 'content-encoding': 'GZIP' }, gzipSync(BUILD), build],
  [
    'braintrustdata/braintrust-sdk-javascript#2411 (Cloudflare)',
    'json',
    { ...JSON_TYPE, 'content-encoding': 'x-gzip' },
    gzipSync(BUILD, { level: 1 }),
    build,
  ],
  [
    'webhooksite/webhook.site#150',
    'wake',
    { ...FORM_TYPE, ...gzip },
    gzipSync('{"text":"dummy"}'),
    { text: 'dummy' },
  ],
  [
    'RasaHQ/rasa-sdk#930',
    'json',
    { ...JSON_TYPE, 'content-encoding': 'deflate' },
    deflateSync(BUILD),
    build,
  ],
  [
    'dotnet/aspnetcore#40279',
    'json',
    { ...JSON_TYPE, 'content-encoding': 'br' },
    brotliCompressSync(BUILD),
    build,
  ],
  [
    'apache/httpcomponents-client#698',
    'json',
    { ...JSON_TYPE, 'content-encoding': 'utf-8' },
    BUILD,
    build,
  ],
  [
    'kaiheila/api-docs#45 (packed without a word)',
    'json',
    JSON_TYPE,
    deflateSync(BUILD),
    [400, 'invalid_json', /it is not UTF-8 \(at byte 2\)/],
  ],
  [
    'open-telemetry/opentelemetry-collector-contrib#43874 (cut short)',
    'json',
    { ...JSON_TYPE, ...gzip },
    gzipSync(BUILD).subarray(0, -8),
    [400, 'invalid_body', /gzip, as its Content-Encoding says: .* after 14 bytes/],
  ],
  [
    'drogonframework/drogon#1291 (larger once unpacked)',
    'small',
    { ...JSON_TYPE, ...gzip },
    gzipSync(' '.repeat(1001)),
    [413, 'payload_too_large', /at most 1000 bytes/],
  ],
  [
    'GetStream/stream-chat-java#254 (signs the text)',
    'stream',
    { ...JSON_TYPE, ...gzip, 'x-signature': hmac('sha256', SECRET, BUILD) },
    gzipSync(BUILD),
    build,
  ],
  [
    'GetStream/stream-chat-php#168 (another packing)',
    'stream',
    { ...JSON_TYPE, 'content-encoding': 'zstd', 'x-signature': hmac('sha256', SECRET, BUILD) },
    BUILD,
    [415, 'unsupported_media_type', /uncompressed, or once as gzip or deflate/],
  ],
  // Forms.
  [
    'rudderlabs/rudder-server#1463 (Twilio)',
    'form',
    type('application/x-www-form-urlencoded; charset=utf-8'),
    'SmsStatus=sent&To=%2B49',
    { SmsStatus: 'sent', To: '+49' },
  ],
  [
    'adnanh/webhook#239 (GitHub)',
    'json',
    FORM_TYPE,
    'payload=%7B%22a%22%3A1%7D',
    [
      415,
      'unsupported_media_type',
      /Choose application\/json at the sender, or set body: 'form' in the mapping/,
    ],
  ],
  [
    'jenkinsci/generic-webhook-trigger-plugin#243 (Tuleap)',
    'form',
    FORM_TYPE,
    'payload=%7B%22ref%22%3A%22main%22%7D',
    { payload: { ref: 'main' } },
  ],
  [
    'mike182uk/paypal-ipn-listener#28',
    'form',
    FORM_TYPE,
    'first_name=Ren%E9&mc_gross=1%8099&charset=windows-1252',
    { first_name: 'René', mc_gross: '1€99', charset: 'windows-1252' },
  ],
  [
    'paypal/sdk-core-java#67',
    'form',
    FORM_TYPE,
    'address_street=%D5%CC%C9%C3%C1&charset=KOI8_R',
    { address_street: 'улица', charset: 'KOI8_R' },
  ],
  [
    'spookylukey/django-paypal#80 (no charset)',
    'form',
    FORM_TYPE,
    'a=1&secret=Ren%E9',
    [400, 'invalid_body', /charset that it says: field 2 of the form is not\.$/],
  ],
  [
    'paypal/ipn-code-samples#108',
    'form',
    FORM_TYPE,
    'address_name=John%20Smith%u010D',
    { address_name: 'John Smith%u010D' },
  ],
  // Forms in parts.
  [
    'adnanh/webhook#311 (Plex)',
    'form',
    PARTS_TYPE,
    parts(
      part('"payload"', '{"event":"media.play"}', '\r\nContent-Type: application/json'),
      part('"thumb"', JPEG, '; filename="thumb.jpg"\r\nContent-Type: image/jpeg'),
    ),
    {
      payload: { event: 'media.play' },
      files: [{ field: 'thumb', name: 'thumb.jpg', type: 'image/jpeg', size: 10 }],
    },
  ],
  [
    'adnanh/webhook#182 (Plex without a picture)',
    'form',
    PARTS_TYPE,
    parts(part('"payload"', '{"event":"media.stop"}', '\r\nContent-Type: application/json')),
    { payload: { event: 'media.stop' } },
  ],
  [
    'adnanh/webhook#335 (to a JSON path)',
    'json',
    PARTS_TYPE,
    parts(part('"a"', '1')),
    [415, 'unsupported_media_type', /or set body: 'form' in the mapping/],
  ],
  [
    'StackStorm/st2#2477',
    'form',
    PARTS_TYPE,
    parts(part('"tag"', 'a'), part('"tag"', 'b'), part('"empty"', '')),
    { tag: ['a', 'b'], empty: '' },
  ],
  [
    'anymail/django-anymail#187 (SendGrid)',
    'form',
    PARTS_TYPE,
    parts(
      part('"subject"', 'Qualité'),
      part('"text"', latin1('Qualit\xe9 \xa31')),
      part('"charsets"', '{"subject":"UTF-8","text":"iso-8859-1"}'),
    ),
    {
      subject: 'Qualité',
      text: 'Qualité £1',
      charsets: '{"subject":"UTF-8","text":"iso-8859-1"}',
    },
  ],
  [
    'sendgrid/docs#6555',
    'form',
    PARTS_TYPE,
    parts(part('"text"', '\x1B$BF|K\\8l\x1B(B'), part('"charsets"', '{"text":"iso-2022-jp"}')),
    { text: '日本語', charsets: '{"text":"iso-2022-jp"}' },
  ],
  [
    'Jericho/StrongGrid#347 (says ASCII and is UTF-8)',
    'form',
    PARTS_TYPE,
    parts(part('"text"', 'ñandú'), part('"charsets"', '{"text":"us-ascii"}')),
    { text: 'ñandú', charsets: '{"text":"us-ascii"}' },
  ],
  [
    'jellyfin/jellyfin-plugin-webhook#332 (.NET)',
    'form',
    type('multipart/form-data; boundary="XX"'),
    parts(
      part('message', 'Added', '\r\nContent-Type: text/plain; charset=utf-8'),
      part('attachment', JPEG, `; filename=..\\a/b.jpg; filename*=utf-8''b.jpg`),
    ),
    {
      message: 'Added',
      files: [{ field: 'attachment', name: 'b.jpg', type: '', size: 10 }],
    },
  ],
  [
    'n8n-io/n8n#522 (cut short)',
    'form',
    PARTS_TYPE,
    part('"a"', '1'),
    [400, 'invalid_body', /multipart\/form-data, .* after part 0/],
  ],
];

describe('What real senders send', () => {
  let ingress: Ingress;

  beforeAll(async () => {
    const mapped = (id: string) => ({ id, messageTemplate: 'x' });
    ingress = await openIngress({
      options: {
        schemes: {
          stream: { like: 'hmac', header: 'x-signature', prefix: '', signs: 'decoded' },
        },
        mappings: [
          mapped('json'),
          { ...mapped('form'), body: 'form' },
          { ...mapped('text'), body: 'text' },
          { ...mapped('small'), maxBodyBytes: 1000 },
          { ...mapped('stream'), verify: { scheme: 'stream', secrets: [SECRET] } },
        ],
      },
    });
  });
  afterAll(() => ingress.close());

  it.each(REPORTED)('%s', async (_report, path, headers, body, seen) => {
    const { requests } = ingress.intake;
    requests.length = 0;
    const answer = await fetch(`${ingress.url}/hooks/${path}`, {
      method: 'POST',
      headers: path === 'stream' ? headers : { ...GOOD, ...headers },
      body: Buffer.from(body),
    });
    const told = await answer.text();
    if (Array.isArray(seen)) {
      const [status, code, words] = seen;
      expect([answer.status, told]).toEqual([status, expect.stringContaining(`"${code}"`)]);
      expect(JSON.parse(told)).toMatchObject({ error: expect.stringMatching(words) });
      expect(requests).toEqual([]);
    } else {
      expect([answer.status, told]).toEqual([200, expect.any(String)]);
      expect(requests.map(({ payload }) => payload)).toEqual([seen]);
    }
  });
});
