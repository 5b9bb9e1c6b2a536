/** The basis for walking requests of each dialect: the SDKs' types, the smallest request, and plausible values. */
import type { Guide } from './cases.ts'

/** The lines that import the SDKs' types. */
export const sdkImports = [
  "import type OpenAI from 'openai'",
  "import type Anthropic from '@anthropic-ai/sdk'",
  "import type * as Google from '@google/genai'",
]

/** The types of requests, by endpoint. */
export const requestTypes = {
  chat: 'OpenAI.Chat.ChatCompletionCreateParamsNonStreaming',
  completions: 'OpenAI.CompletionCreateParamsNonStreaming',
  responses: 'OpenAI.Responses.ResponseCreateParamsNonStreaming',
  messages: 'Anthropic.Messages.MessageCreateParamsNonStreaming',
  'messages beta': 'Anthropic.Beta.Messages.MessageCreateParamsNonStreaming',
  gemini: "Omit<Google.GenerateContentParameters, 'contents'> & { contents: Google.Content[] }",
  'gemini history': "Pick<Google.GenerateContentParameters, 'model'> & { contents: Google.Content[] }",
} as const

/** An endpoint whose requests are walked. */
export type Endpoint = keyof typeof requestTypes

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const googleConfig = { tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: schema }] }] }

/** Values by field name, where the usual value "a name" would be refused as invalid. */
const samples: Readonly<Record<string, unknown>> = {
  model: 'asked',
  content: 'Hello',
  text: 'Hello',
  prompt: 'Hello',
  name: 'look',
  call_id: 'call_1',
  tool_call_id: 'call_1',
  tool_use_id: 'call_1',
  arguments: '{"city":"Oslo"}',
  input: 'Hello',
  parameters: schema,
  schema,
  input_schema: schema,
  output_schema: schema,
  parametersJsonSchema: schema,
  responseJsonSchema: schema,
  responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
  data: png,
  imageBytes: png,
  videoBytes: png,
  bytesValue: png,
  image_url: `data:image/png;base64,${png}`,
  file_data: `data:application/pdf;base64,${png}`,
  url: 'https://files.example/one.png',
  n: 2,
  best_of: 3,
  candidateCount: 2,
  filename: 'one.pdf',
  file_url: 'https://files.example/one.pdf',
  fileUri: 'https://files.example/one.pdf',
  mimeType: 'image/png',
  media_type: 'image/png',
  format: 'png',
  temperature: 0.5,
  top_p: 0.5,
  topP: 0.5,
  top_logprobs: 2,
  max_tokens: 900,
  maxOutputTokens: 900,
  max_output_tokens: 900,
  max_completion_tokens: 900,
  budget_tokens: 2048,
  thinkingBudget: 2048,
  thinking_budget: 2048,
  stop: 'END',
  stop_sequences: ['END'],
  stopSequences: ['END'],
  logit_bias: { '5': 1 },
  args: { city: 'Oslo' },
  response: { output: 'sunny' },
  output: 'sunny',
  signature: 'c2lnbmF0dXJl',
  thoughtSignature: 'c2lnbmF0dXJl',
  encrypted_content: 'c2VhbGVk',
  role: 'user',
  responseModalities: 'IMAGE',
  responseMimeType: 'application/json',
  summary: 'auto',
  ttl: '3600s',
}

const callInput = { city: 'Oslo' }

function sample(name: string, path: string): unknown {
  if (name === 'type' && /parameters\.type$/.test(path)) return 'OBJECT'
  if (path === 'config') return googleConfig
  if (name === 'input' && /tool_use/.test(path)) return callInput
  if (name === 'url' && !/image/.test(path)) return 'https://files.example/one.pdf'
  if (name === 'media_type' && /document/.test(path)) return 'application/pdf'
  if (name === 'data' && /input_audio/.test(path)) return png
  return samples[name]
}

const transport = ['model', 'stream', 'betas', 'user_profile_id', 'httpOptions', 'abortSignal', 'automaticFunctionCalling']
const skipped = new Set([...transport, 'shouldReturnHttpResponse', 'stream_options'])
/** Fields that Google's types declare as optional, although the value means nothing without them. */
const needed = {
  FunctionDeclaration: ['name'],
  FunctionCall: ['name', 'args'],
  FunctionResponse: ['name', 'response'],
  FunctionResponseBlob: ['data', 'mimeType'],
  FunctionResponseFileData: ['fileUri', 'mimeType'],
  Blob: ['data', 'mimeType'],
  Blob_2: ['data', 'mimeType'],
  FileData: ['fileUri', 'mimeType'],
  Schema: ['type'],
}
const common = { sample, skipped, needed }
const hello = 'Hello'

const messages: Guide = {
  ...common,
  seed: {
    model: 'asked',
    max_tokens: 900,
    messages: [{ role: 'user', content: hello }],
    tools: [{ name: 'look', input_schema: schema }],
  },
  kept: new Set(['messages']),
}

const google: Guide = {
  ...common,
  seed: { model: 'asked', contents: [{ role: 'user', parts: [{ text: hello }] }], config: googleConfig },
  kept: new Set(['contents']),
  beside: {
    logprobs: { responseLogprobs: true },
    responseJsonSchema: { responseMimeType: 'application/json' },
    responseSchema: { responseMimeType: 'application/json' },
    // Of a part, which is empty without its data.
    thought: { text: hello },
    thoughtSignature: { text: hello },
    partMetadata: { text: hello },
    speechMetadata: { text: hello },
    mediaProcessing: { inlineData: { mimeType: 'image/png', data: png } },
    mediaResolution: { inlineData: { mimeType: 'image/png', data: png } },
    videoMetadata: { inlineData: { mimeType: 'video/mp4', data: png } },
  },
}

/** How the requests of each endpoint are walked. */
export const requestGuides: Readonly<Record<Endpoint, Guide>> = {
  chat: {
    ...common,
    seed: {
      model: 'asked',
      messages: [{ role: 'user', content: hello }],
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    },
    kept: new Set(['messages']),
    beside: { top_logprobs: { logprobs: true } },
  },
  completions: { ...common, seed: { model: 'asked', prompt: hello }, kept: new Set() },
  responses: {
    ...common,
    seed: {
      model: 'asked',
      input: [{ role: 'user', content: hello }],
      tools: [{ type: 'function', name: 'look', parameters: schema, strict: false }],
    },
    kept: new Set(['input']),
    beside: { top_logprobs: { include: ['message.output_text.logprobs'] } },
  },
  messages,
  'messages beta': messages,
  gemini: google,
  'gemini history': { ...google, sample: (name, path) => (name === 'role' ? 'model' : sample(name, path)) },
}
