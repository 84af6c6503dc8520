import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Rejection } from '../../rejections/index.ts';
import { callOf } from '../door/hook-call.ts';

/** Asserts that the door let this request in. A route that has lost its door is closed. */
@Injectable()
export class HookTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const call = callOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (call?.verifiedBy === undefined) throw new Rejection('unauthorized');
    return true;
  }
}
