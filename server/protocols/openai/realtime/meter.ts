/**
 * Watches both directions of one realtime session as the frames pass: what each response used, what the next one may come to
 * at most, and state that does not belong to the caller. Never keeps what was said.
 *
 * Every response is paid for by its own figures, once: the upstream's where it gives them, else what was delivered. A
 * transcription of what was heard is paid for by its own event.
 */
import type { RealtimeLimits, RealtimeMeter } from '#canonical/realtime'
import { noUsage, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { isObject } from '#wire/json-scan'
import { type RealtimeEvent, readEvent } from './event.ts'
import { soundOf, usualSound } from './sound.ts'
import { readUsage } from './usage.ts'

/** Tokens, by kind. */
interface Amount {
  text: number
  audio: number
}

/** What a session begins with: instructions and tools that the upstream adds by itself. */
const unseen = 1024
/** Tokens of an image whose size is not looked at. */
const imageTokens = 1500
/** Ids that are kept to pay for nothing twice. */
const keptIds = 10_000

const textTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)
const plus = (a: Amount, b: Amount): Amount => ({ text: a.text + b.text, audio: a.audio + b.audio })
const nothing: Amount = { text: 0, audio: 0 }

const foreignPrompt = (param: string) => new GatewayError('not_found', 'There is no prompt with this id.', { param })

export function createRealtimeMeter({ maxOutput, context, dearest }: RealtimeLimits): RealtimeMeter {
  let sound = usualSound
  /** Input of the next response: what the last one had and said, and what came since. */
  let before: Amount = { text: unseen, audio: 0 }
  let since: Amount = nothing
  let awaited = 0
  /** Responses that have begun, with what they said so far. */
  const begun = new Map<string, Amount>()
  const paid = new Set<string>()

  function sized(event: RealtimeEvent, frame: string): Amount {
    if (event.type === 'input_audio_buffer.append' && typeof event.audio === 'string')
      return { text: 0, audio: event.audio.length / sound.heard }
    return event.type === 'conversation.item.create' && isObject(event.item) ? sizedItem(event.item) : { text: textTokens(frame), audio: 0 }
  }

  function sizedItem(item: Record<string, unknown>): Amount {
    const parts = Array.isArray(item.content) ? item.content.filter(isObject) : []
    const audio = parts.reduce((sum, part) => sum + (typeof part.audio === 'string' ? part.audio.length / sound.heard : 0), 0)
    const images = parts.filter((part) => part.type === 'input_image').length
    const rest = parts.map(({ audio: _, image_url: __, ...part }) => part)
    return { text: textTokens(JSON.stringify({ ...item, content: rest })) + images * imageTokens, audio }
  }

  function first(id: string): boolean {
    if (paid.has(id)) return false
    if (paid.size >= keptIds) paid.clear()
    paid.add(id)
    return true
  }

  function delivered(event: RealtimeEvent): void {
    const said = typeof event.response_id === 'string' ? begun.get(event.response_id) : undefined
    if (!said || typeof event.delta !== 'string') return
    if (/^response\.(output_)?audio\.delta$/.test(event.type)) said.audio += event.delta.length / sound.said
    else said.text += Buffer.byteLength(event.delta) / 4
  }

  function estimate(said: Amount): Usage {
    const usage = noUsage()
    const input = plus(before, since)
    usage.in.fresh = Math.min(context, Math.ceil(input.text))
    usage.in.audio = Math.min(context, Math.ceil(input.audio))
    usage.out.audio = Math.ceil(said.audio)
    usage.out.total = Math.ceil(said.text) + usage.out.audio
    return usage
  }

  function done(response: Record<string, unknown>): Usage | undefined {
    const id = typeof response.id === 'string' ? response.id : ''
    const said = begun.get(id) ?? nothing
    if (!begun.delete(id)) awaited = Math.max(0, awaited - 1)
    if (id !== '' && !first(`response ${id}`)) return undefined
    const told = readUsage(response.usage)
    if (!told) return said.text + said.audio > 0 ? estimate(said) : undefined
    // A response beside the conversation says nothing about how long that is.
    if (response.conversation_id !== null) {
      const { in: input, out: output } = told
      before = { text: input.fresh + input.cacheRead + input.image + output.total - output.audio, audio: input.audio + output.audio }
    }
    return told
  }

  function transcribed(event: RealtimeEvent): Usage | undefined {
    const told = readUsage(event.usage)
    if (!told || !first(`item ${String(event.item_id)} ${String(event.content_index)}`)) return undefined
    told.units.requests = 0
    return told
  }

  return {
    asked(frame) {
      const event = readEvent(frame)
      if (!event) return {}
      const param = promptIn(event)
      if (param) return { refusal: foreignPrompt(param), eventId: event.event_id }
      since = plus(since, sized(event, frame))
      if (event.type === 'response.create') awaited += 1
      return {}
    },
    answered(frame) {
      const event = readEvent(frame)
      switch (event?.type) {
        case 'session.created':
        case 'session.updated':
          sound = soundOf(event.session, sound)
          return undefined
        case 'response.created':
          awaited = Math.max(0, awaited - 1)
          before = plus(before, since)
          since = nothing
          if (isObject(event.response) && typeof event.response.id === 'string') begun.set(event.response.id, { text: 0, audio: 0 })
          return undefined
        case 'response.done':
          return isObject(event.response) ? done(event.response) : undefined
        case 'conversation.item.input_audio_transcription.completed':
          return transcribed(event)
        case 'error':
          // What was asked for may have been refused.
          awaited = Math.max(0, awaited - 1)
          return undefined
        default:
          if (event) delivered(event)
          return undefined
      }
    },
    running: () => awaited + begun.size,
    next() {
      const usage = estimate(nothing)
      usage.out.total = maxOutput
      usage.out.audio = dearest === 'audio' ? maxOutput : 0
      return usage
    },
    unfinished() {
      const spoken = [...begun.values()].filter(({ text, audio }) => text + audio > 0)
      if (spoken.length === 0) return undefined
      const usage = estimate(spoken.reduce(plus, nothing))
      usage.in.fresh *= spoken.length
      usage.in.audio *= spoken.length
      usage.units.requests = spoken.length
      return usage
    },
  }
}

/** Where an event names a prompt that is kept in the upstream's account, which all tenants of a channel share. */
function promptIn(event: RealtimeEvent): string | undefined {
  for (const field of ['session', 'response'] as const) {
    const within = event[field]
    if (isObject(within) && isObject(within.prompt)) return `${field}.prompt`
  }
  return undefined
}
