/** For authors of transforms: types only, nothing of it is left after bundling. */
export type {
  Transform,
  TransformContext,
  TransformResult,
  TransformedAction,
  TransformedMessage,
  TransformedRun,
  TransformedWake,
} from './hooks/transforms/contract.ts';
