/** Outcomes of an upstream's answer at clients of another dialect, or of its own, determined by running the codecs as the relay does. */
import type { ConversationRequest, ConversationResponse } from '#canonical/conversation'
import { joinLosses } from '#canonical/loss'
import { conversationCodecs as codecs } from '#protocols/index'
import { createEnvelopes } from '#reasoning-state/envelope'
import { changeParts } from '#reasoning-state/state-walk'
import { askedFor } from '#relay/conversation/asked-for'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects, servedBy } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { askedBy } from '#testing/conversions/answer-features'
import { attempt, noMemo, testPen } from '#testing/conversions/codec-runs'
import { type Cell, type Converted, compared, type Verdict } from './outcome.ts'
import type { WireCase } from './request-cells.ts'

/** The clients that an upstream of this dialect serves. */
const clientsOf = (from: Dialect) => dialects.filter((client) => servedBy[client].includes(from))

const tenant = 'anna'
/** Seals equal values equally, which the real one never does. */
const { wrap } = createEnvelopes({ seal: (text) => `v1.${Buffer.from(text).toString('base64')}`, open: (sealed) => sealed })

/** A request of the client that wants everything an answer can hold. */
const askers = Object.fromEntries(dialects.map((dialect) => [dialect, askedBy(dialect)])) as Record<Dialect, ConversationRequest>

/** The cells of one whole answer, for every client that its dialect serves. */
export function answerCells(from: Dialect, { path, body, base, hollow }: WireCase): Cell[] {
  return clientsOf(from).map((to) => {
    if (to === from) return { from, to, path, ...nativeWhole(from, body), ...(hollow && { hollow }) }
    return { from, to, path, ...compared(given(from, to, body), given(from, to, base)), ...(hollow && { hollow }) }
  })
}

function nativeWhole(dialect: Dialect, body: string): Verdict {
  const read = attempt(() => codecs[dialect].readWhole(body, {}, 0))
  const outcome = read instanceof GatewayError ? 'refused' : read.body === body ? 'same' : 'silent'
  return { plain: outcome, strict: outcome }
}

function given(from: Dialect, to: Dialect, body: string): Converted | GatewayError {
  return attempt(() => {
    const answer = codecs[from].readResponse(body, noMemo, testPen())
    const asked = askers[to]
    askedFor(asked, from).checked(answer.choices)
    const written = codecs[to].writeResponse(outward(answer, to), asked, testPen())
    return { text: written.body, losses: joinLosses(answer.losses, written.losses) }
  })
}

const outward = (answer: ConversationResponse, to: Dialect): ConversationResponse => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    parts: changeParts(choice.parts, (opaque) => wrap(tenant, to, opaque)),
  })),
})

/**
 * The cells of one event, whose bodies are whole streams. Events that report the progress of an item have its outcome, as has every event
 * of a lost item.
 */
export function eventCells(from: Dialect, { path, body, base, hollow, item }: WireCase): Cell[] {
  return clientsOf(from).map((to) => {
    if (to === from) return { from, to, path, ...nativeStream(from, body), ...(hollow && { hollow }) }
    const outcome = compared(writtenStream(from, to, body), writtenStream(from, to, base))
    const cell = { from, to, path, ...outcome, ...(hollow && { hollow }) }
    if (outcome.plain !== 'silent' || !item) return cell
    const whole = compared(writtenStream(from, to, body), writtenStream(from, to, item.stream))
    const isShared = whole.plain === 'reported' || whole.plain === 'refused' || (whole.plain === 'converted' && item.isProgress)
    return isShared ? { ...cell, ...whole, inside: 'the item' } : cell
  })
}

function nativeStream(dialect: Dialect, stream: string): Verdict {
  const meter = codecs[dialect].meter({})
  const out: string[] = []
  for (const frame of framesOf(stream)) {
    const verdict = meter.push(frame)
    if (verdict.error) return { plain: 'refused', strict: 'refused' }
    out.push(Buffer.from(verdict.out ?? []).toString())
  }
  const outcome = out.join('') === stream ? 'same' : 'silent'
  return { plain: outcome, strict: outcome }
}

function writtenStream(from: Dialect, to: Dialect, stream: string): Converted | GatewayError {
  const reader = codecs[from].reader(noMemo, testPen())
  const writer = codecs[to].writer(askers[to], testPen())
  const rule = askedFor(askers[to], from)
  const out: string[] = []
  const events = [...framesOf(stream).flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
  for (const event of events) {
    if (event.kind === 'finish') {
      const failure = rule.failure(event.finish)
      if (failure) return failure
    }
    if (event.kind === 'error') return event.error
    out.push(Buffer.from(writer.push(event)).toString())
  }
  return { text: out.join(''), losses: joinLosses(reader.losses?.(), writer.losses()) }
}

function framesOf(stream: string) {
  const splitter = createSseSplitter()
  return [...splitter.push(Buffer.from(stream)), ...splitter.end()]
}
