import { IsBoolean, IsIn, IsNotEmpty, IsString, Matches, ValidateBy } from 'class-validator';
import {
  Option,
  OptionalSection,
  RetentionOptions,
  isLoopback,
  WholeNumber,
} from '../../hooks/index.ts';
import type { Problem } from '../../hooks/index.ts';

const URL_FORM =
  'must be postgres://user:password@host:5432/database with special characters percent-encoded, best as ${DATABASE_URL}';

function IsPostgresUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isPostgresUrl',
    validator: {
      validate: (value) => parsePostgresUrl(value) !== null,
      defaultMessage: () => URL_FORM,
    },
  });
}

function parsePostgresUrl(value: unknown): URL | null {
  if (typeof value !== 'string' || !/^postgres(?:ql)?:\/\//.test(value)) return null;
  return URL.parse(value);
}

/** `store.postgres`: the ledger in a PostgreSQL that several services may share. Every change needs a restart. */
export class PostgresStoreOptions {
  /**
   * `postgres://user:password@host:5432/database`, best as `${DATABASE_URL}`. TLS with `?sslmode=verify-full`, a Unix
   * socket with `?host=/var/run/postgresql`.
   */
  @Option({ secret: 'inside' })
  @IsString()
  @IsPostgresUrl()
  url!: string;

  /** Schema of the tables, made when it is not there: lower-case letters, digits and `_`, at most 63. @default 'hooks' */
  @IsString()
  @Matches(/^[a-z_][a-z0-9_]{0,62}$/, {
    message: 'must be lower-case letters, digits and _, not beginning with a digit, at most 63',
  })
  schema = 'hooks';

  /** Most connections of this service at a time, 2 to 200; two more accept events and listen. @default 10 */
  @WholeNumber(2, 200)
  connections = 10;
}

/** `store.sqlite`: the ledger in a file of `store.dir`. Every change needs a restart. */
export class SqliteStoreOptions {
  /**
   * Where the file is written. `inline`: on the main thread, which costs least, but everything waits for the disk at each
   * commit. `thread`: in a thread of its own. `auto`: on the main thread where an fsync takes less than 10 ms at the start,
   * else in a thread.
   * @default 'auto'
   */
  @IsIn(['auto', 'inline', 'thread'])
  host: 'auto' | 'inline' | 'thread' = 'auto';
}

/** The `store` section: where the data is, and how long it is kept. */
export class StoreOptions extends RetentionOptions {
  /**
   * Data directory, relative to the configuration directory or absolute: generated tokens, what is known of mailboxes,
   * and without `postgres` the ledger.
   * @default 'data'
   */
  @Option({ restart: true })
  @IsString()
  @IsNotEmpty()
  dir = 'data';

  @Option({ restart: true })
  @OptionalSection(PostgresStoreOptions)
  postgres?: PostgresStoreOptions;

  @Option({ restart: true })
  @OptionalSection(SqliteStoreOptions)
  sqlite = new SqliteStoreOptions();

  /**
   * True: payloads, prompts and replies can be searched, by an index beside the ledger (`search.db`, or tables of
   * `postgres`) that is as large as they are and forgets what they forget. False: they cannot, and the index is removed.
   * @default true
   */
  @Option({ restart: true })
  @IsBoolean()
  search = true;
}

/** What is allowed but should be looked at: services that share a ledger, and a database across a network. */
export function storeWarnings({ postgres }: StoreOptions, operatorToken: unknown): Problem[] {
  if (postgres === undefined) return [];
  const warnings: Problem[] = [];
  if (operatorToken === undefined) {
    const message =
      'is not set, so each service that shares store.postgres makes an operator token of its own; set the same one everywhere';
    warnings.push({ key: 'gateway.auth.token', message });
  }
  const url = parsePostgresUrl(postgres.url);
  if (url !== null && isReadableOnTheWay(url)) {
    const message =
      'connects to another machine without TLS, which could read payloads and the password: add ?sslmode=verify-full';
    warnings.push({ key: 'store.postgres.url', message });
  }
  return warnings;
}

function isReadableOnTheWay({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  if (host === '' || host.startsWith('/') || isLoopback(host.replace(/^\[(.*)\]$/, '$1'))) {
    return false;
  }
  return !['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '');
}
