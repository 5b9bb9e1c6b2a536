/** The registry of realtime protocols. */
import type { RealtimeCodec, RealtimeStyle } from '#canonical/operation/realtime'
import { readError as readGoogleError } from '#protocols/gemini/error'
import { withCounts } from '#protocols/gemini/live/counts'
import * as live from '#protocols/gemini/live/frame'
import { createLiveMeter } from '#protocols/gemini/live/meter'
import { readError } from '#protocols/openai/error'
import { openingError, writeErrorEvent } from '#protocols/openai/realtime/event'
import { readFrame } from '#protocols/openai/realtime/frame'
import { createRealtimeMeter } from '#protocols/openai/realtime/meter'
import { transcriptionSetup, withTranscriber } from '#protocols/openai/realtime/transcription'

/** Realtime codecs by protocol. */
export const realtimeCodecs: Readonly<Record<RealtimeStyle, RealtimeCodec>> = {
  openai: {
    ...{ meter: createRealtimeMeter, readFrame, openingError, readError, writeError: writeErrorEvent },
    ...{ transcriptionSetup, withTranscriber },
  },
  gemini: {
    meter: createLiveMeter,
    readFrame: live.readLiveFrame,
    isBinary: true,
    openingError: () => undefined,
    readClosing: live.readClosing,
    readError: readGoogleError,
    closeCode: live.closeCodeOf,
    writeSetup: live.writeSetup,
    withHandle: live.withHandle,
    withCounts,
  },
}

export { closeCodeOf as liveCloseCode, readSetup as readLiveSetup } from '#protocols/gemini/live/frame'
export { type AskedToken, lockedSetup, readTokenRequest, type SetupLock } from '#protocols/gemini/live/token'
export { type CallSession, callIdIn, readBreach, readCallSession, writeCallSession } from '#protocols/openai/realtime/call'
export {
  type RequestedSession,
  readBetaSession,
  readClientSecret,
  readTranscriptionSession,
  writeBetaSession,
  writeClientSecret,
  writeSetup,
  writeTranscriptionSession,
} from '#protocols/openai/realtime/secrets'
