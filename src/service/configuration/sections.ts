import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import {
  AgentsOptions,
  HooksOptions,
  ModelsOptions,
  Option,
  OptionPlace,
  OptionalSection,
  Section,
  SectionList,
  parseRange,
  WholeNumber,
} from '../../hooks/index.ts';
import { MailOptions } from '../../mail/index.ts';
import { ChannelsOptions } from './channels-section.ts';
import { OperatorTokenOptions } from './operator-tokens.ts';
import { LISTEN_FORMS, parseListenAddress } from './listen-address.ts';
import { StoreOptions } from './store-section.ts';

function isAddressOrRange(entry: unknown): boolean {
  return typeof entry === 'string' && parseRange(entry) !== null;
}

function AreAddressRanges(): PropertyDecorator {
  return ValidateBy({
    name: 'areAddressRanges',
    validator: {
      validate: (value) => Array.isArray(value) && value.every(isAddressOrRange),
      defaultMessage: () => 'must list addresses or CIDR ranges, for example ["10.0.0.0/8", "::1"]',
    },
  });
}

function IsListenAddress(): PropertyDecorator {
  return ValidateBy({
    name: 'isListenAddress',
    validator: {
      validate: (value) => parseListenAddress(value) !== null,
      defaultMessage: () => LISTEN_FORMS,
    },
  });
}

/** As a browser sends it. */
const HOST_NAME = /^(?=.{1,253}$)[\da-z_](?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)*$/i;

/** `gateway.auth`. */
export class GatewayAuthOptions {
  /**
   * The operator's token for /ops: at least 16 characters of ASCII. Changing it needs no restart. Absent: generated once
   * and kept as `operator-token` in the data directory.
   */
  @Option({ secret: true })
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank; set a long random string or remove it' })
  token?: string;
}

/** The `gateway` section: how the service listens. Every change but that of `auth.token` needs a restart. */
export class GatewayOptions {
  /** Address to listen on. GATEWAY_HOST in the environment wins. @default '127.0.0.1' */
  @Option({ restart: true })
  @IsString()
  @IsNotEmpty()
  host = '127.0.0.1';

  /** Port to listen on, 0 to 65,535; 0: any free one. GATEWAY_PORT in the environment wins. @default 18790 */
  @Option({ restart: true })
  @WholeNumber(0, 65_535)
  port = 18_790;

  @Option({ operatorOnly: true })
  @Section(GatewayAuthOptions)
  auth = new GatewayAuthOptions();

  /** Addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` is believed. @default [] */
  @Option({ restart: true, operatorOnly: true })
  @IsArray()
  @AreAddressRanges()
  trustedProxies: string[] = [];

  /**
   * How long runs may continue after SIGTERM before they are left to the next start, in seconds, 0 to 3,600.
   * @default 20
   */
  @Option({ restart: true })
  @IsNumber()
  @Min(0)
  @Max(3600)
  shutdownSeconds = 20;
}

/** The `ops` section. */
export class OpsOptions {
  /**
   * Where operator API and console are served instead of on the listener of the hooks: a port (on 127.0.0.1),
   * '127.0.0.1:18791', '[::1]:18791', ':18791' (every address), or a socket 'unix:/run/hooks/ops.sock' (mode 0660; a
   * relative path starts at the configuration directory). It says where, `exposed` says for whom. Absent: on that of the
   * hooks.
   */
  @Option({ restart: true, operatorOnly: true })
  @IsOptional()
  @IsListenAddress()
  listen?: string | number;

  /**
   * True: the operator API also answers other machines and what a proxy forwards (with the operator token). False: only
   * programs on this machine, wherever it listens.
   * @default false
   */
  @Option({ restart: true, operatorOnly: true })
  @IsBoolean()
  exposed = false;

  /**
   * Host names under which operator API and console are asked, without port. IP addresses, localhost, names below
   * localhost and the name that is listened on need no entry; any other `Host` is answered 421.
   * @default []
   */
  @Option({ restart: true, operatorOnly: true })
  @IsArray()
  @Matches(HOST_NAME, {
    each: true,
    message:
      "must list host names without scheme, port or path, for example ['gateway.example.com']",
  })
  hosts: string[] = [];

  /** A token for /ops/metrics and nothing else, for scrapers: at least 16 characters of ASCII. Changing it needs no restart. */
  @Option({ secret: true, operatorOnly: true })
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank; set a long random string or remove it' })
  metricsToken?: string;

  /** Tokens of persons and programs, each with a role, beside the one of `gateway.auth`, which may do all. At most 20. @default [] */
  @Option({ merge: 'append' })
  @ArrayMaxSize(20)
  @SectionList(OperatorTokenOptions)
  tokens: OperatorTokenOptions[] = [];
}

/** The `hooks` section: what the hooks module takes, and the mailbox. */
export class HooksSectionOptions extends HooksOptions {
  @OptionalSection(MailOptions)
  mail?: MailOptions;
}

/** gateway.json5. A new section is one field. */
export class ConfigurationOptions {
  @Section(GatewayOptions)
  gateway = new GatewayOptions();

  @Section(HooksSectionOptions)
  hooks = new HooksSectionOptions();

  @Section(AgentsOptions)
  agents = new AgentsOptions();

  @Section(ModelsOptions)
  models = new ModelsOptions();

  @Section(ChannelsOptions)
  channels = new ChannelsOptions();

  @Section(StoreOptions)
  store = new StoreOptions();

  @Section(OpsOptions)
  ops = new OpsOptions();
}

/** Everything that gateway.json5 may say, by its places. */
export const CONFIGURATION = OptionPlace.of(ConfigurationOptions);
