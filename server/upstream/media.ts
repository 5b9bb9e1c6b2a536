/**
 * Fetches URLs sent by callers: images or documents that an upstream cannot fetch itself. It reaches public addresses only, checks
 * every address of a name and connects to a checked one (so DNS rebinding has no effect), follows redirects itself under the same
 * rules, sends nothing about the caller or Parley, and reads no more than necessary. It knows neither requests nor dialects. Start
 * with `createMediaFetcher`.
 */

import { isIP } from 'node:net'
import type { Clock } from '#runtime/clock'
import { type AbortSignalLike, abortedWithAny } from '#runtime/contract/abort'
import type { HttpAnswer } from '#runtime/contract/http-client'
import { createHttpClient } from '#runtime/http-client'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'
import { hostOf, type Resolve, refusesHost, systemResolve } from './addresses.ts'
import { type MediaPolicy, publicOnly, readAddress } from './media-policy.ts'
import { beginningBytes, type MediaType, mediaType } from './media-type.ts'
import { createSemaphore } from './semaphore.ts'

/** A fetched file that is short enough to be one string. */
export interface ShortMedia {
  mimeType: MediaType
  /** Base64. */
  data: string
  /** Size of the file. */
  bytes: number
}

/** A longer one: converting it to base64 would block the event loop. */
export interface LongMedia extends Omit<ShortMedia, 'data'> {
  /** As they arrived. */
  pieces: readonly Uint8Array[]
}

/** A fetched file. */
export type FetchedMedia = ShortMedia | LongMedia

/** Bytes up to which a file is short; a longer one stays in pieces. */
export const shortMedia = 192 * 1024

/**
 * Fetches a file. Rejects with GatewayError: `invalid_value` without a `param` (the URL is forbidden or cannot be fetched, with the
 * same text and timing for both; or the file is too large or of an unsupported type), `overloaded`, or with the signal's reason.
 */
export type FetchMedia = (url: string, signal: AbortSignalLike) => Promise<FetchedMedia>

/** Limits of fetching. */
export interface MediaLimits {
  /** Maximum size of one file. */
  bytes: number
  /** Milliseconds for one file, redirects included. */
  ms: number
  redirects: number
  /** Concurrent fetches in this process, and how many may wait. */
  parallel: number
  waiting: number
  /**
   * Failures are reported no earlier than after this many milliseconds, so that forbidden URLs cannot be distinguished from
   * unresponsive ones.
   */
  failureMs: number
}

const defaultLimits: MediaLimits = { bytes: 10 * 1024 * 1024, ms: 10_000, redirects: 3, parallel: 32, waiting: 256, failureMs: 500 }

/** What `createMediaFetcher` needs. */
export interface MediaFetcherOptions {
  clock: Clock
  policy?: MediaPolicy
  limits?: Partial<MediaLimits>
  resolve?: Resolve
}

/** How many addresses of a name are tried. */
const tries = 3

const unreachable = (cause?: unknown) =>
  new GatewayError(
    'invalid_value',
    'The file at this URL could not be fetched: the URL must be public, begin with https:// and respond quickly.',
    {
      cause,
    },
  )
const wrongKind = () =>
  new GatewayError('invalid_value', 'The file at this URL has an unsupported type; PNG, JPEG, GIF, WebP, PDF, WAV and MP3 are supported.')

/** The fetcher. `policy`: which addresses are allowed (by default public ones); each given limit replaces its default. */
export function createMediaFetcher({ clock, policy = publicOnly, resolve = systemResolve, ...options }: MediaFetcherOptions): FetchMedia {
  const limits = { ...defaultLimits, ...options.limits }
  const client = createHttpClient(clock)
  const semaphore = createSemaphore(limits.parallel, limits.waiting)
  const tooLarge = () =>
    new GatewayError('invalid_value', `The file at this address is larger than ${Math.floor(limits.bytes / 1024 / 1024)} MiB.`)

  /** Every address of the host; one forbidden address rejects all. IPv4 first: a machine may have nothing else. */
  async function addressesOf(host: string, signal: AbortSignalLike): Promise<readonly string[]> {
    if (refusesHost(host, policy)) throw unreachable()
    if (isIP(host) !== 0) return [host]
    const addresses = await rejectOnAbort(resolve(host), signal)
    if (addresses.length === 0 || addresses.some((address) => isIP(address) === 0 || refusesHost(address, policy))) throw unreachable()
    return addresses.toSorted((one, other) => isIP(one) - isIP(other))
  }

  async function visit(url: URL, signal: AbortSignalLike): Promise<HttpAnswer> {
    const host = hostOf(url)
    let fault: unknown
    for (const address of (await addressesOf(host, signal)).slice(0, tries)) {
      try {
        return await client.sendTo({ url, address, headers, signal })
      } catch (thrown) {
        signal.throwIfAborted()
        fault = thrown
      }
    }
    throw fault
  }

  async function readMedia(response: HttpAnswer, signal: AbortSignalLike): Promise<FetchedMedia> {
    if (Number(response.headers.get('content-length') ?? 0) > limits.bytes) throw tooLarge()
    const pieces: Uint8Array[] = []
    let bytes = 0
    for (let piece = await response.read(); piece !== undefined; piece = await response.read()) {
      pieces.push(piece)
      bytes += piece.byteLength
      if (bytes > limits.bytes) throw tooLarge()
      const isEnough = bytes >= beginningBytes && bytes - piece.byteLength < beginningBytes
      if (isEnough && mediaType(beginningOf(pieces)) === undefined) throw wrongKind()
    }
    // An aborted body may report a clean end.
    signal.throwIfAborted()
    const mimeType = mediaType(beginningOf(pieces))
    if (mimeType === undefined) throw wrongKind()
    return bytes > shortMedia ? { mimeType, pieces, bytes } : { mimeType, data: Buffer.concat(pieces).toString('base64'), bytes }
  }

  async function load(text: string, signal: AbortSignalLike): Promise<FetchedMedia> {
    let url = readAddress(text, policy)
    for (let hop = 0; url !== undefined && hop <= limits.redirects; hop += 1) {
      const response = await visit(url, signal)
      try {
        if (response.status === 200) return await readMedia(response, signal)
      } finally {
        response.cancel()
      }
      const to = redirects.has(response.status) ? response.headers.get('location') : null
      url = to === null ? undefined : readAddress(to, policy, url)
    }
    throw unreachable()
  }

  return (url, signal) =>
    semaphore.run(signal, async () => {
      const begun = clock.monotonic()
      const late = new AbortController()
      const timer = clock.after(limits.ms, () => late.abort(unreachable('late')))
      try {
        signal.throwIfAborted()
        return await load(url, abortedWithAny(signal, late.signal))
      } catch (thrown) {
        await clock.sleep(Math.max(0, limits.failureMs - (clock.monotonic() - begun)), signal)
        throw thrown instanceof GatewayError ? thrown : unreachable(codeOf(thrown))
      } finally {
        timer.cancel()
      }
    })
}

const beginningOf = (pieces: readonly Uint8Array[]) =>
  Buffer.concat(
    pieces,
    Math.min(
      beginningBytes,
      pieces.reduce((sum, { byteLength }) => sum + byteLength, 0),
    ),
  )

const redirects = new Set([301, 302, 303, 307, 308])

/** The only headers sent. */
const headers = { accept: 'image/*, application/pdf, audio/*', 'accept-encoding': 'identity', 'user-agent': 'parley' }

/** Messages of `fetch` contain the URL; only the code may be logged. */
const codeOf = (thrown: unknown) => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown')
