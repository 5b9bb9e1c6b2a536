/**
 * Short-lived keys for realtime sessions, which a server gives to its browsers: `/v1/realtime/client_secrets` and, for the beta version of
 * the protocol, `/v1/realtime/sessions` and `transcription_sessions`. They are sealed, not stored: any instance with the master key reads
 * them. Each acts for the key that requested it, opens only the WebSocket, and becomes invalid with that key.
 */
import type { Caller } from '#accounts/caller'
import { admit, type RelayServices, senderOf } from '#http/api/relay-route'
import { decodeUtf8, type JsonServices, join, readJsonPieces } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { openText, sealText } from '#http/request/sealed-text'
import { withRoom } from '#http/request/with-room'
import {
  type RequestedSession,
  readBetaSession,
  readClientSecret,
  readTranscriptionSession,
  writeBetaSession,
  writeClientSecret,
  writeTranscriptionSession,
} from '#protocols/realtime'
import type { BodyRoom } from '#relay/contract/body-rooms'
import type { Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'

/** Dependencies. */
export interface SecretServices extends JsonServices, Pick<RelayServices, 'accounts' | 'rooms'> {
  sealer: Sealer
  random: Pick<Random, 'base62'>
}

/** The content of one. */
export interface ClientSecret {
  /** The id of the key that it acts for. */
  key: string
  /** Milliseconds since the epoch. */
  until: number
  /** The model of its session, and the session settings as JSON. */
  model?: string
  session?: string
  /** The session only transcribes audio; `beta`: in the format of the beta version. */
  transcribes?: 'now' | 'beta'
}

const sealedAs = 'realtime client secret'
const mark = 'ek_'
/** Characters of JSON: what fits into a header. */
const mostSession = 6 * 1024

/** The content of a secret; undefined for anything else, and for one that was changed or has expired. */
export function opened(services: Pick<SecretServices, 'sealer' | 'clock'>, text: string): ClientSecret | undefined {
  const secret = isClientSecret(text) ? openText<ClientSecret>(services.sealer, text.slice(mark.length), sealedAs) : undefined
  return secret && secret.until > services.clock.now() ? secret : undefined
}

/** Whether this may be such a secret. */
export const isClientSecret = (text: string): boolean => text.startsWith(mark)

/** Creates one. Rejects with GatewayError. */
async function minted(services: SecretServices, visit: Visit, read: (text: string) => RequestedSession) {
  const caller: Caller = admit(services, visit)
  if (!caller.key) throw new Error('a secret without a key')
  const reading = (room: BodyRoom) => readJsonPieces(visit.request, services, room)
  const { pieces, isLight } = await withRoom(services.rooms, senderOf(caller), reading)
  if (!isLight) throw tooLong()
  const requested = read(decodeUtf8(join(pieces)))
  const { model, settings, seconds, transcribes } = requested
  const session = Object.keys(settings).length > 0 ? JSON.stringify(settings) : undefined
  if (session !== undefined && session.length > mostSession) throw tooLong()
  const until = services.clock.now() + seconds * 1000
  const value =
    mark +
    sealText(services.sealer, sealedAs, {
      key: caller.key.id,
      until,
      ...(model !== undefined && { model }),
      ...(session !== undefined && { session }),
      ...(transcribes && { transcribes: read === readTranscriptionSession ? 'beta' : 'now' }),
    })
  return { value, expiresAt: Math.floor(until / 1000), id: `sess_${services.random.base62(24)}`, requested }
}

const tooLong = () =>
  new GatewayError(
    'request_too_large',
    `A session may be created with at most ${mostSession} characters of settings. Send the rest with session.update.`,
    {
      param: 'session',
    },
  )

/** `/v1/realtime/client_secrets`, and `/v1/realtime/sessions` and `transcription_sessions` of the beta version. */
export function realtimeSecretRoutes(services: SecretServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', handle })
  return [
    post('/v1/realtime/client_secrets', async (visit) => json(writeClientSecret(await minted(services, visit, readClientSecret)))),
    post('/v1/realtime/transcription_sessions', async (visit) =>
      json(writeTranscriptionSession(await minted(services, visit, readTranscriptionSession))),
    ),
    post('/v1/realtime/sessions', async (visit) => json(writeBetaSession(await minted(services, visit, readBetaSession)))),
  ]
}
