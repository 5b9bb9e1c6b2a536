/**
 * Short-lived keys of live sessions, which a server gives to its browsers: `auth_tokens` and what they open,
 * `BidiGenerateContentConstrained`. Sealed, not stored; only the use count is in the database. Each acts for the key that requested it and
 * becomes invalid with it.
 */
import type { Caller } from '#accounts/caller'
import { admit, type RelayServices, senderOf } from '#http/api/relay-route'
import { decodeUtf8, type JsonServices, join, readJsonPieces } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { openText, sealText } from '#http/request/sealed-text'
import { withRoom } from '#http/request/with-room'
import { type AskedToken, readTokenRequest } from '#protocols/realtime'
import type { BodyRoom } from '#relay/contract/body-rooms'
import type { Realtime } from '#relay/realtime/contract'
import type { Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'

/** Use counts of such keys, across all instances. */
export interface TokenUses {
  /** False when it was used `most` times already. `until`: milliseconds since the epoch. */
  take(id: string, most: number, until: number): Promise<boolean>
  /** Returns a use that failed. */
  giveBack(id: string): Promise<void>
}

/** Dependencies. */
export interface TokenServices extends JsonServices, Pick<RelayServices, 'rooms'> {
  accounts: RelayServices['accounts'] & { callerWithKey(id: string, address: string): Caller | undefined }
  sealer: Sealer
  random: Pick<Random, 'base62'>
  tokenUses: TokenUses
  realtime: Realtime
}

/** The content of one. */
interface LiveToken extends Omit<AskedToken, 'model'> {
  id: string
  /** The id of the key that it acts for. */
  key: string
}

const sealedAs = 'live session token'
const mark = 'auth_tokens/'
/** Characters of JSON: what fits into a URL. */
const mostSetup = 6 * 1024

const invalid = (message: string) => new GatewayError('invalid_api_key', message)

async function minted(services: TokenServices, visit: Visit): Promise<Response> {
  const caller = admit(services, visit)
  if (!caller.key) throw new Error('a token without a key')
  const reading = (room: BodyRoom) => readJsonPieces(visit.request, services, room)
  const { pieces, isLight } = await withRoom(services.rooms, senderOf(caller), reading)
  if (!isLight) throw tooLong()
  const { model, ...asked } = readTokenRequest(decodeUtf8(join(pieces)), services.clock.now())
  if (model !== undefined) services.realtime.demand(caller, 'gemini', model)
  if (JSON.stringify(asked.lock).length > mostSetup) throw tooLong()
  const token: LiveToken = { ...asked, id: services.random.base62(24), key: caller.key.id }
  return json({ name: mark + sealText(services.sealer, sealedAs, token) })
}

const tooLong = () =>
  new GatewayError('request_too_large', `A session may be created with at most ${mostSetup} characters of settings here.`, {
    param: 'bidiGenerateContentSetup',
  })

/** The token of this request, as Google's clients send it. */
function sentIn({ request, url }: Visit): string {
  const [, inHeader] = /^(?:token|bearer) +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const sent = url.searchParams.get('access_token') ?? inHeader
  if (sent === undefined) throw invalid('A token is required: ?access_token=auth_tokens/... Create one at /v1alpha/auth_tokens.')
  return sent
}

/** A session that a token opens. */
export interface TokenEntry extends Pick<LiveToken, 'lock'> {
  /** The owner of the session; called repeatedly. Throws GatewayError once the token or its key is no longer valid. */
  admit(): Caller
  /** Uses the token for a new session. Rejects with GatewayError. */
  use(): Promise<{ giveBack(): Promise<void> }>
}

/** The entry by this request's token. Throws GatewayError without one. */
export function tokenEntry(services: TokenServices, visit: Visit): TokenEntry {
  const { sealer, accounts, clock, tokenUses } = services
  const sent = sentIn(visit)
  const { clientAddress } = visit
  const token = sent.startsWith(mark) ? openText<LiveToken>(sealer, sent.slice(mark.length), sealedAs) : undefined
  if (!token) throw invalid('The token is not valid.')
  return {
    lock: token.lock,
    admit() {
      if (clock.now() >= token.until) throw invalid('The token has expired.')
      const caller = accounts.callerWithKey(token.key, clientAddress)
      if (!caller) throw invalid('The key of this token is no longer valid.')
      return caller
    },
    async use() {
      if (clock.now() >= token.begins) throw invalid('The time in which this token can open new sessions is over.')
      if (token.uses === 0) return { giveBack: async () => undefined }
      if (!(await tokenUses.take(token.id, token.uses, token.until))) throw invalid('The token has reached its maximum number of uses.')
      return { giveBack: () => tokenUses.giveBack(token.id) }
    },
  }
}

/** `auth_tokens`; Google serves it in `v1alpha`, and newer clients call another version by default. */
export function liveTokenRoutes(services: TokenServices): Route[] {
  return ['v1alpha', 'v1beta', 'v1'].map((version) => ({
    ...{ method: 'POST', path: `/${version}/auth_tokens`, envelope: 'gemini' },
    handle: (visit) => minted(services, visit),
  }))
}
