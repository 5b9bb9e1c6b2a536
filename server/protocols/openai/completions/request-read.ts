/**
 * A Completions request as the canonical conversation: one text prompt becomes a user turn. Features of text completion (several prompts,
 * tokens, echo, suffix, best of several) are extensions that no other dialect may leave out.
 */
import type { RequestBody } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { type Fields, type JsonObject, readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import type { CompletionsRequest } from '#shared/protocols/openai/completions'
import { readModel } from '../fields.ts'
import { readSampling } from '../sampling.ts'
import { readHead } from './head.ts'

/** How Completions spells the canonical fields that another dialect may have to refuse. */
const paths: Readonly<Record<string, string>> = {
  turns: 'prompt',
  'output.maxTokens': 'max_tokens',
  'output.stop': 'stop',
  'output.n': 'n',
  'output.logprobs': 'logprobs',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.frequencyPenalty': 'frequency_penalty',
  'sampling.presencePenalty': 'presence_penalty',
  'sampling.seed': 'seed',
  'sampling.logitBias': 'logit_bias',
}

/** The documented default limit. */
const defaultTokens = 16

/** Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(asked: RequestBody): ConversationRequest {
  const read = scanned(asked)
  readHead(read)
  const { fields: body, unread: restOf } = readBody<CompletionsRequest>(read.value)
  const given = body.json('prompt')
  const prompt: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  const maxTokens = body.integer('max_tokens', 0) ?? defaultTokens
  const endUser = body.text('user')
  const logprobs = body.integer('logprobs', 0, 20)
  const n = body.integer('n', 1, 128) ?? 1
  // The relay decides how the stream is written.
  const options = body.objectIf('stream_options')?.whole()
  const usageAsked = options?.include_usage === true
  const request = {
    dialect: 'completions' as const,
    model: readModel(body.json('model')),
    instructions: [],
    turns: typeof prompt === 'string' ? [{ role: 'user' as const, parts: [{ kind: 'text' as const, text: prompt }], path: 'prompt' }] : [],
    tools: [],
    toolPolicy: { mode: 'auto' as const },
    output: {
      ...(maxTokens > 0 && { maxTokens }),
      format: { kind: 'text' as const },
      modalities: [],
      // Empty sequences mean nothing.
      stop: body.texts('stop').filter((sequence) => sequence !== ''),
      n,
      ...(logprobs !== undefined && { logprobs }),
    },
    sampling: readSampling(body),
    reasoning: {},
    cache: {},
    identity: endUser === undefined ? {} : { endUser },
    stream: body.flag('stream') ?? false,
    usageAsked,
    paths,
  }
  const extensions = readExtensions(body, { prompt, maxTokens, n })
  const unread = restOf()
  return {
    ...request,
    extensions: Object.keys(extensions).length > 0 ? { completions: extensions } : {},
    ...(unread.length > 0 && { unread }),
  }
}

interface Known {
  prompt: unknown
  maxTokens: number
  n: number
}

function readExtensions(body: Fields<CompletionsRequest>, { prompt, maxTokens, n }: Known): JsonObject {
  const suffix = body.text('suffix')
  const best = body.integer('best_of', 1, 128) ?? 1
  const isEchoed = body.flag('echo')
  // Parley's own.
  body.ignore('group', 'models')
  return {
    ...body.rest(),
    ...(typeof prompt !== 'string' && { prompt: prompt ?? null }),
    ...(suffix && { suffix }),
    ...(isEchoed && { echo: true }),
    ...(best > n && { best_of: best }),
    // Only a prompt that is echoed or scored can do without an answer.
    ...(maxTokens === 0 && { max_tokens: 0 }),
  }
}
