/**
 * Both lines of @anthropic-ai/sdk over Messages: 1.x sends the key as a bearer token and asks for the newest API version, 0.x uses the
 * vendor's header and the first version. The model's blocks are returned unchanged.
 */
import Anthropic from '@anthropic-ai/sdk'
import Anthropic0 from 'anthropic-sdk-0'
import { type Answer, type Attachment, type Client, type Ending, type Fault, parametersOf, type Question, type Turn } from './dialogue.ts'

export const anthropic: Client = {
  dialect: 'messages',
  words: { filter: 'refusal' },
  faultOf: (thrown) => faultOf(Anthropic, thrown),
  connect(url, key) {
    const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
    return async (question) => {
      const body = bodyOf(question)
      const signal = question.signal ?? null
      if (!question.stream) return answerOf(await client.messages.create(body, { signal }))
      const stream = client.messages.stream(body, { signal })
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') question.onText?.(event.delta.text)
      }
      return answerOf(await stream.finalMessage())
    }
  },
}

export const anthropic0: Client = {
  dialect: 'messages',
  words: { filter: 'refusal' },
  faultOf: (thrown) => faultOf(Anthropic0, thrown),
  connect(url, key) {
    const client = new Anthropic0({ baseURL: url, apiKey: key, maxRetries: 0 })
    return async (question) => {
      const body = bodyOf(question)
      const signal = question.signal ?? null
      if (!question.stream) return answerOf(await client.messages.create(body, { signal }))
      const stream = client.messages.stream(body, { signal })
      stream.on('text', (piece) => question.onText?.(piece))
      return answerOf(await stream.finalMessage())
    }
  },
}

/** Both lines have classes of the same names. */
type Classes = Pick<typeof Anthropic | typeof Anthropic0, 'APIError' | 'APIUserAbortError' | 'APIConnectionError' | 'InternalServerError'>

function faultOf({ APIError, APIUserAbortError, APIConnectionError, InternalServerError }: Classes, thrown: unknown): Fault {
  if (thrown instanceof APIUserAbortError) return { kind: 'left' }
  if (thrown instanceof APIConnectionError || !(thrown instanceof APIError)) return { kind: 'unknown', thrown }
  if (thrown.status === undefined) return { kind: 'stream' }
  const status = Number(thrown.status)
  return thrown instanceof InternalServerError === status >= 500 ? { kind: 'status', status } : { kind: 'unknown', thrown }
}

function bodyOf({ model, system, turns, tools, force, schema, stop, limit, thinks }: Question): Anthropic.MessageCreateParamsNonStreaming {
  return {
    model,
    max_tokens: limit ?? 8192,
    messages: turns.map(messageOf),
    ...(system !== undefined && { system }),
    ...(tools && { tools: tools.map((name) => ({ name, input_schema: parametersOf(name) })) }),
    ...(force !== undefined && { tool_choice: { type: 'tool', name: force } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(stop !== undefined && { stop_sequences: [stop] }),
    ...(thinks && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
  }
}

function messageOf(turn: Turn): Anthropic.MessageParam {
  if ('assistant' in turn) return { role: 'assistant', content: turn.assistant }
  if ('answer' in turn) return { role: 'assistant', content: turn.answer.own as Anthropic.ContentBlockParam[] }
  if ('results' in turn) {
    const blocks = turn.results.map(
      ({ call, text, failed, image }): Anthropic.ToolResultBlockParam => ({
        type: 'tool_result',
        tool_use_id: call.id ?? '',
        content: image === undefined ? text : [{ type: 'text', text }, imageOf(image)],
        ...(failed && { is_error: true }),
      }),
    )
    return { role: 'user', content: blocks }
  }
  const { user, attached } = turn
  if (attached === undefined) return { role: 'user', content: user }
  const block: Anthropic.ContentBlockParam = attached.mime.startsWith('image/') ? imageOf(attached) : documentOf(attached)
  return { role: 'user', content: [{ type: 'text', text: user }, block] }
}

const imageOf = (attached: Attachment): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: 'url' in attached ? { type: 'url', url: attached.url } : { type: 'base64', media_type: 'image/png', data: attached.data },
})

const documentOf = (attached: Attachment): Anthropic.DocumentBlockParam => ({
  type: 'document',
  source: 'url' in attached ? { type: 'url', url: attached.url } : { type: 'base64', media_type: 'application/pdf', data: attached.data },
})

const endings: Record<string, Ending> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'calls',
  max_tokens: 'length',
  refusal: 'refusal',
}

function answerOf({ content, stop_reason, usage }: Anthropic.Message | Anthropic0.Message): Answer {
  const cached = usage.cache_read_input_tokens ?? 0
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thought: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [])),
    ending: endings[stop_reason ?? ''] ?? 'none',
    usage: { in: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0), cached, out: usage.output_tokens },
    own: content,
  }
}
