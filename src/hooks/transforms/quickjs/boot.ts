/** Most console lines of one call, and the longest of them in characters. The host cuts once more on its side. */
export const MAX_CONSOLE_LINES = 50;
export const MAX_CONSOLE_CHARS = 1000;

/**
 * Runs before any code of a transform and keeps what it needs of the language, so that a changed prototype changes only
 * the transform's own results. It loops by index: iterators can be replaced.
 * `start` gives the result as JSON text, `describe` name, message and stack of an error.
 */
export const BOOT_CODE = `(function (hostLog, hostRandom) {
  'use strict';
  const { parse, stringify } = JSON;
  const asText = String;
  const ErrorClass = Error;
  const slice = Function.prototype.call.bind(String.prototype.slice);

  function shown(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null && value instanceof ErrorClass) {
      return asText(value.name) + ': ' + asText(value.message);
    }
    try {
      return asText(stringify(value) ?? asText(value));
    } catch {
      return '[' + typeof value + ' that is not JSON]';
    }
  }

  let lines = 0;
  function line(level) {
    return function () {
      lines++;
      if (lines > ${MAX_CONSOLE_LINES}) return;
      let text = level;
      for (let i = 0; i < arguments.length && text.length <= ${MAX_CONSOLE_CHARS}; i++) {
        if (text !== '') text += ' ';
        text += slice(shown(arguments[i]), 0, ${MAX_CONSOLE_CHARS});
      }
      hostLog(slice(text, 0, ${MAX_CONSOLE_CHARS}));
    };
  }
  globalThis.console = {
    log: line(''), info: line(''), debug: line(''), warn: line('warn:'), error: line('error:'),
  };
  Math.random = function random() { return hostRandom(); };

  async function start(transform, context, maxLength) {
    const value = await transform(parse(context));
    if (value === undefined) return undefined;
    const json = stringify(value);
    if (typeof json !== 'string') throw new TypeError('the result is not JSON');
    if (json.length > maxLength) throw new RangeError('the result is too large');
    return json;
  }

  function property(error, name, max) {
    const value = error[name];
    return value === undefined ? '' : slice(asText(value), 0, max);
  }

  function describe(error) {
    const described = { __proto__: null, name: 'Error', message: '', stack: '' };
    if ((typeof error !== 'object' && typeof error !== 'function') || error === null) {
      described.message = slice(asText(error), 0, 2000);
    } else {
      described.name = property(error, 'name', 100);
      if (described.name === 'Error' && error.constructor) described.name = property(error.constructor, 'name', 100);
      described.message = property(error, 'message', 2000);
      described.stack = property(error, 'stack', 4000);
    }
    return stringify(described);
  }

  return { start, describe };
})`;
