/** The openai SDK over Chat Completions. Streamed turns are assembled from known fields only, as its own helper does. */
import OpenAI from 'openai'
import { type Answer, type Ask, type Client, parametersOf, type Question, type Turn, urlOf } from './dialogue.ts'
import { type OpenAIClass, olderOpenAI, openaiFault } from './openai-fault.ts'

type Message = OpenAI.ChatCompletionMessageParam

const clientOf = (sdk: OpenAIClass): Client => ({
  dialect: 'chat',
  faultOf: (thrown) => openaiFault(sdk, thrown),
  connect: (url, key) => connect(sdk, url, key),
})

export const openaiChat = clientOf(OpenAI)
export const openai6Chat = clientOf(olderOpenAI)

function connect(sdk: OpenAIClass, url: string, key: string): Ask {
  const client = new sdk({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  return async (question) => {
    const body = bodyOf(question)
    const signal = question.signal ?? null
    if (!question.stream) {
      const { choices, usage } = await client.chat.completions.create(body, { signal })
      return answerOf(choices[0], usage, thoughtIn(choices[0]?.message), choices[0]?.message)
    }
    const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } }, { signal })
    let thought = ''
    for await (const { choices } of stream) {
      thought += thoughtIn(choices[0]?.delta)
      if (choices[0]?.delta.content) question.onText?.(choices[0].delta.content)
    }
    const { choices, usage } = await stream.finalChatCompletion()
    return answerOf(choices[0], usage, thought, knownFields(choices[0]?.message))
  }
}

const thoughtIn = (message: object | undefined): string =>
  message !== undefined && 'reasoning_content' in message && typeof message.reasoning_content === 'string' ? message.reasoning_content : ''

function bodyOf(question: Question): OpenAI.ChatCompletionCreateParamsNonStreaming {
  const { model, system, turns, tools, force, schema, stop, limit, thinks } = question
  return {
    model,
    messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...turns.flatMap(messagesOf)],
    ...(tools && { tools: tools.map((name) => ({ type: 'function', function: { name, parameters: parametersOf(name) } })) }),
    ...(force !== undefined && { tool_choice: { type: 'function', function: { name: force } } }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } } }),
    ...(stop !== undefined && { stop }),
    ...(limit !== undefined && { max_completion_tokens: limit }),
    ...(thinks && { reasoning_effort: 'medium' }),
  }
}

function messagesOf(turn: Turn): Message[] {
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('answer' in turn) return [turn.answer.own as Message]
  if ('results' in turn) return turn.results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id ?? '', content: text }))
  const { user, attached } = turn
  if (attached === undefined) return [{ role: 'user', content: user }]
  const part: OpenAI.ChatCompletionContentPart = attached.mime.startsWith('image/')
    ? { type: 'image_url', image_url: { url: urlOf(attached) } }
    : { type: 'file', file: { filename: 'paper.pdf', file_data: urlOf(attached) } }
  return [{ role: 'user', content: [{ type: 'text', text: user }, part] }]
}

function knownFields(message: OpenAI.ChatCompletionMessage | undefined): Message {
  const calls = (message?.tool_calls ?? []).flatMap((call) =>
    call.type === 'function'
      ? [{ id: call.id, type: call.type, function: { name: call.function.name, arguments: call.function.arguments } }]
      : [],
  )
  return { role: 'assistant', content: message?.content ?? null, ...(calls.length > 0 && { tool_calls: calls }) }
}

const endings = { stop: 'stop', length: 'length', tool_calls: 'calls', content_filter: 'filter', function_call: 'calls' } as const

function answerOf(
  choice: OpenAI.ChatCompletion.Choice | undefined,
  usage: OpenAI.CompletionUsage | undefined,
  thought: string,
  own: unknown,
): Answer {
  const message = choice?.message
  const ending = choice === undefined || choice.finish_reason === null ? 'none' : endings[choice.finish_reason]
  return {
    text: message?.content || (message?.refusal ?? ''),
    thought,
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) }] : [],
    ),
    ending: message?.refusal ? 'refusal' : ending,
    usage: {
      in: usage?.prompt_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      out: usage?.completion_tokens ?? -1,
    },
    own,
  }
}
