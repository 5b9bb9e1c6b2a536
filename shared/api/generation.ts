/** Responses of the endpoints that generate, one for each dialect. Their requests are in `shared/protocols`. */
import { ResponsesItem } from '../protocols/openai/responses.ts'
import { Type } from '../typebox.ts'
import { Described, ModelName, NotEmpty, Open, OrNull, Whole } from './fields.ts'

const Finish = Type.Union([Type.String(), Type.Null()])

/** POST /v1/chat/completions, POST /pg/chat/completions */
export const ChatCompletion = Open({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Whole(),
  model: Type.String(),
  choices: Type.Array(
    Open({
      index: Whole(),
      message: Open({ role: Type.Literal('assistant'), content: OrNull(Type.String()), tool_calls: Type.Optional(Type.Array(Open({}))) }),
      finish_reason: Finish,
    }),
  ),
  usage: Type.Optional(Open({ prompt_tokens: Whole(), completion_tokens: Whole(), total_tokens: Whole() })),
})

/** POST /v1/completions */
export const TextCompletion = Open({
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Whole(),
  model: Type.String(),
  choices: Type.Array(Open({ index: Whole(), text: Type.String(), finish_reason: Finish })),
  usage: Type.Optional(Open({ prompt_tokens: Whole(), completion_tokens: Whole(), total_tokens: Whole() })),
})

const ResponsesUsage = Open({ input_tokens: Whole(), output_tokens: Whole(), total_tokens: Whole() })

/** POST /v1/responses, GET /v1/responses/{id} */
export const ResponseObject = Open({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Whole(),
  status: Type.String({
    description: '`completed`, `incomplete`, `failed` or `cancelled`; `in_progress` in a stream and in the background.',
  }),
  model: Type.String(),
  output: Type.Array(ResponsesItem),
  usage: OrNull(ResponsesUsage),
})

/** POST /v1/responses/compact */
export const CompactionRequest = Open({
  model: ModelName(),
  input: OrNull(Type.Union([Type.String(), Type.Array(ResponsesItem)])),
  instructions: OrNull(Type.String()),
  previous_response_id: OrNull(Type.String()),
})

/** The shortened context: use `output` as the beginning of the next `input`. */
export const CompactionObject = Open({
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Whole(),
  output: Type.Array(ResponsesItem),
  usage: OrNull(ResponsesUsage),
})

/** POST /v1/responses/input_tokens */
export const ResponseTokens = Open({ object: Type.Literal('response.input_tokens'), input_tokens: Whole() })

/** GET /v1/responses/{id}/input_items */
export const ResponseItems = Open({
  object: Type.Literal('list'),
  data: Type.Array(ResponsesItem),
  first_id: Finish,
  last_id: Finish,
  has_more: Type.Boolean(),
})

/** POST /v1/conversations */
export const ConversationRequest = Open({
  metadata: OrNull(Described(Open({}), 'Up to 16 texts.')),
  items: OrNull(Described(Type.Array(ResponsesItem), 'Up to 20, as in `input` of a request.')),
})
/** POST /v1/conversations, GET /v1/conversations/{id} */
export const ConversationObject = Open({
  id: Type.String(),
  object: Type.Literal('conversation'),
  created_at: Whole(),
  metadata: Open({}),
})
/** DELETE /v1/conversations/{id} */
export const DeletedConversation = Open({
  id: Type.String(),
  object: Type.Literal('conversation.deleted'),
  deleted: Type.Literal(true),
})

/** DELETE /v1/responses/{id} */
export const DeletedResponse = Open({ id: Type.String(), object: Type.Literal('response'), deleted: Type.Literal(true) })

/** POST /v1/messages */
export const MessageObject = Open({
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  content: Type.Array(Open({ type: Type.String(), text: Type.Optional(Type.String()) })),
  model: Type.String(),
  stop_reason: Finish,
  usage: Open({
    input_tokens: Whole(),
    output_tokens: Whole(),
    cache_creation_input_tokens: OrNull(Whole()),
    cache_read_input_tokens: OrNull(Whole()),
  }),
})

/** POST /v1/messages/count_tokens */
export const MessageTokens = Open({ input_tokens: Whole() })

/** POST /v1beta/models/{model}:generateContent; one event of :streamGenerateContent. */
export const GenerateContentResponse = Open({
  candidates: Type.Optional(
    Type.Array(
      Open({
        content: Type.Optional(Open({ role: Type.Optional(Type.String()), parts: Type.Optional(Type.Array(Open({}))) })),
        finishReason: Type.Optional(Type.String()),
        index: Type.Optional(Whole()),
      }),
    ),
  ),
  promptFeedback: Type.Optional(Open({ blockReason: Type.Optional(Type.String()) })),
  usageMetadata: Type.Optional(
    Open({
      promptTokenCount: Type.Optional(Whole()),
      candidatesTokenCount: Type.Optional(Whole()),
      totalTokenCount: Type.Optional(Whole()),
    }),
  ),
  modelVersion: Type.Optional(NotEmpty()),
  responseId: Type.Optional(Type.String()),
})

/** POST /v1beta/models/{model}:countTokens */
export const ContentTokensRequest = Open(
  { contents: Type.Optional(Type.Array(Open({}))), generateContentRequest: Type.Optional(Open({})) },
  'One of the two: `contents`, or a whole request.',
)
/** Response of :countTokens. */
export const ContentTokens = Open({ totalTokens: Whole() })

/** GET /v1beta/interactions/{id} */
export const InteractionObject = Open({
  id: Type.String(),
  model: Type.String(),
  status: Type.String({
    description: '`in_progress`, `requires_action` (a function waits for its result), `completed`, `incomplete`, `failed` or `cancelled`.',
  }),
  steps: Type.Array(Open({ type: Type.String() })),
  created: Type.String(),
  updated: Type.String(),
  previous_interaction_id: OrNull(Type.String()),
  usage: OrNull(Open({ total_tokens: Whole(), total_input_tokens: Whole(), total_output_tokens: Whole(), total_thought_tokens: Whole() })),
})
