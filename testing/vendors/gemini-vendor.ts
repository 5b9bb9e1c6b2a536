/**
 * A scripted vendor of the Gemini API that behaves like the real one: it checks key, fields, contents and signatures, refuses in the
 * vendor's envelope, and streams events with CRLF or one JSON array. Written from the public API reference, not from Parley's codecs. Its
 * answers are defined in `scenarios.ts`.
 */

import { respondJson } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { type Fields, isEmpty, isObject, mediaOf, objects, textOf } from './body-checks.ts'
import { camelCased, declarationsOf, geminiFault, geminiKeyFault } from './gemini-rules.ts'
import { type Content, type GeminiFault, invalid, mergedContents, responsesIn } from './gemini-turns.ts'
import { geminiChunks, geminiFrame, wholeGemini } from './gemini-writer.ts'
import { type Asked, answerTo, type Media, type Reply, type ToolResult } from './scenarios.ts'
import { type Frame, play, tell } from './vendor-play.ts'

/** How the vendor differs from its defaults. */
export interface GeminiVendorOptions {
  /** Accepted keys; default `sk-vendor`. */
  keys?: string[]
  /** Known models; default `gemini-test`. */
  models?: string[]
}

const headers = { 'Server-Timing': 'gfet4t7; dur=1', 'X-Vendor-Project': 'project-secret' }
const unavailable: GeminiFault = { status: 503, state: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' }
const envelope = ({ status, state, message, details }: GeminiFault) => ({
  error: { code: status, message, status: state, ...(details === undefined ? {} : { details }) },
})

/** A refusal in the vendor's envelope. */
export const geminiError = (fault: GeminiFault): Script => respondJson(fault.status, envelope(fault), headers)

/** Creates the vendor. */
export function geminiVendor(options: GeminiVendorOptions = {}): Script {
  const keys = options.keys ?? ['sk-vendor']
  const models = options.models ?? ['gemini-test']
  const issued = new Set<string>()
  return async (exchange) => {
    const { request } = exchange
    const route = /^\/v1(?:beta)?\/models\/([^/:?]+):(\w+)/.exec(request.target)
    const action = route?.[2] ?? ''
    if (request.method !== 'POST' || !['generateContent', 'streamGenerateContent', 'countTokens'].includes(action)) {
      return geminiError({ status: 404, state: 'NOT_FOUND', message: 'Not found.' })(exchange)
    }
    const model = decodeURIComponent(route?.[1] ?? '')
    const key = geminiKeyFault(request, keys)
    if (key !== undefined) return geminiError(key)(exchange)
    if (!models.includes(model)) {
      const message = `models/${model} is not found for API version v1beta, or is not supported for ${action}.`
      return geminiError({ status: 404, state: 'NOT_FOUND', message })(exchange)
    }
    const body = bodyOf(exchange)
    if (action === 'countTokens') {
      // The contents stand alone, or in a whole request.
      const [asked = body] = objects([body?.generateContentRequest])
      return respondJson(200, { totalTokens: 10 * objects(asked?.contents).length }, headers)(exchange)
    }
    const fault = body === undefined ? invalid('Invalid JSON payload received.') : geminiFault(body, issued)
    if (fault !== undefined || body === undefined) return geminiError(fault ?? unavailable)(exchange)
    const reply = answerTo(askedOf(body))
    const signature = Buffer.from(`scripted thought ${issued.size + 1}`).toString('base64')
    issued.add(signature)
    const written = { model, id: `vendor-${issued.size}`, visible: thoughtsAsked(body), signature }
    if (action === 'generateContent') return answerWhole(exchange, reply, wholeGemini(reply, written))
    const array = !/[?&]alt=sse\b/.test(request.target)
    await answerStream(exchange, reply, [...geminiChunks(reply, written)], array)
  }
}

function bodyOf({ request }: Exchange): Fields | undefined {
  try {
    const body = camelCased(request.json())
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

async function answerWhole(exchange: Exchange, { trouble, everyMs }: Reply, value: object): Promise<void> {
  if (trouble === 'error-first' || trouble === 'error-late') return geminiError(unavailable)(exchange)
  await tell(exchange, value, headers, { trouble, everyMs })
}

async function answerStream(
  exchange: Exchange,
  { trouble, everyMs }: Reply,
  chunks: { value: object; content?: boolean }[],
  array: boolean,
): Promise<void> {
  if (trouble === 'error-first') return geminiError(unavailable)(exchange)
  if (!array) {
    const frames = chunks.map(({ value, content }) => geminiFrame(value, content))
    return play(exchange, { headers, frames, error: geminiFrame(envelope(unavailable)).text, trouble, everyMs })
  }
  const frames: Frame[] = chunks.map(({ value, content }, index) => ({
    text: `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(value)}${index === chunks.length - 1 ? ']' : ''}`,
    ...(content === undefined ? {} : { content }),
  }))
  const json = { ...headers, 'Content-Type': 'application/json; charset=UTF-8' }
  await play(exchange, { headers: json, frames, error: `,\r\n${JSON.stringify(envelope(unavailable))}]`, trouble, everyMs })
}

const configOf = (body: Fields): Fields => (isObject(body.generationConfig) ? body.generationConfig : {})

function thoughtsAsked(body: Fields): boolean {
  const thinking = configOf(body).thinkingConfig
  return isObject(thinking) && thinking.includeThoughts === true
}

function askedOf(body: Fields): Asked {
  const turns = mergedContents(body.contents)
  const spoken = turns.findLastIndex((turn) => turn.role === 'user' && responsesIn(turn).length === 0)
  const since = turns.slice(spoken + 1).filter(({ role }) => role === 'user')
  const config = configOf(body)
  const choice = isObject(body.toolConfig) && isObject(body.toolConfig.functionCallingConfig) ? body.toolConfig.functionCallingConfig : {}
  const allowed = Array.isArray(choice.allowedFunctionNames) ? choice.allowedFunctionNames : undefined
  const tools = choice.mode === 'NONE' ? [] : declarationsOf(body).filter(({ name }) => allowed === undefined || allowed.includes(name))
  return {
    system: textIn(isObject(body.systemInstruction) ? objects(body.systemInstruction.parts) : []),
    turns: turns
      .filter(({ parts }) => textIn(parts) !== '')
      .map(({ role, parts }) => `${role === 'model' ? 'assistant' : 'user'}: ${textIn(parts)}`),
    said: textIn(turns[spoken]?.parts ?? []),
    media: mediaIn(turns[spoken]?.parts ?? []),
    results: since.flatMap(resultsOf),
    rounds: since.length,
    tools: tools.map((tool) => ({ name: textOf(tool.name), empty: isEmpty(tool.parametersJsonSchema ?? tool.parameters) })),
    forced: choice.mode === 'ANY',
    parallel: true,
    shaped: config.responseSchema !== undefined || config.responseJsonSchema !== undefined,
    stops: Array.isArray(config.stopSequences) ? config.stopSequences.map(textOf) : [],
    limit: config.maxOutputTokens === undefined ? undefined : Number(config.maxOutputTokens),
  }
}

const textIn = (parts: Fields[]) =>
  parts
    .filter(({ text, thought }) => typeof text === 'string' && text !== '' && thought !== true)
    .map(({ text }) => textOf(text))
    .join('')

const mediaIn = (parts: Fields[]): Media[] =>
  parts.flatMap(({ inlineData: data }) => (isObject(data) ? (mediaOf(textOf(data.mimeType), data.data) ?? []) : []))

const resultsOf = (turn: Content): ToolResult[] =>
  responsesIn(turn).map(({ response, parts }) => {
    const { output, error } = isObject(response) ? response : {}
    const text = error ?? output ?? response
    return { text: typeof text === 'string' ? text : JSON.stringify(text), failed: error !== undefined, media: mediaIn(objects(parts)) }
  })
