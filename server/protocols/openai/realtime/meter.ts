/**
 * Watches both directions of one realtime session as the frames pass: what each response used, the largest usage of
 * the next one, and state that does not belong to the caller. Stores no content.
 *
 * Every response is paid for by its own figures, once: the upstream's where it gives them, else what was delivered. A
 * transcription of audio input is paid for by its own event, likewise.
 */
import { type Delivered, nothingDelivered } from '#canonical/delivered'
import type { RealtimeFrame, RealtimeLimits, RealtimeMeter } from '#canonical/operation/realtime'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { type ItemMeter, itemMeter, itemsAmount } from '../item-meter.ts'
import { type RealtimeEvent, readEvent } from './event.ts'
import { readFrame } from './frame.ts'
import { soundOf, usualSound } from './sound.ts'
import { readUsage, transcriptUsage } from './usage.ts'

/** Tokens, by kind. */
interface Amount {
  text: number
  audio: number
}

/** Initial tokens: instructions and tools that the upstream adds by itself. */
const unseen = 1024
/** Maximum ids that are remembered so that nothing is charged twice. */
const keptIds = 10_000
/** The most responses that are tracked at a time; vendors make one. */
const mostBegun = 128
/** Characters of a frame above which echoed items, with all their audio, are recognised by a pattern instead of parsed. */
const largeFrame = 64 * 1024
const echo = /^\{\s*(?:"event_id"\s*:\s*"[^"\\]*"\s*,\s*)?"type"\s*:\s*"conversation\.item\.(?:created|added|done|retrieved)"/
/** The id for responses of an upstream that gives none. */
const nameless = ''

const plus = (a: Amount, b: Amount): Amount => ({ text: a.text + b.text, audio: a.audio + b.audio })
const nothing: Amount = { text: 0, audio: 0 }

const otherModel = () =>
  new GatewayError('model_not_found', 'The model of a session cannot be changed. Open a new session for another model.', {
    param: 'session.model',
  })
const foreignState = (param: string) => new GatewayError('not_found', `There is no ${param.split('.').at(-1)} with this id.`, { param })

/** The meter of one session. */
export function createRealtimeMeter({ model, transcribes, maxOutput, context, dearest, isPlausible }: RealtimeLimits): RealtimeMeter {
  let sound = usualSound
  /** Input of the next response: input and output of the last one, and what arrived since. */
  let before: Amount = { text: unseen, audio: 0 }
  let since: Amount = nothing
  let awaited = 0
  /** Started responses, with their output so far. */
  const begun = new Map<string, ItemMeter>()
  const paid = new Set<string>()
  /** Nothing has happened since a response without an id was charged. */
  let isNamelessPaid = false

  function first(id: string): boolean {
    if (paid.has(id)) return false
    if (paid.size >= keptIds) paid.clear()
    paid.add(id)
    return true
  }

  function begin(id: string, meter: ItemMeter): void {
    if (begun.has(id)) return
    awaited = Math.max(0, awaited - 1)
    before = plus(before, since)
    since = nothing
    begun.set(id, meter)
  }

  function created(response: unknown): void {
    const id = isObject(response) ? response.id : undefined
    isNamelessPaid = false
    if (typeof id === 'string') begin(id, newMeter())
    else begin(nameless, newMeter())
  }

  const newMeter = () => itemMeter(undefined, (base64) => base64.length / sound.output)

  /** Output before a start event starts a response. */
  function delivered(event: RealtimeEvent): void {
    if (!event.type.startsWith('response.')) return
    const id = typeof event.response_id === 'string' ? event.response_id : nameless
    if (paid.has(`response ${id}`)) return
    const place = begun.has(id) || begun.size < mostBegun ? id : nameless
    const meter = begun.get(place) ?? newMeter()
    meter.add(event.type, event)
    if (!hasOutput(meter.delivered)) return
    isNamelessPaid = false
    begin(place, meter)
  }

  function estimate(delivery: Delivered): Usage {
    const usage = noUsage()
    const input = plus(before, since)
    usage.in.fresh = Math.min(context, Math.ceil(input.text))
    usage.in.audio = Math.min(context, Math.ceil(input.audio))
    usage.out.audio = Math.ceil(delivery.sound)
    usage.out.total = Math.ceil((delivery.text + delivery.reasoning) / 4) + usage.out.audio
    return usage
  }

  function isRepeated(id: string): boolean {
    if (id !== nameless) return !first(`response ${id}`)
    if (isNamelessPaid) return true
    isNamelessPaid = true
    return false
  }

  function done(response: Record<string, unknown>): Usage | undefined {
    const id = typeof response.id === 'string' ? response.id : nameless
    const place = begun.has(id) ? id : nameless
    const delivery = larger(begun.get(place)?.delivered ?? nothingDelivered(), itemsAmount(response.output))
    if (!begun.delete(place)) awaited = Math.max(0, awaited - 1)
    if (isRepeated(id)) return undefined
    const reported = completed(believed(readUsage(response.usage)), delivery)
    // A response outside the conversation does not show how long the conversation is.
    if (reported && reported.provenance !== 'estimated' && promptOf(reported) > 0 && response.conversation_id !== null) {
      const { in: input, out: output } = reported
      before = { text: input.fresh + input.cacheRead + input.image + output.total - output.audio, audio: input.audio + output.audio }
    }
    return reported
  }

  const believed = (reported: Usage | undefined) => (reported && isPlausible?.(reported) !== false ? reported : undefined)

  /** Adds estimates for a missing input or output of a response with output. */
  function completed(reported: Usage | undefined, delivery: Delivered): Usage | undefined {
    if (!hasOutput(delivery)) return reported
    const own = estimate(delivery)
    if (!reported || promptOf(reported) + reported.out.total === 0) return own
    if (promptOf(reported) > 0 && reported.out.total > 0) return reported
    return { ...reported, ...(promptOf(reported) === 0 ? { in: own.in } : { out: own.out }), provenance: 'partial' }
  }

  function transcribed(event: RealtimeEvent): Usage | undefined {
    const usage = transcriptUsage(believed(readUsage(event.usage)), event.transcript)
    return usage && first(`item ${String(event.item_id)} ${String(event.content_index)}`) ? usage : undefined
  }

  return {
    asked(frame) {
      const read = typeof frame === 'string' ? readOr(frame) : frame
      if (read instanceof GatewayError) return { refusal: read }
      const { type, eventId, size, models, transcriber, state } = read
      if (state) return { refusal: foreignState(state), eventId }
      // Whether the session would continue with another model, at another price.
      const named = transcribes && transcriber !== undefined ? [...models, transcriber] : models
      if (model !== undefined && named.some((one) => one !== model)) return { refusal: otherModel(), eventId }
      since = plus(since, { text: size.text, audio: size.sound / sound.input })
      if (type === 'response.create') {
        awaited += 1
        isNamelessPaid = false
      }
      return {}
    },
    answered(frame) {
      if (frame.length > largeFrame && echo.test(frame)) return undefined
      const event = readEvent(frame)
      switch (event?.type) {
        case 'session.created':
        case 'session.updated':
          sound = soundOf(event.session, sound)
          return undefined
        case 'response.created':
          created(event.response)
          return undefined
        case 'response.done':
          return isObject(event.response) ? done(event.response) : undefined
        case 'conversation.item.input_audio_transcription.completed':
          return transcribed(event)
        case 'error':
          // The request may have been refused.
          awaited = Math.max(0, awaited - 1)
          return undefined
        default:
          if (event) delivered(event)
          return undefined
      }
    },
    running: () => awaited + begun.size,
    next() {
      if (transcribes) return utterance()
      const usage = estimate(nothingDelivered())
      usage.out.total = maxOutput
      usage.out.audio = dearest === 'audio' ? maxOutput : 0
      return usage
    },
    unfinished() {
      const spoken = [...begun.values()].map((meter) => meter.delivered).filter(hasOutput)
      if (spoken.length === 0) return undefined
      const usage = estimate(spoken.reduce(together, nothingDelivered()))
      usage.in.fresh *= spoken.length
      usage.in.audio *= spoken.length
      usage.units.requests = spoken.length
      return usage
    },
  }
}

/** Audio before it is transcribed: a minute. */
function utterance(): Usage {
  const usage = noUsage()
  usage.in.audio = 600
  usage.out.total = 600
  usage.units.seconds = 60
  usage.units.requests = 0
  return usage
}

function readOr(frame: string): RealtimeFrame | GatewayError {
  try {
    return readFrame(frame)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}

const ways = ['text', 'reasoning', 'sound'] as const
const hasOutput = (delivery: Delivered) => ways.some((way) => delivery[way] > 0)

function joined(a: Delivered, b: Delivered, join: (a: number, b: number) => number): Delivered {
  const both = nothingDelivered()
  for (const way of ways) both[way] = join(a[way], b[way])
  return both
}
const larger = (a: Delivered, b: Delivered) => joined(a, b, Math.max)
const together = (a: Delivered, b: Delivered) => joined(a, b, (one, other) => one + other)
