/** Records what a channel test gets back, while it is read, to show to the administrator. */

import { cost } from '#billing/pricing/cost'
import type { ConversationResponse } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Usage } from '#canonical/usage'
import { withoutSecrets } from '#relay/exchange/redacted'
import { upstreamPriceOf } from '#relay/spend/upstream-price'
import type { Candidate } from '#routing/order'
import type { ProbeDetail } from '#shared/console/inspection/probe'
import { formatUsd } from '#shared/money'
import type { Frame } from '#shared/sse'

/** Characters kept of the model's text, and of the raw answer. */
const [mostText, mostRaw] = [500, 16_384]

/** Notes of one answer. */
export interface ProbeNotes {
  /** A whole body. */
  body(text: string): void
  /** A frame of a stream. */
  frame(frame: Frame): void
  /** An event of a stream. */
  event(event: ConversationEvent): void
  /** A whole answer, parsed. */
  response(response: ConversationResponse): void
  /** The result for the administrator. */
  detail(candidate: Candidate, usage: Usage | undefined): ProbeDetail
}

/** `elapsed` returns the milliseconds since the request was sent. */
export function probeNotes(elapsed: () => number): ProbeNotes {
  let text = ''
  let raw = ''
  let firstTokenMs: number | null = null
  const spoken = new Set<number>()
  const say = (more: string) => {
    text = (text + more).slice(0, mostText)
  }
  const keep = (more: string) => {
    if (raw.length < mostRaw) raw = (raw + more).slice(0, mostRaw)
  }
  return {
    body: keep,
    frame: ({ event, data = '' }) => keep(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`),
    event(event) {
      if (event.kind === 'open' && event.part.kind === 'text') spoken.add(event.at)
      if (event.kind !== 'delta' || !('text' in event.delta)) return
      firstTokenMs ??= Math.round(elapsed())
      if (spoken.has(event.at)) say(event.delta.text)
    },
    response({ choices }) {
      for (const part of choices[0]?.parts ?? []) if (part.kind === 'text') say(part.text)
    },
    detail(candidate, usage) {
      const price = usage && upstreamPriceOf(candidate)
      return {
        firstTokenMs,
        text: withoutSecrets(text, candidate.channel),
        tokens: usage ? { in: inputOf(usage), out: usage.out.total } : null,
        cost: price && usage ? formatUsd(cost(usage, price.rates, 1_000_000n)) : null,
        raw: withoutSecrets(raw, candidate.channel),
      }
    },
  }
}

const inputOf = ({ in: { fresh, cacheRead, cacheWrite } }: Usage): number =>
  fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other
