/** Interactions as a wording: stored conversations of Responses under other names. */
import type { Wording } from '#canonical/wording'
import { writeInteraction } from './answer.ts'
import { readComparable } from './comparable-answer.ts'
import { readInteraction } from './request.ts'
import { openInteraction } from './stream.ts'

/** `/v1beta/interactions`. */
export const interaction: Wording = {
  readRequest: readInteraction,
  writeAnswer: writeInteraction,
  readComparable,
  openStream: () => openInteraction(),
}
