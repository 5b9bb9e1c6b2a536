/** Interactions as a wording: stored conversations of Responses under other names. */
import type { Wording } from '#canonical/wording'
import { writeInteraction } from './answer.ts'
import { readInteraction } from './request.ts'
import { readSaid } from './said.ts'
import { openInteraction } from './stream.ts'

/** `/v1beta/interactions`. */
export const interaction: Wording = {
  readRequest: readInteraction,
  writeAnswer: writeInteraction,
  readSaid,
  openStream: () => openInteraction(),
}
