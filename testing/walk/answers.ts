/** The basis for walking answers of each dialect: whole ones, and the events of streams. */
import type { Guide } from './cases.ts'

/** The types of whole answers, by endpoint. */
export const answerTypes = {
  chat: 'OpenAI.Chat.ChatCompletion',
  completions: 'OpenAI.Completion',
  responses: 'OpenAI.Responses.Response',
  messages: 'Anthropic.Messages.Message',
  'messages beta': 'Anthropic.Beta.Messages.BetaMessage',
  gemini: 'Google.GenerateContentResponse',
} as const

/** An endpoint whose answers are walked. */
export type AnswerEndpoint = keyof typeof answerTypes

/** The types of events. Chunks of Gemini are whole answers. */
export const eventTypes = {
  chat: '{ event?: OpenAI.Chat.ChatCompletionChunk }',
  completions: '{ event?: OpenAI.Completion }',
  responses: '{ event?: OpenAI.Responses.ResponseStreamEvent }',
  messages: '{ event?: Anthropic.Messages.RawMessageStreamEvent }',
  'messages beta': '{ event?: Anthropic.Beta.Messages.BetaRawMessageStreamEvent }',
  gemini: '{ event?: Google.GenerateContentResponse }',
} as const

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const words = 'Hello'

/** Values by field name. */
const samples: Readonly<Record<string, unknown>> = {
  model: 'asked',
  text: words,
  delta: words,
  name: 'look',
  arguments: '{"city":"Oslo"}',
  partial_json: '{"city":"Oslo"}',
  args: { city: 'Oslo' },
  data: png,
  result: png,
  mimeType: 'image/png',
  url: 'https://pages.example/one',
  uri: 'https://pages.example/one',
  signature: 'c2lnbmF0dXJl',
  thoughtSignature: 'c2lnbmF0dXJl',
  encrypted_content: 'c2VhbGVk',
  role: 'model',
  created: 1_764_000_000,
  created_at: 1_764_000_000,
  index: 0,
  output_index: 1,
  content_index: 0,
  summary_index: 0,
  item_id: 'item_1',
  start_index: 0,
  end_index: 5,
  startIndex: 0,
  // Less than the whole text, which is what a source without a position is cited for.
  endIndex: 4,
  jsonPath: '$.city',
  stringValue: 'Oslo',
  logprob: -0.5,
  avgLogprobs: -0.5,
  bytes: [72],
  finish_reason: 'stop',
  stop_reason: 'end_turn',
  finishReason: 'STOP',
  status: 'completed',
  code: 'server_error',
  input_tokens: 100,
  output_tokens: 50,
  total_tokens: 150,
  // Figures that every answer of Messages has: Parley fills in what a copy of the vendor leaves out.
  cache_creation_input_tokens: 7,
  cache_read_input_tokens: 8,
  prompt_tokens: 100,
  completion_tokens: 50,
  promptTokenCount: 100,
  candidatesTokenCount: 50,
  totalTokenCount: 150,
  startOffset: '1s',
  groundingChunkIndices: [0],
  annotation: { type: 'url_citation', url: 'https://pages.example/one', title: 'One', start_index: 0, end_index: 5 },
}

