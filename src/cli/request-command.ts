import { Option } from 'nest-commander';
import { withHeader, withParameter } from './named-values.ts';
import type { NamedValues } from './named-values.ts';
import { ServiceCommand } from './service/service-command.ts';

/** A command about a request to a hook, sent or only looked at. */
export abstract class RequestCommand extends ServiceCommand {
  @Option({ flags: '--payload <file>', description: 'file with the JSON to send; - is stdin' })
  parsePayload(file: string): string {
    return file;
  }

  @Option({
    flags: '--header <name:value>',
    description: 'header of the request; may be repeated',
  })
  parseHeader(text: string, before?: NamedValues): NamedValues {
    return withHeader(text, before);
  }

  @Option({
    flags: '--query <name=value>',
    description: 'query parameter of the request; may be repeated',
  })
  parseQuery(text: string, before?: NamedValues): NamedValues {
    return withParameter(text, before);
  }
}
