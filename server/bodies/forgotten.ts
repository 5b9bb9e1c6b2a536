/** Deletions that also apply to what was recorded but not written yet. */
import type { Clock } from '#runtime/clock'
import type { WhoseBodies } from '#store/bodies/kept-bodies'
import type { RecordFacts } from './record.ts'

/** Milliseconds: longer than any session; and longer than writing a request takes, since only written ones are deleted by id. */
const longestMs = 25 * 3_600_000
const writtenMs = 3_600_000

export interface Forgotten {
  add(whose: WhoseBodies): void
  /** Whether a deletion after this request began applies to it. */
  has(facts: Pick<RecordFacts, 'requestId' | 'userId' | 'memberId' | 'keyId' | 'at'>): boolean
}

/** No deletions. */
export function createForgotten(clock: Pick<Clock, 'now'>): Forgotten {
  let marks: { whose: WhoseBodies; at: number }[] = []
  return {
    add(whose) {
      const at = clock.now()
      marks = [...marks.filter((mark) => mark.at > at - ('requestId' in mark.whose ? writtenMs : longestMs)), { whose, at }]
    },
    has: (facts) => marks.some(({ whose, at }) => facts.at <= at && isOf(whose, facts)),
  }
}

function isOf(whose: WhoseBodies, { requestId, userId, memberId, keyId }: Omit<RecordFacts, 'at'>): boolean {
  if ('everybody' in whose) return true
  if ('requestId' in whose) return whose.requestId === requestId
  return 'keyId' in whose ? whose.keyId === keyId : whose.userId === userId || memberId?.endsWith(`.${whose.userId}`) === true
}
