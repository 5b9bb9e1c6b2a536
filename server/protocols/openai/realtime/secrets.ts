/** Short-lived keys of realtime sessions, in the vendor's current protocol and in its beta version. */
import { bodyNames } from '#protocols/codec/body-names'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { isAbsent, readModel, wrong } from '../fields.ts'
import { scanAsWritten } from './settings.ts'
import { transcriberIn } from './transcription.ts'

const names = bodyNames('openai', [], 'expires_after anchor seconds session model type')

/** The requested settings of a session. */
export interface RequestedSession {
  model?: string
  /** The settings of its first event. */
  settings: Record<string, unknown>
  /** How long the key is valid. */
  seconds: number
  /** The session only transcribes. */
  transcribes?: true
}

/** A key that was made. */
export interface MintedSecret {
  value: string
  /** Seconds since the epoch. */
  expiresAt: number
  /** Id of the planned session. */
  id: string
  requested: RequestedSession
}

/** Seconds. */
const usual = 600
const most = 7200
const beta = 60

function settingsIn(session: Record<string, unknown>, seconds: number): RequestedSession {
  const { model, ...settings } = session
  return { ...(!isAbsent(model) && { model: readModel(model) }), settings, seconds }
}

/** The body of `/v1/realtime/client_secrets`. Throws GatewayError 400. */
export function readClientSecret(text: string): RequestedSession {
  const { expires_after: after } = text.trim() === '' ? {} : scanObject(text, names).value
  const { session = {} } = scanAsWritten(text, names)
  const seconds = isAbsent(after) ? usual : isObject(after) ? (after.seconds ?? usual) : undefined
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds < 10 || seconds > most) {
    throw wrong('expires_after.seconds', `an integer from 10 to ${most}`)
  }
  if (!isObject(session)) throw wrong('session', 'an object')
  const { type = 'realtime' } = session
  if (type === 'transcription') return transcribing(session, seconds)
  if (type !== 'realtime') throw wrong('session.type', '`realtime` or `transcription`')
  return settingsIn({ ...session, type }, seconds)
}

function transcribing(settings: Record<string, unknown>, seconds: number): RequestedSession {
  const model = transcriberIn({ session: settings })
  return { ...(model !== undefined && { model: readModel(model) }), settings, seconds, transcribes: true }
}

/** The body of `/v1/realtime/sessions`. Throws GatewayError 400. */
export const readBetaSession = (text: string): RequestedSession => settingsIn(scanAsWritten(text, names), beta)

/** The body of `/v1/realtime/transcription_sessions`. Throws GatewayError 400. */
export const readTranscriptionSession = (text: string): RequestedSession => transcribing(scanAsWritten(text, names), beta)

/** The answer of `/v1/realtime/client_secrets`. */
export const writeClientSecret = ({ value, expiresAt, id, requested }: MintedSecret) => ({
  ...{ value, expires_at: expiresAt },
  session: requested.transcribes
    ? { ...requested.settings, type: 'transcription', object: 'realtime.transcription_session', id }
    : {
        ...requested.settings,
        type: 'realtime',
        object: 'realtime.session',
        id,
        ...(requested.model !== undefined && { model: requested.model }),
      },
})

/** The answer of `/v1/realtime/sessions`. */
export const writeBetaSession = ({ value, expiresAt, id, requested }: MintedSecret) => ({
  ...requested.settings,
  ...{ id, object: 'realtime.session' },
  ...(requested.model !== undefined && { model: requested.model }),
  client_secret: { value, expires_at: expiresAt },
})

/** The answer of `/v1/realtime/transcription_sessions`. */
export const writeTranscriptionSession = ({ value, expiresAt, id, requested }: MintedSecret) => ({
  ...requested.settings,
  ...{ id, object: 'realtime.transcription_session' },
  client_secret: { value, expires_at: expiresAt },
})

/** The event that sets up a session, as its client would send it. `isBeta`: one of the beta version that only transcribes. */
export const writeSetup = (session: string, isBeta = false): string =>
  `{"type":"${isBeta ? 'transcription_session' : 'session'}.update","session":${session}}`
