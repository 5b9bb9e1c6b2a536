/**
 * A Completions request as the canonical conversation: one text prompt is what a user said. What only text completion can do
 * (several prompts, tokens, echo, suffix, best of several) rides in the extensions, which no other dialect may leave out.
 */
import type { ConversationRequest } from '#canonical/conversation'
import { isObject, scanObject } from '#wire/json-scan'
import { type Body, isAbsent, readCount, readFlag, readModel, readText, readTexts } from '../fields.ts'
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

const known = new Set(
  `model prompt suffix echo best_of max_tokens stop n logprobs temperature top_p frequency_penalty presence_penalty seed logit_bias
  user stream stream_options group models`.split(/\s+/),
)

/** What the API's documents say of a request without a limit. */
const defaultTokens = 16

/** Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(raw: string): ConversationRequest {
  readHead(raw)
  const body = scanObject(raw).value
  const prompt = Array.isArray(body.prompt) && body.prompt.length === 1 ? body.prompt[0] : body.prompt
  const maxTokens = readCount(body, 'max_tokens', Number.MAX_SAFE_INTEGER, 0) ?? defaultTokens
  const endUser = readText(body, 'user')
  const logprobs = readCount(body, 'logprobs', 20, 0)
  const extensions = extensionsOf(body, prompt, maxTokens)
  return {
    dialect: 'completions',
    model: readModel(body.model),
    instructions: [],
    turns: typeof prompt === 'string' ? [{ role: 'user', parts: [{ kind: 'text', text: prompt }], path: 'prompt' }] : [],
    tools: [],
    toolPolicy: { mode: 'auto' },
    output: {
      ...(maxTokens > 0 && { maxTokens }),
      format: { kind: 'text' },
      modalities: [],
      stop: readTexts(body, 'stop'),
      n: readCount(body, 'n', 128) ?? 1,
      ...(logprobs !== undefined && { logprobs }),
    },
    sampling: readSampling(body),
    reasoning: {},
    cache: {},
    identity: endUser === undefined ? {} : { endUser },
    stream: readFlag(body, 'stream') ?? false,
    usageAsked: isObject(body.stream_options) && body.stream_options.include_usage === true,
    extensions: Object.keys(extensions).length > 0 ? { completions: extensions } : {},
    paths,
  }
}

function extensionsOf(body: Body, prompt: unknown, maxTokens: number): Record<string, unknown> {
  const extensions = Object.fromEntries(Object.entries(body).filter(([field, value]) => !known.has(field) && !isAbsent(value)))
  const suffix = readText(body, 'suffix')
  const best = readCount(body, 'best_of', 128) ?? 1
  if (typeof prompt !== 'string') extensions.prompt = prompt ?? null
  if (suffix) extensions.suffix = suffix
  if (readFlag(body, 'echo')) extensions.echo = true
  if (best > (readCount(body, 'n', 128) ?? 1)) extensions.best_of = best
  // Only a prompt that is echoed or scored can do without an answer.
  if (maxTokens === 0) extensions.max_tokens = 0
  return extensions
}
