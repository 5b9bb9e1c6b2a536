/**
 * Addresses of uploads in Google's manner. Google's own clients send a key when they begin an upload and none afterwards: whoever has its
 * address goes on with it, as the key that began it. Sealed, not stored: every instance with the master key reads them.
 */
import type { Ask } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { findCredential, readCredential } from './credentials.ts'
import type { Visit } from './route.ts'
import { openText, sealText } from './sealed-text.ts'

type Caller = Ask['caller']
/** As much of a visit as says whose upload it is about. */
type Entry = Pick<Visit, 'request' | 'url' | 'clientAddress' | 'replay'>

/** What they need from the program. */
export interface UploadAddressServices {
  accounts: {
    admitKey(secret: string, from: Entry): Caller
    /** The caller of the key of this id; undefined when it may not ask any more, or not from this address. */
    callerWithKey(id: string, address: string): Caller | undefined
  }
  sealer: Sealer
  clock: Pick<Clock, 'now'>
  publicUrl: URL
}

/** An upload that has begun. */
export interface BegunUpload {
  caller: Caller
  /** Where it goes: an address of one place is none at another. */
  place: string
  /** What it is known by there. */
  upload: string
  /** Milliseconds that the address stands for its key. */
  lastsMs: number
}

/** What is in an address. */
interface Sealed {
  key: string | null
  tenant: string
  upload: string
  until: number
}

const sealedAs = (place: string) => JSON.stringify(['address of an upload', place])
const invalid = (message: string) => new GatewayError('invalid_api_key', message)

/** What a part of an upload is to do, in lower case: `start`, `upload`, `finalize`, `query`, `cancel`. */
export const uploadCommands = (request: Request): string[] =>
  (request.headers.get('x-goog-upload-command') ?? '').split(',').map((command) => command.trim().toLowerCase())

/** The address at which the client goes on, which is that of this request with what is sealed. */
export function uploadAddress(services: UploadAddressServices, { url }: Pick<Visit, 'url'>, begun: BegunUpload): string {
  const { caller, place, upload, lastsMs } = begun
  const until = services.clock.now() + lastsMs
  const sealed: Sealed = { key: caller.key?.id ?? null, tenant: caller.user.id, upload, until }
  return `${services.publicUrl.origin}${url.pathname}?upload_id=${sealText(services.sealer, sealedAs(place), sealed)}`
}

/**
 * Who uploads, and which upload goes on; undefined where one begins, and for an address that names none of the caller's. Without a
 * credential, the key that began the upload counts, if it may still ask from here. Throws `invalid_api_key` for an address that was
 * changed or has expired, and as admission does.
 */
export function admitUpload(services: UploadAddressServices, visit: Entry, place: string): { caller: Caller; upload?: string } {
  const { request, url, clientAddress, replay } = visit
  const { accounts, sealer, clock } = services
  const named = uploadCommands(request).includes('start') ? null : url.searchParams.get('upload_id')
  const sealed = named ? openText<Sealed>(sealer, named, sealedAs(place)) : undefined
  const ofCaller = (caller: Caller) => (sealed?.tenant === caller.user.id ? { caller, upload: sealed.upload } : { caller })
  if (replay) return ofCaller(replay.caller)
  const credential = findCredential(request.headers, url.searchParams)
  if (credential !== undefined || !named) {
    return ofCaller(accounts.admitKey(credential ?? readCredential(request.headers, url.searchParams), visit))
  }
  if (!sealed || clock.now() >= sealed.until) throw invalid('This upload URL is not valid, or has expired. Begin the upload again.')
  const caller = sealed.key === null ? undefined : accounts.callerWithKey(sealed.key, clientAddress)
  if (!caller) throw invalid('The key that began this upload is no longer valid, or may not be used from your IP address.')
  return ofCaller(caller)
}
