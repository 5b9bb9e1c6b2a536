/**
 * Turns an answer that a content filter ended before any output into an error, so that another model can be asked. Parses the upstream's
 * answer a second time, up to its first content; used only if there is a fallback model.
 */
import type { CodecContext, ConversationCodec, FrameVerdict, Memo } from '#canonical/codec'
import type { Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { ExchangeFor } from '#relay/contract/steps'
import { codecFor } from '#relay/conversation/converted'
import { passageOver } from '#relay/exchange/passage-over'
import { GatewayError } from '#shared/errors'
import type { Frame } from '#shared/sse'

const noMemo: Memo = { toolNames: {}, wrappedTools: [] }

const filterEnded = () =>
  new GatewayError('upstream_rejected', 'A content filter ended the answer before it had any content.', { publicCode: 'content_filter' })

const hasContent = (part: Part) => part.kind !== 'text' || part.text !== ''

/** The same exchanges, with an error for an answer that a filter ended before any output. */
export function reportingFilter(exchangeFor: ExchangeFor, { clock, random }: Pick<RelayParts, 'clock' | 'random'>): ExchangeFor {
  const codecContext: CodecContext = { now: clock.now, id: (prefix) => prefix + random.base62(24) }
  return async (candidate, rates) => {
    const exchange = await exchangeFor(candidate, rates)
    return exchange instanceof GatewayError ? exchange : watched(exchange, codecFor(candidate), codecContext)
  }
}

function watched(exchange: Exchange, codec: ConversationCodec, codecContext: CodecContext): Exchange {
  return {
    ...exchange,
    whole(body, rest) {
      if (isFiltered(codec, body, codecContext)) throw filterEnded()
      return exchange.whole(body, rest)
    },
    passage: (type) => watchedPassage(exchange.passage(type), codec, codecContext),
  }
}

/** An unreadable body is reported by the code that must read it. */
function isFiltered(codec: ConversationCodec, body: string, codecContext: CodecContext): boolean {
  try {
    const { choices } = codec.readResponse(body, noMemo, codecContext)
    return choices.length > 0 && choices.every(({ finish, parts }) => finish.reason === 'content-filter' && !parts.some(hasContent))
  } catch {
    return false
  }
}

type Seen = 'nothing' | 'content' | 'filter'

function seenIn(events: readonly ConversationEvent[]): Seen {
  for (const event of events) {
    if (event.kind === 'open' && (event.part.kind === 'call' || event.part.kind === 'native')) return 'content'
    if (event.kind === 'delta' && (!('text' in event.delta) || event.delta.text !== '')) return 'content'
    if (event.kind === 'finish') return event.finish.reason === 'content-filter' ? 'filter' : 'content'
    if (event.kind === 'error') return 'content'
  }
  return 'nothing'
}

/** Holds events that only look meaningful (an empty finish) until the outcome is known. */
function watchedPassage(passage: Passage, codec: ConversationCodec, codecContext: CodecContext): Passage {
  const reader = codec.reader(noMemo, codecContext)
  let seen: Seen = 'nothing'

  function judged(verdict: FrameVerdict, read: () => ConversationEvent[]): FrameVerdict {
    if (seen === 'content' || verdict.error) return verdict
    if (seen === 'nothing') seen = seenIn(read())
    if (seen === 'filter') return { out: undefined, meaningful: false, error: filterEnded() }
    return seen === 'nothing' && verdict.meaningful && !verdict.last ? { ...verdict, meaningful: false } : verdict
  }

  return passageOver(passage, {
    push(frame: Frame) {
      const verdict = passage.push(frame)
      return judged(verdict, () => reader.push(frame))
    },
    close() {
      const verdict = passage.close()
      return judged(verdict, () => reader.end(undefined))
    },
  })
}
