/**
 * A candidate of another dialect: the client's request is read once into the canonical conversation and written for this
 * upstream; its answer is read back and written in the client's dialect. What the request loses is known when it is written; in
 * strict mode a loss of meaning means that this candidate cannot say the request. What the answer loses is told, never refused.
 */
import type { ConversationCodec, FrameVerdict, Memo, Pen, ReadResponse, StreamReader, Target, WholeAnswer } from '#canonical/codec'
import type { ConversationEvent, ConversationRequest, Delta } from '#canonical/conversation'
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { joinLosses, type Loss } from '#canonical/loss'
import { noUsage, type Usage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Call } from './call.ts'
import { counted } from './gauge.ts'
import { outgoing, splitterOf } from './outgoing.ts'
import type { Passage, Way } from './way.ts'

/** What both sides of one conversion are. */
export interface Conversion {
  client: ConversationCodec
  upstream: ConversationCodec
  request: ConversationRequest
  pen: Pen
  /** The upstream's channel: what its account seals comes back to it. */
  maker: string
  /** What was left behind before the request is written. */
  lost: readonly Loss[]
  /** Counts what the upstream does not say. */
  gauge: Gauge
}

function withChannelPrompt(request: ConversationRequest, prompt: string | null): ConversationRequest {
  if (prompt === null) return request
  return { ...request, instructions: [{ role: 'system', text: prompt }, ...request.instructions] }
}

/** A body that Parley wrote, with the fields that the channel sets and removes. */
export function withParams(body: Record<string, unknown>, { channel }: Candidate): Record<string, unknown> {
  const removed = new Set(channel.params.remove ?? [])
  const kept = Object.entries(body).filter(([field]) => !removed.has(field))
  return Object.fromEntries([...kept, ...Object.entries(channel.params.set ?? {})])
}

/** Strict mode: a loss of meaning is a refusal. Throws `unsupported_value` with the field. */
export function refuseLosses(losses: readonly Loss[]): void {
  const loss = losses.find((one) => one.meaning)
  if (loss) {
    throw new GatewayError(
      'unsupported_value',
      `This upstream cannot carry \`${loss.field}\`, and strict mode was asked for: ${loss.reason}`,
      { param: loss.field },
    )
  }
}

/** Bytes of what was delivered, for the estimate when the upstream tells no usage. */
const bytesOf = (delta: Delta): number => ('text' in delta ? Buffer.byteLength(delta.text) : 0)

