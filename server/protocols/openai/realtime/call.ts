/** Calls over WebRTC and SIP: the session set-up when they are opened, and what a session must not do although it bypasses Parley. */
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { isAbsent, readModel, wrong } from '../fields.ts'
import { readEvent } from './event.ts'
import { stateIn } from './frame.ts'
import { scanAsWritten } from './settings.ts'
import { transcriberIn, withTranscriber } from './transcription.ts'

/** The names of a session. */
const names = bodyNames('openai', [], 'type model audio input output format transcription voice tools prompt instructions tracing include')

/** A requested session. */
export interface CallSession {
  /** Absent: it names none. */
  model?: string
  settings: Record<string, unknown>
  /** It only transcribes. */
  transcribes: boolean
}

/** The session of a call: its own JSON, merged over that of the client secret. Throws GatewayError 400; `param`: its path. */
export function readCallSession(text: string, before: Record<string, unknown> = {}, param = 'session'): CallSession {
  const { model, ...others } = scanAsWritten(text, names)
  const settings = { ...before, ...others }
  const { type = 'realtime' } = settings
  if (type !== 'realtime' && type !== 'transcription') throw wrong(`${param}.type`, '`realtime` or `transcription`')
  const transcribes = type === 'transcription'
  const named = transcribes ? transcriberIn({ session: settings }) : model
  return { ...(!isAbsent(named) && { model: readModel(named) }), settings: { ...settings, type }, transcribes }
}

const before = '{"session":'

/** The same with the upstream's name of the model. */
export function writeCallSession({ settings, transcribes }: Omit<CallSession, 'model'>, model: string): string {
  if (!transcribes) return JSON.stringify({ ...settings, model })
  return withTranscriber(`${before}${JSON.stringify(named(settings, model))}}`, model).slice(before.length, -1)
}

/** Settings that name a model for transcribing. */
function named(settings: Record<string, unknown>, model: string): Record<string, unknown> {
  const audio = isObject(settings.audio) ? settings.audio : {}
  const input = isObject(audio.input) ? audio.input : {}
  const transcription = isObject(input.transcription) ? input.transcription : {}
  return { ...settings, audio: { ...audio, input: { ...input, transcription: { ...transcription, model } } } }
}

/** The id in a `Location` of a call. */
export const callIdIn = (location: string | null): string | undefined => /\/([\w-]{1,200})\/?(?:\?.*)?$/.exec(location ?? '')?.[1]

const changes = /"type"\s*:\s*"session\.(?:created|updated)"/

/**
 * Why a call must end: its client, which talks to the upstream directly, has used state of others in the account, or another model.
 * `transcriber`: the upstream's name of the model of a call that only transcribes. Undefined for any other frame.
 */
export function readBreach(frame: string, transcriber?: string): GatewayError | undefined {
  if (!changes.test(frame)) return undefined
  const event = readEvent(frame)
  const session = isObject(event?.session) ? event.session : undefined
  if (!event || !session) return undefined
  const state = stateIn({ type: event.type, session })
  if (state) return new GatewayError('not_found', `There is no ${state.split('.').at(-1)} with this id.`, { param: state })
  const namedTranscriber = transcriber === undefined ? undefined : transcriberIn({ session })
  if (namedTranscriber === undefined || namedTranscriber === transcriber) return undefined
  return new GatewayError('model_not_found', 'The model of a call cannot be changed. Open a new call for another model.', {
    param: 'session.model',
  })
}
