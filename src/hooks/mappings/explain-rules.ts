import type { LimitOptions, MappingOptions, TotalLimitOptions } from '../options/index.ts';
import { DEFAULT_MOST, ruleScope } from './mapping-rules.ts';

const ABOVE = {
  hold: 'one above that waits',
  collect: 'those above that wait, and become one run',
  skip: 'one above that has no run',
};

/** What rules do to the events of a mapping, a sentence each. @param total `hooks.limit` */
export function explainRules(
  { action = 'agent', collect, limit, whenBusy, busyScope, quietHours }: MappingOptions,
  total: TotalLimitOptions | undefined,
): readonly string[] {
  const isRun = action === 'agent';
  const ofSender = ruleScope({ scope: busyScope }) === 'sender' ? ' of the same sender' : '';
  const sentences = [
    isRun && collect && ofCollect(collect),
    isRun && whenBusy === 'skip' && `it has no run while its session has one${ofSender}`,
    isRun &&
      whenBusy === 'replace' &&
      `it takes the place of the runs of its session${ofSender}, unless they may have acted`,
    isRun && limit && ofLimit(limit, ruleScope(limit) === 'sender' ? 'each sender' : 'the mapping'),
    isRun &&
      total &&
      ofLimit(total, `all mappings${total.then === 'skip' ? ' of each sender' : ''}`),
    ['agent', 'deliver'].includes(action) && quietHours && ofQuietHours(quietHours),
  ];
  return sentences.filter((sentence) => typeof sentence === 'string');
}

function ofCollect({
  for: longest,
  quiet,
  most = DEFAULT_MOST,
  by,
  scope,
}: NonNullable<MappingOptions['collect']>): string {
  const alike = [
    ruleScope({ scope }) === 'sender' ? 'sender' : '',
    by === undefined ? '' : by.trim(),
  ];
  const same = alike.filter((one) => one !== '').join(' and ');
  const of = same === '' ? '' : ` of the same ${same}`;
  const earlier = quiet === undefined ? '' : ` after ${quiet} without another,`;
  return `it is one run with the events${of} that come within ${longest} of the first; that begins earlier${earlier} with ${most} events`;
}

function ofLimit(
  { runs, per, then = 'hold' }: LimitOptions | TotalLimitOptions,
  whose: string,
): string {
  return `at most ${runs} runs of ${whose} begin in ${per}; ${ABOVE[then]}`;
}

function ofQuietHours({
  from,
  to,
  timezone,
  except = [],
}: NonNullable<MappingOptions['quietHours']>): string {
  const where = timezone === undefined ? '' : ` (${timezone})`;
  const unless = except.length === 0 ? '' : ', unless it meets an exception';
  return `what is sent of it is held from ${from} to ${to}${where}${unless}`;
}
