/** For authors of transforms: types only, nothing of it is left after bundling. */
export type {
  Transform,
  TransformContext,
  TransformResult,
  TransformedAction,
  TransformedRun,
  TransformedWake,
} from './hooks/transforms/contract.ts';