/** Events of a message are at the first position of the output; every other item at the second. */
function sample(name: string, path: string): unknown {
  const isText = /event\[response\.(output_text|content_part|refusal)/.test(path)
  if (name === 'output_index' && isText) return 0
  if (name === 'item_id' && isText) return 'msg_1'
  if (name === 'input' && /tool_use/.test(path)) return { city: 'Oslo' }
  if (name === 'index' && /event\[content_block/.test(path)) return 1
  // A stream of Messages begins without content and without an end.
  if (path.endsWith('message_start].message.content')) return []
  if (/message_start\]\.message\.stop_/.test(path)) return undefined
  if (name === 'content' && path.endsWith('message.content')) return words
  return samples[name]
}

const skipped = new Set(['model', 'modelVersion', 'sdkHttpResponse', 'automaticFunctionCallingHistory', '_request_id', 'output_text'])
const needed = {
  Candidate: ['content', 'finishReason'],
  Part: ['text'],
  Content: ['parts', 'role'],
  FunctionCall: ['name', 'args'],
  Blob: ['data', 'mimeType'],
  Blob_2: ['data', 'mimeType'],
  FileData: ['fileUri', 'mimeType'],
  LogprobsResultCandidate: ['token', 'logProbability'],
  LogprobsResult: ['chosenCandidates', 'topCandidates'],
  LogprobsResultTopCandidates: ['candidates'],
  GroundingMetadata: ['groundingChunks', 'groundingSupports'],
  GroundingChunk: ['web'],
  GroundingChunkWeb: ['uri', 'title'],
  GroundingChunkMaps: ['uri', 'title'],
  GroundingChunkImage: ['sourceUri', 'title'],
  GroundingSupport: ['segment', 'groundingChunkIndices'],
  Segment: ['startIndex', 'endIndex', 'text'],
  Citation: ['uri', 'startIndex', 'endIndex'],
  ModalityTokenCount: ['modality', 'tokenCount'],
  // Of a chunk of Chat: a call is identified by its first piece.
  ToolCall: ['id', 'type', 'function'],
  Function: ['name', 'arguments'],
  PartialArg: ['jsonPath', 'stringValue'],
  GenerateContentResponseUsageMetadata: ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'],
}
/** Fields in which an answer of Responses repeats its request; their contents are walked there. */
const echoes = 'tools|tool_choice|instructions|prompt|text|reasoning|conversation|metadata|prompt_cache_options'
const shallow = (path: string) => new RegExp(`^(|.*response\\.)(${echoes})(\\[.*)?$`).test(path)
const common = { sample, skipped, needed, shallow }

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** The smallest message of Responses. */
export const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
}

/** The smallest answer of Responses. */
export const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_764_000_000,
  model: 'asked',
  status: 'completed',
  output: [message],
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
}

/** A part of Gemini is one of these, or text; a source is one of its kinds too. */
const partKinds = [
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]

const anthropic: Guide = {
  ...common,
  seed: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'asked',
    content: [{ type: 'text', text: words, citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 50, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  },
  kept: new Set(['content']),
  beside: { stop_sequence: { stop_reason: 'stop_sequence' }, stop_details: { stop_reason: 'refusal' } },
}

/** How whole answers are walked. */
export const answerGuides: Readonly<Record<AnswerEndpoint, Guide>> = {
  chat: {
    ...common,
    seed: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_764_000_000,
      model: 'asked',
      choices: [{ index: 0, message: { role: 'assistant', content: words, refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage,
    },
    kept: new Set(),
  },
  completions: {
    ...common,
    seed: {
      id: 'cmpl-1',
      object: 'text_completion',
      created: 1_764_000_000,
      model: 'asked',
      choices: [{ index: 0, text: words, logprobs: null, finish_reason: 'stop' }],
      usage,
    },
    kept: new Set(),
  },
  responses: { ...common, seed: response, kept: new Set(['output']), beside: { incomplete_details: { status: 'incomplete' } } },
  messages: anthropic,
  'messages beta': anthropic,
  gemini: {
    ...common,
    seed: {
      responseId: 'r1',
      modelVersion: 'asked',
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: words }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    },
    kept: new Set(),
    beside: {
      promptFeedback: { candidates: [] },
      // A call comes whole or in pieces.
      partialArgs: { args: undefined },
      ...Object.fromEntries(['boolValue', 'numberValue', 'nullValue'].map((kind) => [kind, { stringValue: undefined }])),
      ...Object.fromEntries(partKinds.map((kind) => [kind, { text: undefined }])),
      ...Object.fromEntries(['maps', 'image', 'retrievedContext'].map((kind) => [kind, { web: undefined }])),
    },
  },
}

/** How the events of each endpoint are walked. */
export const eventGuide: Guide = {
  ...common,
  seed: {},
  kept: new Set(),
  once: true,
  beside: { ...answerGuides.gemini.beside, ...anthropic.beside },
}
