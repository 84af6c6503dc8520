import type { IncomingHttpHeaders } from 'node:http';
import { Rejection } from '../../rejections/index.ts';

const JSON_TYPE = /^(?:application\/json|[^\s/;,]+\/[^\s/;,]+\+json)$/;

/**
 * Only JSON in UTF-8, or no word about it, and never compressed. The header chooses no parser: there is but one.
 * @throws Rejection unsupported_media_type
 */
export function assertJson(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'];
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw new Rejection('unsupported_media_type');
  }
  if ((encoding !== undefined && encoding.trim() !== '') || !isJson(headers['content-type'])) {
    throw new Rejection('unsupported_media_type');
  }
}

function isJson(header: string | undefined): boolean {
  if (header === undefined || header === 'application/json') return true;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  if (type === '') return parameters.length === 0;
  return JSON_TYPE.test(type) && parameters.every(isUtf8);
}

function isUtf8(parameter: string): boolean {
  const equals = parameter.indexOf('=');
  if (equals === -1 || parameter.slice(0, equals).trim() !== 'charset') return true;
  const charset = parameter.slice(equals + 1).trim();
  return /^(?:utf-?8|"utf-?8")$/.test(charset);
}
