/** Short-lived keys of realtime sessions, in the words of the vendor's present protocol and of its beta version. */
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { isAbsent, readModel, wrong } from '../fields.ts'

const names = bodyNames('openai', [], 'expires_after anchor seconds session model type')

/** What is asked of a session before it begins. */
export interface SaidOfSession {
  model?: string
  /** What its first event is to set. */
  settings: Record<string, unknown>
  /** How long the key is good for. */
  seconds: number
}

/** A key that was made. */
export interface MintedSecret {
  value: string
  /** Seconds since the epoch. */
  expiresAt: number
  /** Of the session as it is planned. */
  id: string
  said: SaidOfSession
}

/** Seconds. */
const usual = 600
const most = 7200
const beta = 60

function settingsIn(session: Record<string, unknown>, seconds: number): SaidOfSession {
  const { model, ...settings } = session
  return { ...(!isAbsent(model) && { model: readModel(model) }), settings, seconds }
}

/** The body of `/v1/realtime/client_secrets`. Throws GatewayError 400. */
export function readClientSecret(text: string): SaidOfSession {
  const { expires_after: after, session = {} } = text.trim() === '' ? {} : scanObject(text, names).value
  const seconds = isAbsent(after) ? usual : isObject(after) ? (after.seconds ?? usual) : undefined
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds) || seconds < 10 || seconds > most) {
    throw wrong('expires_after.seconds', `an integer from 10 to ${most}`)
  }
  if (!isObject(session)) throw wrong('session', 'an object')
  const { type = 'realtime' } = session
  if (type !== 'realtime') throw noTranscription()
  return settingsIn({ ...session, type }, seconds)
}

/** The body of `/v1/realtime/sessions`. Throws GatewayError 400. */
export const readBetaSession = (text: string): SaidOfSession => settingsIn(text.trim() === '' ? {} : scanObject(text, names).value, beta)

const noTranscription = () =>
  new GatewayError(
    'unsupported_here',
    'Parley serves no realtime sessions that only transcribe. Use /v1/audio/transcriptions, or input transcription in a session of type realtime.',
    { param: 'session.type' },
  )

/** The answer of `/v1/realtime/client_secrets`. */
export const writeClientSecret = ({ value, expiresAt, id, said }: MintedSecret) => ({
  ...{ value, expires_at: expiresAt },
  session: { ...said.settings, type: 'realtime', object: 'realtime.session', id, ...(said.model !== undefined && { model: said.model }) },
})

/** The answer of `/v1/realtime/sessions`. */
export const writeBetaSession = ({ value, expiresAt, id, said }: MintedSecret) => ({
  ...said.settings,
  ...{ id, object: 'realtime.session' },
  ...(said.model !== undefined && { model: said.model }),
  client_secret: { value, expires_at: expiresAt },
})

/** The event that sets up a session, as its client would send it. */
export const writeSetup = (session: string): string => `{"type":"session.update","session":${session}}`
