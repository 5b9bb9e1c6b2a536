/**
 * A scripted vendor of the Responses API that behaves like the real one: it checks key, fields, items and encrypted state, stores responses
 * on request, refuses in the vendor's envelope, and streams numbered events. Written from the public API reference, not from Parley's
 * codecs. Its answers are defined in `scenarios.ts`.
 */

import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { dataUrlMedia, type Fields, isEmpty, isObject, objects, textOf } from './body-checks.ts'
import type { VendorFault } from './chat-rules.ts'
import { vendorError } from './chat-vendor.ts'
import { type Issued, isOutput, itemsFault, itemsOf } from './responses-items.ts'
import { invalid, responsesFault } from './responses-rules.ts'
import { type ResponsesWritten, responseEvents, responsesErrorEvent, wholeResponse } from './responses-writer.ts'
import { type Asked, answerTo, type Media, type Reply } from './scenarios.ts'
import { play, tell } from './vendor-play.ts'

/** How the vendor differs from its defaults. */
export interface ResponsesVendorOptions {
  /** Accepted keys; default `sk-vendor`. */
  keys?: string[]
  /** Known models; default `gpt-test`. */
  models?: string[]
}

const headers = { 'x-request-id': 'req_vendor', 'openai-organization': 'org-secret' }
const overloaded: VendorFault = {
  status: 503,
  type: 'service_unavailable_error',
  code: 'server_is_overloaded',
  message: 'The server is overloaded.',
}

/** Creates the vendor. */
export function responsesVendor(options: ResponsesVendorOptions = {}): Script {
  const keys = options.keys ?? ['sk-vendor']
  const models = options.models ?? ['gpt-test']
  const issued: Issued = { reasoning: new Map(), calls: new Map() }
  /** Whole conversations by the id of their last response. */
  const stored = new Map<string, unknown[]>()
  let answers = 0
  return async (exchange) => {
    const { request } = exchange
    const refuse = (fault: VendorFault) => vendorError(fault)(exchange)
    if (request.method !== 'POST' || request.target !== '/v1/responses') {
      return refuse({ status: 404, message: `Invalid URL (${request.method} ${request.target})` })
    }
    const key = /^Bearer (.+)$/.exec(request.header('authorization') ?? '')?.[1]
    if (key === undefined || !keys.includes(key)) {
      return refuse({ status: 401, message: 'Incorrect API key provided.', code: 'invalid_api_key' })
    }
    const body = bodyOf(exchange)
    const fault = responsesFault(body, models)
    if (fault !== undefined || body === undefined)
      return refuse(fault ?? invalid(null, 'We could not parse the JSON body of your request.'))
    const previous = body.previous_response_id
    const before = previous == null ? [] : stored.get(textOf(previous))
    if (before === undefined) {
      const message = `Previous response with id '${previous}' not found.`
      return refuse(invalid('previous_response_id', message, 'previous_response_not_found'))
    }
    const items = [...before, ...itemsOf(body.input)]
    const wrong = body.input === undefined ? itemsFault(undefined, issued) : itemsFault(items, issued)
    if (wrong !== undefined) return refuse(wrong)
    const reply = answerTo(askedOf(body, items.filter(isObject)))
    if (!isObject(body.reasoning) || body.reasoning.effort === 'none') reply.thought = []
    const written = writtenFor(reply, body, ++answers, issued)
    if (body.store !== false) stored.set(`resp_${answers}`, [...items, ...objects(wholeResponse(reply, written).output)])
    await answer(exchange, reply, written)
  }
}

function bodyOf({ request }: Exchange): Fields | undefined {
  try {
    const body: unknown = request.json()
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** Assigns ids to the answer, and records those that must be returned. */
function writtenFor(reply: Reply, body: Fields, number: number, issued: Issued): ResponsesWritten {
  const state = `gAAAA-scripted-state-${number}`
  const asked = Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content')
  const callIds = reply.calls.map((_, index) => `call_r${number}_${index}`)
  if (reply.thought.length > 0) {
    issued.reasoning.set(state, `rs_${number}`)
    if (asked) for (const id of callIds) issued.calls.set(id, state)
  }
  return { number, body, callIds, encrypted: asked ? state : undefined }
}

async function answer(exchange: Exchange, reply: Reply, written: ResponsesWritten): Promise<void> {
  const { trouble, everyMs } = reply
  if (written.body.stream === true) {
    const error = responsesErrorEvent('server_is_overloaded', overloaded.message)
    const frames =
      trouble === 'error-first'
        ? [{ text: responsesErrorEvent('server_is_overloaded', overloaded.message, 0) }]
        : responseEvents(reply, written)
    return play(exchange, { headers, frames, error, trouble, everyMs })
  }
  if (trouble === 'error-first' || trouble === 'error-late') return vendorError(overloaded)(exchange)
  await tell(exchange, wholeResponse(reply, written), headers, { trouble, everyMs })
}

const roleOf = ({ role }: Fields) => (role === 'developer' ? 'system' : textOf(role))

function askedOf(body: Fields, items: Fields[]): Asked {
  const spoken = items.findLastIndex(({ role }) => role === 'user')
  const since = items.slice(spoken + 1)
  const outputs = since.filter(isOutput)
  const instructions = items.filter((item) => roleOf(item) === 'system').map(({ content }) => textIn(content))
  const choice = body.tool_choice
  const tools = objects(body.tools).filter(
    ({ type, name }) =>
      (type === 'function' || type === 'custom') &&
      choice !== 'none' &&
      (!isObject(choice) || choice.name === undefined || choice.name === name),
  )
  return {
    system: [textOf(body.instructions), ...instructions].filter(Boolean).join('\n'),
    turns: items
      .filter((item) => ['user', 'assistant'].includes(roleOf(item)) && textIn(item.content) !== '')
      .map((item) => `${roleOf(item)}: ${textIn(item.content)}`),
    said: textIn(items[spoken]?.content),
    media: mediaIn(items[spoken]?.content),
    results: outputs.map(({ output }) => ({ text: textIn(output), failed: false, media: mediaIn(output) })),
    rounds: since.filter((item, index) => isOutput(item) && !isOutput(since[index + 1] ?? {})).length,
    tools: tools.map((tool) => ({ name: textOf(tool.name), empty: tool.type === 'function' && isEmpty(tool.parameters) })),
    forced: choice === 'required' || isObject(choice),
    parallel: body.parallel_tool_calls !== false,
    shaped: isObject(body.text) && isObject(body.text.format) && body.text.format.type === 'json_schema',
    stops: [],
    limit: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : undefined,
  }
}

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objects(content)
        .filter(({ text }) => typeof text === 'string')
        .map(({ text }) => textOf(text))
        .join('')

const mediaIn = (content: unknown): Media[] =>
  objects(content).flatMap(({ image_url, file_data }) => dataUrlMedia(image_url ?? file_data) ?? [])
