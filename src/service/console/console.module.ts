import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { BUILT_CONSOLE, BuiltConsole } from './built-console.ts';
import { ConsoleController } from './console.controller.ts';

/** The console beside an operator API. Nothing of it is read before somebody opens it. */
@Module({})
export class ConsoleModule {
  /** @param ops the very module that the application imports: whoever may reach that one may open the console */
  static forOps(ops: DynamicModule, root = BUILT_CONSOLE): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [ops],
      controllers: [ConsoleController],
      providers: [{ provide: BuiltConsole, useValue: new BuiltConsole(root) }],
    };
  }
}
