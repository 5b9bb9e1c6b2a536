/** Follow-up requests about long-running work, to the one account that has it: status, files, deletion. Nothing is held or charged. */
import { operationCodecs } from '#protocols/operations'
import { nativeInteractions } from '#protocols/wordings'
import type { RelayParts } from '#relay/contract/ask'
import { readText } from '#relay/exchange/answer-text'
import { destinationOf, signed } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import { type AbortSignalLike, abortedWithAny } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { type MediaPolicy, readAddress } from '#upstream/media-policy'
import { phaseLimits, phaseTimer } from '#upstream/timeouts'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { type FollowUp, type FollowUpStyle, followUpUrl } from '#vendors/follow-ups'

/** Work that an upstream has started, and where. */
export interface BegunAt {
  style: FollowUpStyle
  channel: string
  key: string | null
  upstreamModel: string
  upstreamId: string
}

/** Follow-up requests about long-running work. */
export interface FollowUps {
  /**
   * The upstream's answer; the caller must read or cancel it. Rejects with GatewayError: `not_found` when the upstream no longer has the
   * work.
   */
  ask(work: BegunAt, followUp: FollowUp, signal: AbortSignalLike): Promise<UpstreamAnswer>
  /** The same as text. */
  text(work: BegunAt, followUp: FollowUp, signal: AbortSignalLike): Promise<string>
  /** Deletes it there; does nothing where the upstream has no such call. */
  remove(work: BegunAt, signal: AbortSignalLike): Promise<void>
  /** One of its files; the caller must read or cancel it. Rejects with GatewayError. */
  content(work: BegunAt, asked: { variant?: string; file?: string }, signal: AbortSignalLike): Promise<UpstreamAnswer>
}

const refused = () => new GatewayError('upstream_error', 'The upstream refused.')
const limits = phaseLimits({ firstEvent: 60, betweenEvents: 60, total: 3600 })
const reportBytes = 64 * 1024 * 1024
const errorBytes = 64 * 1024
const redirects = 3

const gone = () => new GatewayError('no_channel_available', 'The channel that has it no longer exists.', { retryAfter: 30 })
const operationOf = { openai: 'video', gemini: 'video', interaction: 'interact' } as const
const nouns = { video: 'video', interact: 'interaction' } as const
const methodOf = { state: 'GET', content: 'GET', remove: 'DELETE', cancel: 'POST' } as const

export interface FollowUpParts extends Pick<RelayParts, 'channels' | 'upstream' | 'signer' | 'clock' | 'version'> {
  /** For URLs that an upstream returns on another host: restricted to the addresses that `mediaPolicy` allows. */
  elsewhere: Upstream
  mediaPolicy: MediaPolicy
}

export function createFollowUps(parts: FollowUpParts): FollowUps {
  function candidateOf({ style, channel: id, key: keyId, upstreamModel }: BegunAt): Candidate {
    const channel = parts.channels.get(id)
    const key = channel?.keys.find((one) => one.id === keyId) ?? null
    if (!channel || (keyId !== null && !key)) throw gone()
    const model = { name: upstreamModel, upstream: upstreamModel, capabilities: {} }
    const spoken = style === 'openai' ? 'chat' : 'gemini'
    return { channel, key, model, dialect: spoken, ...(style !== 'interaction' && { style }), native: true }
  }

  async function open(work: BegunAt, followUp: FollowUp, signal: AbortSignalLike): Promise<UpstreamAnswer | undefined> {
    const candidate = candidateOf(work)
    const destination = destinationOf({ operation: operationOf[work.style], stream: false }, candidate)
    const url = followUpUrl(work.style, destination.url, work.upstreamId, followUp)
    if (url === undefined) return undefined
    const timer = phaseTimer(parts.clock, limits)
    const both = abortedWithAny(signal, timer.signal)
    const own = { 'user-agent': `parley/${parts.version}`, accept: '*/*' }
    const method = methodOf[followUp.want]
    const headers = { ...own, ...destination.headers, ...(method === 'POST' && { 'content-type': 'application/json' }) }
    let request: UpstreamRequest = { ...destination, url, method, headers, body: method === 'POST' ? '{}' : undefined }
    let { upstream } = parts
    try {
      for (let left = redirects; ; left--) {
        const answer = await upstream.open(await signed(parts.signer, request, both), both, () => timer.connected())
        const next = answer.status >= 301 && answer.status <= 308 ? answer.headers.get('location') : null
        if (next === null || left === 0) return await accepted(work, answer)
        answer.cancel()
        const to = URL.parse(next, request.url)
        if (to?.origin === new URL(request.url).origin) request = { ...request, url: to.href }
        else {
          request = pointedTo(request, next, own)
          upstream = parts.elsewhere
        }
      }
    } finally {
      timer.stop()
    }
  }

  /** The channel's key is not sent to another host. */
  function pointedTo({ url, method, route }: UpstreamRequest, next: string, own: Record<string, string>): UpstreamRequest {
    const to = readAddress(next, parts.mediaPolicy, new URL(url))
    if (to === undefined) throw new GatewayError('upstream_error', 'The upstream returned a URL that Parley does not call.')
    return { url: to.href, method, headers: own, body: undefined, ...(route && { route }) }
  }

  async function accepted({ style }: BegunAt, answer: UpstreamAnswer): Promise<UpstreamAnswer> {
    if (answer.status >= 200 && answer.status <= 299) return answer
    const { text } = await readText(answer, errorBytes).catch(() => ({ text: '' }))
    answer.cancel()
    if (answer.status === 404 || answer.status === 410)
      throw new GatewayError('not_found', `The upstream no longer has this ${nouns[operationOf[style]]}.`)
    const codec = style === 'interaction' ? nativeInteractions : operationCodecs.video[style]
    throw codec?.readError(answer.status, new Headers([...answer.headers]), text) ?? refused()
  }

  async function asked(work: BegunAt, followUp: FollowUp, signal: AbortSignalLike): Promise<UpstreamAnswer> {
    const answer = await open(work, followUp, signal)
    if (!answer) throw refused()
    return answer
  }

  return {
    ask: asked,
    async text(work, followUp, signal) {
      const read = await readText(await asked(work, followUp, signal), reportBytes)
      if (!read.whole) throw new GatewayError('upstream_error', 'The upstream sent a report that is too long.')
      return read.text
    },
    async remove(work, signal) {
      ;(await open(work, { want: 'remove' }, signal))?.cancel()
    },
    async content(work, asked, signal) {
      const answer = await open(work, { want: 'content', ...asked }, signal)
      if (!answer) throw new GatewayError('not_found', 'The video has no such file.')
      return answer
    },
  }
}
