/** Reads the answers of an item: the original's and the replay's. Each read is audited. */
import type { User } from '#accounts/caller'
import type { Bodies } from '#bodies/bodies'
import type { Actor } from '#shared/console/audit'
import type { ReplayAnswer, ReplayComparison, ReplayTarget } from '#shared/console/replay'
import type { ReplayItemRecord } from '#store/replays/replays'
import { callPiecesOf, piecesOf, whyUncompared } from './difference.ts'
import { prepared } from './prepare.ts'
import { answerIn } from './send.ts'

/** Both answers; null: not stored, or not a conversation. */
export type BothAnswers = Pick<ReplayComparison, 'originalAnswer' | 'replayAnswer'>

/** Throws as `Bodies.read` where the original cannot be read. */
export async function readBoth(
  bodies: Pick<Bodies, 'read' | 'readable'>,
  by: User & Actor,
  { originalId, replayId }: Pick<ReplayItemRecord, 'originalId' | 'replayId'>,
  target: ReplayTarget,
): Promise<BothAnswers> {
  const { record } = await bodies.read(by, originalId)
  const spoken = spokenIn(record, target)
  const originalAnswer = (spoken && answerIn(record, spoken)) ?? null
  const isKept = replayId !== null && (await bodies.readable(by, [replayId])).has(replayId)
  const again = isKept ? (await bodies.read(by, replayId)).record : undefined
  const replayAnswer: ReplayAnswer | null = (again && spoken && answerIn(again, spoken)) ?? null
  return { originalAnswer, replayAnswer }
}

/** How they differ, as far as both exist. */
export function differencesOf({
  originalAnswer,
  replayAnswer,
}: BothAnswers): Pick<ReplayComparison, 'pieces' | 'uncompared' | 'callPieces'> {
  if (!originalAnswer || !replayAnswer) return {}
  const pieces = piecesOf(originalAnswer.text, replayAnswer.text)
  const callPieces = callPiecesOf(originalAnswer, replayAnswer)
  return {
    ...(pieces ? { pieces } : { uncompared: whyUncompared(originalAnswer.text, replayAnswer.text) }),
    ...(callPieces && { callPieces }),
  }
}

/** The format of a request; undefined if it is not a conversation, or cannot be replayed. */
function spokenIn(record: Parameters<typeof prepared>[0], target: ReplayTarget) {
  try {
    return prepared(record, target).spoken
  } catch {
    return undefined
  }
}
