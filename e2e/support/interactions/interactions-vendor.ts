/**
 * A scripted Google that answers and stores interactions itself; each key is a separate account. Written from the type declarations of
 * @google/genai 3 and its guides, not from Parley's code.
 */
import { respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'

type Thing = Record<string, unknown>

/** The vendor, and what a test does with it. */
export interface InteractionsVendor {
  script: Script
  /** Ids of those in the background that have come to their end. */
  done: Set<string>
  /** Bodies of what was created, in order. */
  created: Thing[]
}

const refuse = (status: number, message: string, word: string) => respondJson(status, { error: { code: status, message, status: word } })
const missing = refuse(404, 'Requested entity was not found.', 'NOT_FOUND')
const usage = {
  ...{ total_input_tokens: 100, total_cached_tokens: 40, total_output_tokens: 20, total_thought_tokens: 10, total_tool_use_tokens: 5 },
  ...{ total_tokens: 135, grounding_tool_count: [{ type: 'google_search', count: 2 }] },
}
const answerers = ['gemini-3-pro', 'deep-research-pro-preview-12-2025']
const fields = new Set(
  `model agent agent_config input system_instruction previous_interaction_id store background stream tools generation_config response_format
  response_mime_type response_modalities service_tier labels environment cached_content webhook_config`.split(/\s+/),
)
const said = (input: unknown): string => {
  if (typeof input === 'string') return input
  const all = Array.isArray(input) ? (input as Thing[]) : [input as Thing]
  return all.map((one) => (typeof one.text === 'string' ? one.text : said(one.content ?? ''))).join('')
}

/** `begins`: what ids begin with; `otherwise` answers everything else. */
export function interactionsVendor({
  begins = 'v1_',
  otherwise = missing,
}: {
  begins?: string
  otherwise?: Script
} = {}): InteractionsVendor {
  const kept = new Map<string, { key: string; body: Thing; cancelled?: boolean }>()
  const done = new Set<string>()
  const created: Thing[] = []

  function whole(id: string, body: Thing, isOver: boolean, cancelled = false): Thing {
    const answer = { type: 'model_output', content: [{ type: 'text', text: `Google heard: ${said(body.input)}` }] }
    return {
      ...{ id, object: 'interaction', ...(body.agent ? { agent: body.agent } : { model: body.model }) },
      status: cancelled ? 'cancelled' : isOver ? 'completed' : 'in_progress',
      ...{ created: '2026-11-28T10:00:00Z', updated: '2026-11-28T10:00:01Z' },
      ...(typeof body.previous_interaction_id === 'string' && { previous_interaction_id: body.previous_interaction_id }),
      ...(body.environment !== undefined && { environment_id: `env_of_${id}` }),
      ...((isOver || cancelled) && { usage, steps: cancelled ? [] : [{ type: 'thought', signature: 's' }, answer] }),
      odd_field: { nested: [1, 2.5] },
    }
  }

  function events(id: string, body: Thing, after?: string): string[] {
    const { usage: _, steps: __, ...head } = whole(id, body, true)
    const all = [
      { event_type: 'interaction.created', interaction: { ...head, status: 'in_progress' } },
      { event_type: 'step.start', index: 0, step: { type: 'model_output', content: [] } },
      ...['Google ', 'heard: ', said(body.input)].map((text) => ({ event_type: 'step.delta', index: 0, delta: { type: 'text', text } })),
      { event_type: 'step.stop', index: 0 },
      { event_type: 'interaction.completed', interaction: { ...head, usage } },
    ].map((event, index) => ({ ...event, event_id: `${id}-${index}` }))
    const from = after === undefined ? 0 : all.findIndex(({ event_id: one }) => one === after) + 1
    return [
      ...all.slice(from).map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`),
      'event: done\ndata: [DONE]\n\n',
    ]
  }

  const script: Script = (exchange) => {
    const { method, target } = exchange.request
    const url = new URL(target, 'http://vendor')
    const [, id, action] = /^\/v1beta\/interactions(?:\/([^/]+)(\/cancel)?)?$/.exec(url.pathname) ?? []
    if (!url.pathname.startsWith('/v1beta/interactions')) return otherwise(exchange)
    const key = exchange.request.header('x-goog-api-key') ?? ''
    if (id === undefined) {
      const body = exchange.request.json() as Thing
      const odd = Object.keys(body).find((name) => !fields.has(name))
      if (odd !== undefined) return refuse(400, `Unknown parameter: ${odd}.`, 'INVALID_ARGUMENT')(exchange)
      if (!answerers.includes(String(body.agent ?? body.model))) return refuse(404, 'The model was not found.', 'NOT_FOUND')(exchange)
      const previous = typeof body.previous_interaction_id === 'string' ? kept.get(body.previous_interaction_id) : undefined
      if (body.previous_interaction_id !== undefined && previous?.key !== key) return missing(exchange)
      if (/be refused/.test(said(body.input))) return refuse(400, 'The input is not what it should be.', 'INVALID_ARGUMENT')(exchange)
      if (/break/.test(said(body.input))) return refuse(503, 'Try again.', 'UNAVAILABLE')(exchange)
      created.push(body)
      const own = `${begins}${created.length.toString().padStart(6, '0')}`
      if (body.store !== false) kept.set(own, { key, body })
      if (body.stream === true) return stream(events(own, body))(exchange)
      return respondJson(200, whole(own, body, body.background !== true || done.has(own)))(exchange)
    }
    const one = kept.get(id)
    if (one?.key !== key) return missing(exchange)
    if (action && method === 'POST') {
      if (!done.has(id)) one.cancelled = true
      return respondJson(200, whole(id, one.body, done.has(id), one.cancelled))(exchange)
    }
    if (method === 'DELETE') {
      kept.delete(id)
      return respond(200, { 'Content-Type': 'application/json' }, '{}')(exchange)
    }
    if (url.searchParams.get('stream') === 'true') {
      return stream(events(id, one.body, url.searchParams.get('last_event_id') ?? undefined))(exchange)
    }
    const isOver = one.body.background !== true || done.has(id)
    const shown = whole(id, one.body, isOver, one.cancelled)
    return respondJson(200, { ...shown, ...(url.searchParams.get('include_input') === 'true' && { input: one.body.input }) })(exchange)
  }
  return { script, done, created }
}
