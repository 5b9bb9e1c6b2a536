/**
 * The Messages dialect as Parley reads it, for its readers, the client and the API document. Tolerant on purpose: fields that
 * are not named here pass to the upstream unchanged, and only `MessagesRequirements` decides what is refused on arrival.
 */
import { Int, type Static, type TSchema, Type } from '../../typebox.ts'

type Properties = Parameters<typeof Type.Object>[0]
const Open = <T extends Properties>(properties: T, options = {}) => Type.Object(properties, { additionalProperties: true, ...options })
const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }))
const Free = (description: string) => Type.Optional(Type.Unknown({ description }))

const CacheControl = OrNull(
  Open(
    { type: Text('`ephemeral`'), ttl: OrNull(Type.String({ description: '`5m` (the default) or `1h`' })) },
    { description: 'A cache breakpoint' },
  ),
)

/** One citation of a text, in a request or an answer. */
export const MessagesCitation = Open({
  type: Text(),
  url: OrNull(Type.String()),
  title: OrNull(Type.String()),
  document_title: OrNull(Type.String()),
  source: OrNull(Type.String()),
  cited_text: OrNull(Type.String()),
  encrypted_index: OrNull(Type.String()),
})
export type MessagesCitation = Static<typeof MessagesCitation>

const Source = Open({
  type: Type.String({ description: '`base64`, `url`, `file`, `text` or `content`' }),
  media_type: Text(),
  data: Text('Base64, or the text of a plain-text document'),
  url: Text(),
  file_id: Text(),
  content: Free('Blocks or text, of a document made of several blocks'),
})
/** Where the bytes of an image or a document are. */
export type MessagesSource = Static<typeof Source>

/** A content block of a request or an answer, with the fields of every kind that Parley understands. */
export const MessagesBlock = Open({
  type: Type.String({ description: 'Kinds that Parley does not know are passed on' }),
  text: Text(),
  citations: Free('Citations of a text (a list), or whether a document may be cited (an object)'),
  cache_control: CacheControl,
  source: Type.Optional(Source),
  title: OrNull(Type.String()),
  context: OrNull(Type.String()),
  thinking: Text(),
  signature: Text(),
  data: Text('The sealed thought of a `redacted_thinking` block'),
  id: Text(),
  name: Text(),
  input: Free('Arguments of a tool call: an object'),
  tool_use_id: Text(),
  is_error: OrNull(Type.Boolean()),
  content: Free('What a tool answered: a text, or a list of blocks'),
  caller: Type.Optional(Open({ type: Text('`direct`, or the tool that called') })),
})
export type MessagesBlock = Static<typeof MessagesBlock>

const Content = Type.Union([Type.String(), Type.Array(MessagesBlock)])

/** One message of a conversation. */
export const MessagesMessage = Open({ role: Type.String({ description: '`user`, `assistant` or `system`' }), content: Content })
export type MessagesMessage = Static<typeof MessagesMessage>

const Tool = Open({
  type: OrNull(Type.String({ description: '`custom`, or a dated hosted tool such as `web_search_20250305`' })),
  name: Text(),
  description: Text(),
  input_schema: Free('JSON Schema of the arguments: an object'),
  strict: OrNull(Type.Boolean()),
  cache_control: CacheControl,
  allowed_domains: OrNull(Type.Array(Type.String())),
  blocked_domains: OrNull(Type.Array(Type.String())),
  user_location: Free('Where the user is, for a web search'),
  max_uses: Free('The most web searches of one answer'),
})
/** A tool that the model may call. */
export type MessagesTool = Static<typeof Tool>

const ToolChoice = Open({
  type: Type.String({ description: '`auto`, `any`, `tool` or `none`' }),
  name: Text('The tool to call'),
  disable_parallel_tool_use: OrNull(Type.Boolean()),
})

const Thinking = Open({
  type: Type.String({ description: '`enabled`, `adaptive`, `between_tools` or `disabled`' }),
  budget_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  display: OrNull(Type.String({ description: '`summarized` or `omitted`' })),
})

const Format = Open({ type: Type.String({ description: '`json_schema`' }), schema: Free('JSON Schema of the answer: an object') })

const limits = { max_tokens: Int(1, Number.MAX_SAFE_INTEGER) }

const settings = {
  temperature: OrNull(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: OrNull(Type.Number()),
  top_k: OrNull(Int(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
  stream: OrNull(Type.Boolean()),
  stop_sequences: OrNull(Type.Array(Type.String())),
}

const fields = {
  model: Type.String({ minLength: 1, maxLength: 256 }),
  messages: Type.Array(MessagesMessage, { minItems: 1 }),
  system: OrNull(Content),
  ...settings,
  tools: OrNull(Type.Array(Tool)),
  tool_choice: OrNull(ToolChoice),
  thinking: OrNull(Thinking),
  output_config: OrNull(
    Open({ effort: OrNull(Type.String({ description: '`low`, `medium`, `high`, `xhigh` or `max`' })), format: OrNull(Format) }),
  ),
  output_format: OrNull(Format),
  metadata: OrNull(Open({ user_id: OrNull(Type.String()) })),
  service_tier: OrNull(Type.String({ description: '`auto` or `standard_only`' })),
  speed: OrNull(Type.String({ description: '`standard` or `fast`' })),
  group: Type.Optional(Type.String({ description: 'Parley’s own: the group of channels, for the playground' })),
  models: Type.Optional(Type.Array(Type.String(), { description: 'Parley’s own: models that may answer in place of `model`, in order' })),
}

/** POST /v1/messages */
export const MessagesRequest = Open({ ...fields, ...limits })
export type MessagesRequest = Static<typeof MessagesRequest>

/** POST /v1/messages/count_tokens */
export const CountTokensRequest = Open(fields)
export type CountTokensRequest = Static<typeof CountTokensRequest>

const Blocks = Type.Union([Type.String(), Type.Array(Open({ type: Type.String() }))])
const required = {
  model: fields.model,
  // Only a system turn may have none: its reader checks that.
  messages: Type.Array(Open({ role: Type.String({ minLength: 1 }), content: Type.Optional(Blocks) }), { minItems: 1 }),
  system: OrNull(Blocks),
  ...settings,
}

/** What every body of POST /v1/messages must satisfy. */
export const MessagesRequirements = Open({ ...required, ...limits })
export type MessagesRequirements = Static<typeof MessagesRequirements>

/** The same for POST /v1/messages/count_tokens. */
export const CountTokensRequirements = Open(required)
export type CountTokensRequirements = Static<typeof CountTokensRequirements>

/** An upstream's response; unknown fields are accepted. */
export const MessagesResponse = Open({
  id: Text(),
  type: Text(),
  role: Text(),
  model: Text(),
  content: Type.Array(MessagesBlock),
  stop_reason: OrNull(Type.String()),
  stop_sequence: OrNull(Type.String()),
  usage: Free('Token counts and the tier that served'),
  stop_details: Free('Why the answer was stopped'),
  container: Free('The container that tools ran in'),
  context_management: Free('What was cleared from the conversation'),
})
export type MessagesResponse = Static<typeof MessagesResponse>
