/** The one protocol in which sessions are held, in the form that the relay knows. */
import type { RealtimeCodec } from '#canonical/operation/realtime'
import { readError } from '#protocols/openai/error'
import { openingError, writeErrorEvent } from '#protocols/openai/realtime/event'
import { readFrame } from '#protocols/openai/realtime/frame'
import { createRealtimeMeter } from '#protocols/openai/realtime/meter'

/** Realtime sessions, in the one style there is. */
export const realtimeCodec: RealtimeCodec = { meter: createRealtimeMeter, readFrame, openingError, readError, writeError: writeErrorEvent }

export {
  readBetaSession,
  readClientSecret,
  type SaidOfSession,
  writeBetaSession,
  writeClientSecret,
  writeSetup,
} from '#protocols/openai/realtime/secrets'
