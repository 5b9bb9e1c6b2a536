/** The openai SDK over Responses, without stored state: every request contains all items, with their encrypted reasoning. */
import OpenAI from 'openai'
import { type Answer, type Ask, type Client, type Fault, parametersOf, type Question, type Turn, urlOf } from './dialogue.ts'
import { type OpenAIClass, olderOpenAI, openaiFault } from './openai-fault.ts'

type Item = OpenAI.Responses.ResponseInputItem
type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** The SDK ends such a stream without throwing; users see the event. */
class ResponseFailed extends Error {}

const faultOf = (sdk: OpenAIClass, thrown: unknown): Fault =>
  thrown instanceof ResponseFailed ? { kind: 'stream' } : openaiFault(sdk, thrown)

const clientOf = (sdk: OpenAIClass): Client => ({
  dialect: 'responses',
  faultOf: (thrown) => faultOf(sdk, thrown),
  connect: (url, key) => connect(sdk, url, key),
})

export const openaiResponses = clientOf(OpenAI)
export const openai6Responses = clientOf(olderOpenAI)

function connect(sdk: OpenAIClass, url: string, key: string): Ask {
  const client = new sdk({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  return async (question) => {
    const body = bodyOf(question)
    const signal = question.signal ?? null
    if (!question.stream) return answerOf(await client.responses.create(body, { signal }))
    const stream = client.responses.stream(body, { signal })
    let said = ''
    for await (const event of stream) {
      if (event.type === 'response.failed') throw new ResponseFailed(event.response.error?.code)
      if (event.type !== 'response.output_text.delta' && event.type !== 'response.refusal.delta') continue
      said += event.delta
      question.onText?.(event.delta)
    }
    const answer = answerOf(await stream.finalResponse())
    if (answer.text !== said) throw new Error('the final response differs from what was streamed')
    return answer
  }
}

function bodyOf({ model, system, turns, tools, force, schema, stop, limit, thinks }: Question): Body {
  if (stop !== undefined) throw new Error('this dialect has no stop sequences')
  return {
    model,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: turns.flatMap(itemsOf),
    ...(system !== undefined && { instructions: system }),
    ...(tools && { tools: tools.map((name) => ({ type: 'function', name, parameters: parametersOf(name), strict: false })) }),
    ...(force !== undefined && { tool_choice: { type: 'function', name: force } }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'person', schema, strict: true } } }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(thinks && { reasoning: { effort: 'medium', summary: 'auto' } }),
  }
}

function itemsOf(turn: Turn): Item[] {
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('answer' in turn) return turn.answer.own as Item[]
  if ('results' in turn) {
    return turn.results.map(({ call, text, image }) => ({
      type: 'function_call_output',
      call_id: call.id ?? '',
      output:
        image === undefined
          ? text
          : [
              { type: 'input_text', text },
              { type: 'input_image', image_url: urlOf(image), detail: 'auto' },
            ],
    }))
  }
  const { user, attached } = turn
  if (attached === undefined) return [{ role: 'user', content: user }]
  const part: OpenAI.Responses.ResponseInputContent = attached.mime.startsWith('image/')
    ? { type: 'input_image', image_url: urlOf(attached), detail: 'auto' }
    : { type: 'input_file', filename: 'paper.pdf', file_data: urlOf(attached) }
  return [{ role: 'user', content: [{ type: 'input_text', text: user }, part] }]
}

/** The helper adds parsed values to the vendor's fields, which the API would refuse. */
const plain = (output: unknown): unknown =>
  JSON.parse(JSON.stringify(output, (name, value: unknown) => (/^parsed(_arguments)?$/.test(name) ? undefined : value)))

function answerOf(response: OpenAI.Responses.Response): Answer {
  const { output, usage } = response
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const calls = output.flatMap((item) =>
    item.type === 'function_call' ? [{ id: item.call_id, name: item.name, args: JSON.parse(item.arguments) }] : [],
  )
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join(''),
    thought: output.flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [])).join(''),
    calls,
    ending: endingOf(response, calls.length > 0),
    usage: { in: usage?.input_tokens ?? -1, cached: usage?.input_tokens_details.cached_tokens ?? 0, out: usage?.output_tokens ?? -1 },
    own: plain(output),
  }
}

function endingOf({ status, incomplete_details: why, output }: OpenAI.Responses.Response, called: boolean): Answer['ending'] {
  if (status === 'incomplete') return why?.reason === 'content_filter' ? 'filter' : 'length'
  if (status !== 'completed') return 'none'
  const refused = output.some((item) => item.type === 'message' && item.content.some(({ type }) => type === 'refusal'))
  return refused ? 'refusal' : called ? 'calls' : 'stop'
}
