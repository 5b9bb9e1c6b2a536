/** Work that lasts longer than its request, beside batches: videos, answers and interactions in the background, calls. */
import { OneOf, type Static, Type } from '../typebox.ts'

/** Where such work stands. An answer in the background is in progress as long as it stands here. */
export const workStates = ['queued', 'in_progress', 'stopping', 'completed', 'failed', 'cancelled'] as const

const Text = () => Type.Union([Type.String(), Type.Null()])

/** A row of GET /api/work. */
export const WorkRow = Type.Object({
  id: Type.String(),
  kind: OneOf(['video', 'answer', 'interaction', 'call'] as const),
  /** Whose it is; for administrators. */
  user: Type.Optional(Type.Object({ id: Type.String(), name: Text() })),
  /** Null where it is not known with which. */
  key: Text(),
  model: Text(),
  state: OneOf(workStates),
  /** Of a hundred; null where nobody can tell. */
  progress: Type.Union([Type.Integer(), Type.Null()]),
  /** USD that it has cost so far, as the instance knows that asks; null where that is not known. */
  spent: Text(),
  /** Whether it can be stopped by `POST /api/work/{id}/stop`. */
  canStop: Type.Boolean(),
  /** The request that asked for it; null where it is not known. */
  requestId: Text(),
  createdAt: Type.String(),
  endedAt: Text(),
})
export type WorkRow = Static<typeof WorkRow>
