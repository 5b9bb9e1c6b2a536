/**
 * Google-style upload addresses. Google's own clients send a key when they begin an upload and none afterwards: the holder of the
 * address continues it, as the key that began it. Sealed, not stored: every instance with the master key reads them.
 */
import type { Ask } from '#relay/contract/ask'
import type { Clock } from '#runtime/clock'
import { type Sealer, sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { findCredential, readCredential } from './credentials.ts'
import type { Visit } from './route.ts'
import { openText, sealText } from './sealed-text.ts'

type Caller = Ask['caller']
/** The part of a visit that identifies the upload's owner. */
type Entry = Pick<Visit, 'request' | 'url' | 'clientAddress' | 'replay'>

/** Dependencies. */
export interface UploadAddressServices {
  accounts: {
    admitKey(secret: string, from: Entry): Caller
    /**
     * The caller of the key of this id; undefined when it may no longer send requests, or not from this address, or when the secret of this
     * digest is no longer valid.
     */
    callerWithKey(id: string, address: string, digest?: string): Caller | undefined
  }
  sealer: Sealer
  clock: Pick<Clock, 'now'>
  publicUrl: URL
}

/** An upload that has begun. */
export interface BegunUpload {
  caller: Caller
  /** Its purpose: an address for one is invalid for another. */
  place: string
  /** Its id there. */
  upload: string
  /** Milliseconds for which the address replaces its key. */
  lastsMs: number
}

/** The content of an address. */
interface Sealed {
  key: string | null
  /** The digest of the secret that began the upload; absent in addresses of earlier versions. */
  secret?: string
  tenant: string
  upload: string
  until: number
}

const sealedAs = (place: string) => JSON.stringify(['address of an upload', place])
const invalid = (message: string) => new GatewayError('invalid_api_key', message)

/** The commands of a part of an upload, in lower case: `start`, `upload`, `finalize`, `query`, `cancel`. */
export const uploadCommands = (request: Request): string[] =>
  (request.headers.get('x-goog-upload-command') ?? '').split(',').map((command) => command.trim().toLowerCase())

/** The address at which the client continues: that of this request plus the sealed content. */
export function uploadAddress(
  services: UploadAddressServices,
  { request, url }: Pick<Visit, 'request' | 'url'>,
  begun: BegunUpload,
): string {
  const { caller, place, upload, lastsMs } = begun
  const until = services.clock.now() + lastsMs
  const secret = findCredential(request.headers, url.searchParams)
  const of = { key: caller.key?.id ?? null, ...(secret !== undefined && { secret: sha256Hex(secret) }) }
  const sealed: Sealed = { ...of, tenant: caller.user.id, upload, until }
  return `${services.publicUrl.origin}${url.pathname}?upload_id=${sealText(services.sealer, sealedAs(place), sealed)}`
}

/**
 * The caller, and the upload to continue; undefined where one begins, and for an address that names none of the caller's. Without a
 * credential, the key that began the upload counts, if it may still be used from here. Throws `invalid_api_key` for an address that was
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
  const caller = sealed.key === null ? undefined : accounts.callerWithKey(sealed.key, clientAddress, sealed.secret)
  if (!caller) throw invalid('The key that began this upload is no longer valid, or may not be used from your IP address.')
  return ofCaller(caller)
}