/** Events on their way from one dialect's frames to another's bytes. */
export function convertedPassage({ client, request, pen, maker, gauge }: Conversion, reader: StreamReader, call: Call): Passage {
  const { vault } = call.parts
  const tenant = call.ask.caller.user.id
  const writer = client.writer(request, pen)
  const seen = vault.witness(tenant, maker)
  const carryOut = vault.carryingOut(tenant, client.dialect)
  const reasoning = new Set<string>()
  const delivered = { text: 0, reasoning: 0 }
  let told: Usage | undefined
  let hitLimit = false
  let finished = false

  function note(event: ConversationEvent): boolean {
    switch (event.kind) {
      case 'open':
        if (event.part.kind === 'reasoning') reasoning.add(`${event.choice}/${event.at}`)
        return event.part.kind === 'call' || event.part.kind === 'native'
      case 'delta': {
        const bytes = bytesOf(event.delta)
        if ('text' in event.delta) gauge.hear(event.delta.text)
        delivered.text += bytes
        if (reasoning.has(`${event.choice}/${event.at}`)) delivered.reasoning += bytes
        return true
      }
      case 'usage':
        if (event.usage.provenance !== 'estimated') told = event.usage
        return false
      case 'finish':
        finished = true
        hitLimit ||= event.finish.reason === 'length' || event.finish.reason === 'context-full'
        return true
      case 'start':
        told = event.usage
        return false
      case 'close':
      case 'end':
      case 'error':
        return false
    }
  }

  function pass(events: readonly ConversationEvent[]): FrameVerdict {
    const out: Uint8Array[] = []
    let meaningful = false
    for (const event of events) {
      if (event.kind === 'error') return { out: Buffer.concat(out), meaningful, error: event.error }
      meaningful = note(event) || meaningful
      // A codec estimates without knowing what went in.
      if (event.kind === 'usage' && event.usage.provenance === 'estimated') continue
      if (event.kind === 'end' && !told) out.push(writer.push({ kind: 'usage', usage: estimateAtEnd() }))
      seen(event)
      for (const carried of carryOut(event)) out.push(writer.push(carried))
      if (event.kind === 'end') return { out: Buffer.concat(out), meaningful: true, last: true }
    }
    const bytes = out.length === 1 ? out[0] : Buffer.concat(out)
    return { out: bytes && bytes.byteLength > 0 ? bytes : undefined, meaningful }
  }

  function estimate(scale: Scale): Usage {
    const usage = noUsage()
    usage.in.fresh = scale.input(call.head.inputBytes)
    usage.out.total = scale.output(delivered.text)
    usage.out.reasoning = scale.output(delivered.reasoning)
    return usage
  }

  /** The client is told what is charged. */
  function estimateAtEnd(): Usage {
    told = estimate(gauge)
    return told
  }

  /** Figures that came before the end may be behind what was delivered since. */
  function used(scale: Scale): Usage {
    if (told && finished) return told
    const estimated = estimate(scale)
    if (!told || told.out.total >= estimated.out.total) return told ?? estimated
    return { ...told, out: { ...told.out, total: estimated.out.total }, provenance: 'partial' }
  }

  return {
    push: (frame) => pass(reader.push(frame)),
    close: () => pass(reader.end(undefined)),
    usage: () => used(roughly),
    counted: () => used(gauge),
    finished: () => (hitLimit ? 'length' : 'complete'),
    losses: () => joinLosses(reader.losses?.(), writer.losses()),
    failure: (error) => writer.push({ kind: 'error', error }),
  }
}

/** An answer that was read, written for the client. */
export function givenWhole({ client, request, pen, maker, gauge }: Conversion, response: ReadResponse, call: Call): WholeAnswer {
  const { vault } = call.parts
  const tenant = call.ask.caller.user.id
  for (const choice of response.choices) vault.remember(tenant, choice.parts, maker)
  const choices = response.choices.map((choice) => ({ ...choice, parts: vault.carryOutParts(tenant, client.dialect, choice.parts) }))
  // The client is told what is charged.
  const usage = response.usage.provenance === 'estimated' ? counted(response, gauge, call.head.inputBytes) : response.usage
  const written = client.writeResponse({ ...response, choices, usage }, request, pen)
  const cut = response.choices.some((choice) => choice.finish.reason === 'length' || choice.finish.reason === 'context-full')
  const losses = joinLosses(response.losses, written.losses)
  return { body: written.body, usage, end: cut ? ('length' as const) : ('complete' as const), losses }
}

export function targetOf({ head }: Call, { model }: Candidate): Target {
  return { model: model.upstream, capabilities: model.capabilities, stream: head.stream }
}

/** With what must be remembered to read the answer. */
export interface ConvertedWay extends Way {
  memo: Memo
}

/** Throws GatewayError `unsupported_value` when this candidate cannot say the request. */
export function convertedWay(call: Call, candidate: Candidate, conversion: Conversion): ConvertedWay {
  const { upstream } = conversion
  const { channel } = candidate
  const request = withChannelPrompt(conversion.request, channel.systemPrompt)
  const written = upstream.writeRequest(request, targetOf(call, candidate))
  const losses = [...conversion.lost, ...written.losses]
  if (call.ask.strict || channel.strict) refuseLosses(losses)
  const body = JSON.stringify(withParams(written.body, candidate))
  return {
    request: outgoing({ operation: 'generate', stream: call.head.stream, version: call.parts.version }, candidate, body, written.headers),
    upstream,
    losses,
    whole: (text) => givenWhole(conversion, upstream.readResponse(text, written.memo, conversion.pen), call),
    memo: written.memo,
    splitter: () => splitterOf(candidate),
    passage: () => convertedPassage(conversion, upstream.reader(written.memo, conversion.pen), call),
  }
}
