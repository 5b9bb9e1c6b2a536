/**
 * The demo model behind a realtime connection: it keeps the conversation, answers with text at reading speed, and reports usage.
 * Audio input is only measured. The commands of `demo.ts` work here too: `/delay`, `/long`, `/error` (an error event), `/cut` (the
 * connection breaks).
 */
import type { Clock, Random } from '#runtime/clock'
import type { FrameListener, FrameSocket } from '#runtime/contract/sockets'
import type { SocketUpstream } from '#upstream/socket'
import { readChat } from './chat-reader.ts'
import { type Fields, isObject } from './chat-rules.ts'
import { outputTokens, replyTo } from './reply.ts'

/** What `createDemoSockets` needs. */
export interface DemoSocketOptions {
  clock: Clock
  random: Random
  /** Milliseconds before each word. */
  pace?: number
}

/** A drop-in replacement for `createSocketUpstream` that answers from a script. */
export function createDemoSockets({ clock, random, pace = 20 }: DemoSocketOptions): SocketUpstream {
  return {
    async dial(request, listener, signal) {
      signal.throwIfAborted()
      const model = new URL(request.url).searchParams.get('model') ?? ''
      return session(model, listener, { clock, random, pace })
    },
  }
}

const texts = (content: unknown): string[] =>
  (Array.isArray(content) ? content.filter(isObject) : []).map((part) => String(part.text ?? part.transcript ?? ''))

function session(model: string, listener: FrameListener, { clock, random, pace }: Required<DemoSocketOptions>): FrameSocket {
  const id = (prefix: string) => `${prefix}_${random.base62(21)}`
  const items: Fields[] = []
  const pending: string[] = []
  let settings: Fields = { type: 'realtime', output_modalities: ['text'], instructions: '' }
  let paused = false
  let over = false
  let receivedAudio = 0
  let answering: AbortController | undefined

  const described = () => ({ object: 'realtime.session', id: sessionId, model, ...settings })
  const sessionId = id('sess')

  function say(type: string, fields: object): void {
    const frame = JSON.stringify({ type, event_id: id('event'), ...fields })
    if (over) return
    if (paused) pending.push(frame)
    else listener.message(frame)
  }

  function complain(code: string, message: string, event: Fields, param: string | null = null): void {
    say('error', { error: { type: 'invalid_request_error', code, message, param, event_id: event.event_id ?? null } })
  }

  function add(item: Fields): void {
    const previous = items.at(-1)?.id ?? null
    items.push(item)
    say('conversation.item.added', { previous_item_id: previous, item })
    say('conversation.item.done', { previous_item_id: previous, item })
  }

  function stop(code: number, reason: string): void {
    if (over) return
    over = true
    answering?.abort()
    listener.closed(code, reason)
  }

  async function answer(event: Fields): Promise<void> {
    const asked = isObject(event.response) ? event.response : {}
    const system = String(asked.instructions ?? settings.instructions ?? '')
    const said = items.map((item) => ({ role: item.role, content: texts(item.content).join('\n') }))
    const limit = Number(asked.max_output_tokens ?? settings.max_output_tokens)
    const prompt = readChat({
      messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...said],
      ...(limit > 0 && { max_tokens: limit }),
    })
    if (prompt.commands.error !== undefined) return complain('demo_error', 'This error was requested in the prompt.', event)
    const stopped = new AbortController()
    answering = stopped
    const response = { object: 'realtime.response', id: id('resp'), conversation_id: 'conv_demo', output_modalities: ['text'] }
    const itemId = id('item')
    const place = { response_id: response.id, item_id: itemId, output_index: 0, content_index: 0 }
    const item = (status: string, content: object[]) => ({
      id: itemId,
      object: 'realtime.item',
      type: 'message',
      role: 'assistant',
      status,
      content,
    })
    say('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } })
    let text = ''
    try {
      await clock.sleep(prompt.commands.delay * 1000, stopped.signal)
      say('response.output_item.added', { response_id: response.id, output_index: 0, item: item('in_progress', []) })
      say('response.content_part.added', { ...place, part: { type: 'output_text', text: '' } })
      for (const word of replyTo(prompt).text.split(/(?<=\s)(?=\S)/)) {
        await clock.sleep(pace, stopped.signal)
        if (prompt.commands.cut && text !== '') return stop(1006, '')
        text += word
        say('response.output_text.delta', { ...place, delta: word })
      }
    } catch {
      // Cancelled, or the connection is closed: the text so far is the answer.
    }
    answering = undefined
    const status = stopped.signal.aborted ? 'cancelled' : 'completed'
    const done = item(stopped.signal.aborted ? 'incomplete' : 'completed', [{ type: 'output_text', text }])
    say('response.output_text.done', { ...place, text })
    say('response.content_part.done', { ...place, part: { type: 'output_text', text } })
    items.push(done)
    say('response.output_item.done', { response_id: response.id, output_index: 0, item: done })
    const output = outputTokens({ reasoning: '', text, calls: [], finish: 'stop' }).total
    say('response.done', { response: { ...response, status, output: [done], usage: usageOf(prompt.inputTokens, output) } })
  }

  function commit(): void {
    const item = { id: id('item'), object: 'realtime.item', type: 'message', role: 'user', status: 'completed' }
    say('input_audio_buffer.committed', { previous_item_id: items.at(-1)?.id ?? null, item_id: item.id })
    add({ ...item, content: [{ type: 'input_audio', transcript: `(${receivedAudio} characters of sound)` }] })
    receivedAudio = 0
  }

  const table: Record<string, (event: Fields) => unknown> = {
    'session.update'(event) {
      if (!isObject(event.session)) return complain('missing_required_parameter', 'A session is needed.', event, 'session')
      settings = { ...settings, ...event.session }
      say('session.updated', { session: described() })
    },
    'conversation.item.create'(event) {
      if (!isObject(event.item)) return complain('missing_required_parameter', 'An item is needed.', event, 'item')
      add({ object: 'realtime.item', status: 'completed', ...event.item, id: event.item.id ?? id('item') })
    },
    'response.create'(event) {
      if (answering) complain('conversation_already_has_active_response', 'A response is already in progress.', event)
      else void answer(event)
    },
    'response.cancel'(event) {
      if (answering) answering.abort()
      else complain('response_cancel_not_active', 'No response is in progress.', event)
    },
    'input_audio_buffer.append'({ audio }) {
      receivedAudio += typeof audio === 'string' ? audio.length : 0
    },
    'input_audio_buffer.clear'() {
      receivedAudio = 0
      say('input_audio_buffer.cleared', {})
    },
    'input_audio_buffer.commit': commit,
  }

  // The caller must have the connection before the first event.
  void Promise.resolve().then(() => say('session.created', { session: described() }))
  return {
    send(frame) {
      if (over) return false
      const event = typeof frame === 'string' ? parsed(frame) : undefined
      if (!isObject(event)) complain('invalid_json', 'An event is a JSON object.', {})
      else if (typeof event.type === 'string' && Object.hasOwn(table, event.type)) table[event.type]?.(event)
      else complain('invalid_value', 'The demo does not know this event.', event, 'type')
      return true
    },
    buffered: () => 0,
    pause() {
      paused = true
    },
    resume() {
      paused = false
      for (const frame of pending.splice(0)) listener.message(frame)
    },
    close: stop,
  }
}

function parsed(frame: string): unknown {
  try {
    return JSON.parse(frame)
  } catch {
    return undefined
  }
}

function usageOf(input: number, output: number) {
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: output, audio_tokens: 0 },
  }
}
