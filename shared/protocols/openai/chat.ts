/**
 * The Chat dialect as Parley reads it, for its readers, the client and the API document. Tolerant on purpose: fields that are
 * not named here pass to the upstream untouched, and a conversion reports them as lost.
 */
import { type Static, Type } from '../../typebox.ts'
import { Count, cacheMarks, Flag, Free, Open, OrNull, samplingFields, streamOptions, Text } from './tolerant.ts'

/** A part of a message's content, with the fields of every kind that Parley understands. */
export const ChatPart = Open({
  type: Type.String({ description: '`text`, `refusal`, `image_url`, `input_audio`, `video_url` or `file`; other kinds are passed on' }),
  text: Text(),
  refusal: Text(),
  image_url: OrNull(
    Type.Union([Open({ url: Text('An address or a data URL'), detail: Text('`auto`, `low`, `high` or `original`') }), Type.String()]),
  ),
  input_audio: OrNull(Open({ data: Text('Base64'), format: Text('`wav` or `mp3`') })),
  video_url: OrNull(Open({ url: Text('An address or a data URL; of vendors other than OpenAI') })),
  file: OrNull(Open({ filename: Text(), file_id: Text(), file_data: Text('A data URL or base64') })),
  ...cacheMarks,
})
export type ChatPart = Static<typeof ChatPart>

const Called = Open({ name: Text(), arguments: Text('JSON as the model wrote it') })
/** A called function with its arguments. */
export type ChatCalled = Static<typeof Called>

/** A tool call in an assistant message. */
export const ChatToolCall = Open({
  id: Text(),
  type: Text('`function` or `custom`'),
  index: Free(),
  function: OrNull(Called),
  custom: OrNull(Open({ name: Text(), input: Text() })),
  extra_content: Free('Sealed reasoning of Google models: `google.thought_signature`'),
})
export type ChatToolCall = Static<typeof ChatToolCall>

/** One message of a conversation. */
export const ChatMessage = Open({
  role: Type.String({ description: '`system`, `developer`, `user`, `assistant`, `tool` or `function`' }),
  content: OrNull(Type.Union([Type.String(), Type.Array(ChatPart)])),
  name: Text(),
  refusal: Text(),
  tool_calls: OrNull(Type.Array(ChatToolCall)),
  tool_call_id: Text('The call that a message of the role `tool` answers'),
  function_call: OrNull(Called),
  audio: OrNull(Open({ id: Text('Of an earlier answer'), data: Free(), transcript: Free(), expires_at: Free() })),
  annotations: Free('Citations of an earlier answer'),
  reasoning_content: Free('What an earlier answer thought'),
  reasoning: Free('The same under another name'),
  reasoning_details: Free('The same with its sealed state'),
  ...cacheMarks,
})
export type ChatMessage = Static<typeof ChatMessage>

const JsonSchema = Free('A JSON Schema')

const FunctionTool = Open({ name: Text(), description: Text(), parameters: JsonSchema, strict: Flag() })
/** A function that the model may call. */
export type ChatFunction = Static<typeof FunctionTool>

const CustomTool = Open({
  name: Text(),
  description: Text(),
  format: OrNull(Open({ type: Text('`text` or `grammar`'), grammar: OrNull(Open({ syntax: Text(), definition: Text() })) })),
})
/** A tool with free text as input. */
export type ChatCustomTool = Static<typeof CustomTool>

/** A tool that the model may call. */
export const ChatTool = Open({
  type: Text('`function`, `custom`, or a hosted tool of the upstream'),
  function: OrNull(FunctionTool),
  custom: OrNull(CustomTool),
  ...cacheMarks,
})
export type ChatTool = Static<typeof ChatTool>

const ToolName = Open({ type: Text(), function: OrNull(Open({ name: Text() })), custom: OrNull(Open({ name: Text() })) })
/** The tool that the model must call. */
export type ChatToolName = Static<typeof ToolName>

const ToolChoice = Open({
  type: Text(),
  function: OrNull(Open({ name: Text() })),
  custom: OrNull(Open({ name: Text() })),
  allowed_tools: OrNull(Open({ mode: Text('`auto` or `required`'), tools: OrNull(Type.Array(ToolName)) })),
})

