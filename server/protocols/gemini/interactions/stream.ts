/**
 * A stream of Responses as events of an interaction. Read: https://ai.google.dev/gemini-api/docs/interactions/streaming and the types of
 * @google/genai 3.
 */
import type { RewordedStream } from '#canonical/wording'
import { isObject, type JsonObject } from '#shared/json'
import type { Frame } from '#shared/sse'
import { parseObject } from '#wire/json-scan'
import { headOf } from './answer.ts'
import { callHead, listOf, stepsOf } from './steps.ts'

const encoder = new TextEncoder()

/** The initial form of a step. Undefined: it is sent whole when it is done. */
function opening(item: JsonObject): JsonObject | undefined {
  if (item.type === 'message') return { type: 'model_output', content: [] }
  if (item.type === 'reasoning') return { type: 'thought' }
  if (item.type === 'function_call') return { ...callHead(item), arguments: {} }
  return undefined
}

/** The events of a step that arrived whole: its start contains everything. */
interface Open {
  index: number
  isSent: boolean
}

/** Only events after the one with the id `after` are sent. */
export function openInteraction(after?: string): RewordedStream {
  const open = new Map<unknown, Open>()
  let steps = 0
  let events = 0
  let isPast = after === undefined
  let isOver = false
  let out = ''

  function send(type: string, fields: JsonObject): void {
    const id = String(++events)
    if (isPast) out += `event: ${type}\ndata: ${JSON.stringify({ ...fields, event_id: id, event_type: type })}\n\n`
    else isPast = id === after
  }
  const delta = (event: JsonObject, what: JsonObject) => {
    const step = open.get(event.output_index)
    if (!step) return
    step.isSent = true
    send('step.delta', { index: step.index, delta: what })
  }

  function begin(event: JsonObject, item: JsonObject): void {
    const step = opening(item)
    if (!step) return
    open.set(event.output_index, { index: steps, isSent: false })
    send('step.start', { index: steps++, step })
  }

  function end(event: JsonObject, item: JsonObject): void {
    const step = open.get(event.output_index)
    if (!step) {
      for (const whole of stepsOf(item)) {
        send('step.start', { index: steps, step: whole })
        send('step.stop', { index: steps++ })
      }
      return
    }
    open.delete(event.output_index)
    if (item.type === 'reasoning' && typeof item.encrypted_content === 'string')
      send('step.delta', { index: step.index, delta: { type: 'thought_signature', signature: item.encrypted_content } })
    if (!step.isSent && item.type === 'function_call')
      send('step.delta', { index: step.index, delta: { type: 'arguments_delta', arguments: item.arguments } })
    send('step.stop', { index: step.index })
  }

  function over(response: JsonObject): void {
    isOver = true
    if (response.status === 'failed') send('error', { error: errorOf(response.error) })
    else send('interaction.completed', { interaction: headOf(response) })
    out += 'event: done\ndata: [DONE]\n\n'
  }

  const itemIn = ({ item }: JsonObject) => (isObject(item) ? item : {})
  const responseIn = ({ response }: JsonObject) => (isObject(response) ? response : {})
  const sendText = (event: JsonObject) => delta(event, { type: 'text', text: event.delta })
  const sendThought = (event: JsonObject) => delta(event, { type: 'thought_summary', content: { type: 'text', text: event.delta } })
  const handlers: Readonly<Record<string, (event: JsonObject) => void>> = {
    'response.created': (event) => send('interaction.created', { interaction: { ...headOf(responseIn(event)), status: 'in_progress' } }),
    'response.in_progress': (event) => send('interaction.status_update', { interaction_id: responseIn(event).id, status: 'in_progress' }),
    'response.output_item.added': (event) => begin(event, itemIn(event)),
    'response.output_item.done': (event) => end(event, itemIn(event)),
    'response.output_text.delta': sendText,
    'response.refusal.delta': sendText,
    'response.output_text.annotation.added': (event) =>
      delta(event, { type: 'text_annotation_delta', annotations: listOf([event.annotation]) }),
    'response.reasoning_summary_text.delta': sendThought,
    'response.reasoning_text.delta': sendThought,
    'response.function_call_arguments.delta': (event) => delta(event, { type: 'arguments_delta', arguments: event.delta }),
    'response.completed': (event) => over(responseIn(event)),
    'response.incomplete': (event) => over(responseIn(event)),
    'response.failed': (event) => over(responseIn(event)),
    'response.cancelled': (event) => over(responseIn(event)),
    error: (event) => over({ status: 'failed', error: event }),
  }

  return {
    contentType: 'text/event-stream; charset=utf-8',
    push({ data }: Frame) {
      const event = isOver || data === undefined || data === '' ? undefined : parseObject(data)
      if (!event) return undefined
      out = ''
      handlers[String(event.type)]?.(event)
      return out === '' ? undefined : encoder.encode(out)
    },
  }
}

function errorOf(error: unknown): JsonObject {
  const { code, message } = isObject(error) ? error : {}
  return { code: code ?? 'internal_error', message: message ?? 'The answer could not be completed.' }
}
