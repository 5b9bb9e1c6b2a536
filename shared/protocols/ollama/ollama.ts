/** Requests of Ollama's API, as Parley reads them. Read: https://github.com/ollama/ollama/blob/main/docs/api.md */
import { type Static, Type } from '../../typebox.ts'
import { Figure, Flag, Free, Open, OrNull, Text } from '../openai/tolerant.ts'

/** Settings of the model and of the machine; those not named here cannot be converted. */
export const OllamaOptions = Open({
  temperature: Figure(),
  top_p: Figure(),
  top_k: Figure(),
  seed: Figure(),
  num_predict: Figure('Most tokens of the answer; -1 and -2: as many as the model may'),
  stop: Free('A text or a list of texts'),
  presence_penalty: Figure(),
  frequency_penalty: Figure(),
})
export type OllamaOptions = Static<typeof OllamaOptions>

const shared = {
  model: Type.String(),
  stream: Flag('Lines of JSON; the default'),
  think: Free('`true`, `false`, `low`, `medium`, `high` or `max`'),
  format: Free('`json`, or a JSON Schema'),
  options: OrNull(OllamaOptions),
  keep_alive: Free('Accepted: no model is loaded here'),
  logprobs: Flag(),
  top_logprobs: Figure(),
}

const ToolCall = Open({
  id: Text(),
  function: Open({ name: Type.String(), arguments: Free('An object'), index: Figure() }),
})

/** One turn. */
export const OllamaMessage = Open({
  role: Type.String({ description: '`system`, `user`, `assistant` or `tool`' }),
  content: Text(),
  thinking: Text(),
  images: OrNull(Type.Array(Type.String(), { description: 'Base64' })),
  tool_calls: OrNull(Type.Array(ToolCall)),
  tool_name: Text(),
  tool_call_id: Text(),
})
export type OllamaMessage = Static<typeof OllamaMessage>

/** The body of `/api/chat`. */
export const OllamaChatRequest = Open({
  ...shared,
  messages: Type.Array(OllamaMessage),
  tools: Free('Functions, as at `/v1/chat/completions`'),
})
export type OllamaChatRequest = Static<typeof OllamaChatRequest>

/** The body of `/api/generate`. */
export const OllamaGenerateRequest = Open({
  ...shared,
  prompt: Type.String(),
  system: Text(),
  images: OrNull(Type.Array(Type.String())),
  suffix: Text('Refused: the model is asked as in a chat'),
  raw: Flag('Refused likewise'),
  template: Text(),
  context: Free(),
})
export type OllamaGenerateRequest = Static<typeof OllamaGenerateRequest>

/** The body of `/api/embed`. */
export const OllamaEmbedRequest = Open({
  model: Type.String(),
  input: Free('A text or a list of texts'),
  dimensions: Figure(),
  truncate: Flag(),
  keep_alive: Free(),
  options: Free(),
})
export type OllamaEmbedRequest = Static<typeof OllamaEmbedRequest>

/** The body of the older `/api/embeddings`. */
export const OllamaEmbeddingsRequest = Open({ model: Type.String(), prompt: Type.String(), keep_alive: Free(), options: Free() })
export type OllamaEmbeddingsRequest = Static<typeof OllamaEmbeddingsRequest>

/** The body of `/api/show`. */
export const OllamaShowRequest = Open({ model: Text(), name: Text('The older name of `model`') })
export type OllamaShowRequest = Static<typeof OllamaShowRequest>