const ChatThinking = Open(
  { type: Free('`enabled`, `disabled`, `adaptive` or `auto`'), budget_tokens: Free() },
  { description: 'As Claude, DeepSeek, GLM and Kimi are asked to think' },
)
export type ChatThinking = Static<typeof ChatThinking>

const ChatReasoning = Open(
  { effort: Free(), max_tokens: Free(), exclude: Free(), enabled: Free() },
  { description: 'As OpenRouter is asked to think' },
)
export type ChatReasoning = Static<typeof ChatReasoning>

/** POST /v1/chat/completions */
export const ChatRequest = Open({
  model: Type.String({ minLength: 1, maxLength: 256 }),
  messages: Type.Array(ChatMessage, { minItems: 1 }),
  stream: OrNull(Type.Boolean()),
  stream_options: streamOptions,
  n: Count(128),
  max_tokens: Count(),
  max_completion_tokens: Count(),
  stop: OrNull(Type.Union([Type.String(), Type.Array(Type.String())])),
  ...samplingFields,
  logprobs: Flag(),
  top_logprobs: Count(20, 0),
  response_format: OrNull(
    Open({
      type: Text('`text`, `json_object` or `json_schema`'),
      json_schema: OrNull(Open({ name: Text(), description: Text(), schema: JsonSchema, strict: Flag() })),
    }),
  ),
  modalities: OrNull(Type.Array(Type.String())),
  audio: Free('Voice and format of spoken answers'),
  verbosity: Text('`low`, `medium` or `high`'),
  reasoning_effort: Text('`none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`'),
  thinking: OrNull(ChatThinking),
  reasoning: OrNull(ChatReasoning),
  enable_thinking: Free('Whether Qwen thinks'),
  thinking_budget: Free('Tokens, beside `enable_thinking`'),
  tools: OrNull(Type.Array(ChatTool)),
  tool_choice: OrNull(Type.Union([ToolChoice, Type.String()])),
  parallel_tool_calls: Flag(),
  functions: OrNull(Type.Array(FunctionTool)),
  function_call: OrNull(Type.Union([Open({ name: Text() }), Type.String()])),
  web_search_options: OrNull(
    Open({
      search_context_size: Text('`low`, `medium` or `high`'),
      user_location: OrNull(Open({ type: Text('`approximate`'), approximate: Free() })),
    }),
  ),
  service_tier: Free('`auto`, `default`, `flex`, `priority` or `fast`'),
  prompt_cache_key: Type.Optional(Type.String()),
  safety_identifier: Text('The end user'),
  user: Type.Optional(Type.String()),
  metadata: Free('A map of texts'),
  group: Free('The group to use, from the playground'),
  models: Free('Models that may answer in the place of `model`'),
})
export type ChatRequest = Static<typeof ChatRequest>

/** The message of an answer, with what vendors add to OpenAI's. */
const ChatAnswerMessage = Open({
  role: Free(),
  content: Free('A text, or a list of parts'),
  refusal: Text(),
  annotations: Free('Citations of the text'),
  images: Free('Pictures that the model made'),
  audio: OrNull(Open({ id: Free(), data: Text('Base64'), transcript: Text(), expires_at: Free() })),
  tool_calls: OrNull(Type.Array(ChatToolCall)),
  function_call: OrNull(Called),
  reasoning_content: Free(),
  reasoning: Free(),
  reasoning_details: Free(),
})
export type ChatAnswerMessage = Static<typeof ChatAnswerMessage>

const ChatChoice = Open({
  index: Free(),
  message: OrNull(ChatAnswerMessage),
  logprobs: Free(),
  finish_reason: Text(),
  native_finish_reason: Free('The word of a vendor behind the upstream'),
})
export type ChatChoice = Static<typeof ChatChoice>

/** An upstream's response to a request that does not stream. */
const ChatAnswer = Open({
  id: Free(),
  object: Free(),
  created: Free(),
  model: Free(),
  choices: Type.Array(ChatChoice),
  usage: Free(),
  service_tier: Text(),
  system_fingerprint: Free(),
  provider: Free('The vendor behind the upstream'),
  citations: Free('Addresses of the pages that the answer rests on'),
  search_results: Free('The same with their titles'),
})
export type ChatAnswer = Static<typeof ChatAnswer>
