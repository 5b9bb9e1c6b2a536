/** Reads a client's frame before it is forwarded: its size, the models that it names, and references to state that is not the caller's. */
import type { StateRef } from '#canonical/codec'
import type { RealtimeFrame } from '#canonical/operation/realtime'
import { addStateRefs } from '#protocols/codec/head'
import { isObject } from '#shared/json'
import { type RealtimeEvent, readAsked } from './event.ts'
import { transcriberIn } from './transcription.ts'

/** Tokens of an image whose size is not looked at. */
const imageTokens = 1500

const textTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)

/** Throws GatewayError unless it is an unambiguous event. */
export function readFrame(frame: string): RealtimeFrame {
  const event = readAsked(frame)
  const state = stateIn(event)
  const transcriber = transcriberIn(event)
  return {
    type: event.type,
    ...(event.event_id !== undefined && { eventId: event.event_id }),
    size: sizeOf(event, frame),
    models: [event.session, event.response].flatMap((within) =>
      isObject(within) && typeof within.model === 'string' ? [within.model] : [],
    ),
    ...(transcriber !== undefined && { transcriber }),
    ...(state !== undefined && { state }),
  }
}

function sizeOf(event: RealtimeEvent, frame: string): RealtimeFrame['size'] {
  if (event.type === 'input_audio_buffer.append' && typeof event.audio === 'string') return { text: 0, sound: event.audio.length }
  return event.type === 'conversation.item.create' && isObject(event.item) ? itemSize(event.item) : { text: textTokens(frame), sound: 0 }
}

function itemSize(item: Record<string, unknown>): RealtimeFrame['size'] {
  const parts = Array.isArray(item.content) ? item.content.filter(isObject) : []
  const sound = parts.reduce((sum, part) => sum + (typeof part.audio === 'string' ? part.audio.length : 0), 0)
  const images = parts.filter((part) => part.type === 'input_image').length
  const rest = parts.map(({ audio: _, image_url: __, ...part }) => part)
  return { text: textTokens(JSON.stringify({ ...item, content: rest })) + images * imageTokens, sound }
}

/** The path of a reference to state in the upstream's account, which all tenants of a channel share: a prompt, a voice, data of tools. */
export function stateIn(event: RealtimeEvent): string | undefined {
  for (const field of ['session', 'response'] as const) {
    const within = event[field]
    if (!isObject(within)) continue
    if (isObject(within.prompt)) return `${field}.prompt`
    const output = isObject(within.audio) ? within.audio.output : undefined
    if (isObject(within.voice) || (isObject(output) && isObject(output.voice))) return `${field}.voice`
    const refs: StateRef[] = []
    addStateRefs(within.tools, refs)
    if (refs.length > 0) return `${field}.tools`
  }
  return undefined
}
