/** Lists of models and single models, in three formats. */
import { Type } from '../typebox.ts'
import { Open, Whole } from './fields.ts'

const Id = Type.Union([Type.String(), Type.Null()])

/** A model in the format of OpenAI. */
export const OpenaiModel = Open({ id: Type.String(), object: Type.Literal('model'), created: Whole(), owned_by: Type.String() })
/** A list in the format of OpenAI. */
export const OpenaiModels = Open({ object: Type.Literal('list'), data: Type.Array(OpenaiModel) })

/** A model in the format of the Messages API. */
export const MessagesModel = Open({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String(),
  max_input_tokens: Type.Optional(Whole()),
  max_tokens: Type.Optional(Whole()),
})
/** A list in the format of the Messages API. */
export const MessagesModels = Open({ data: Type.Array(MessagesModel), has_more: Type.Boolean(), first_id: Id, last_id: Id })

/** A model in the format of Google. */
export const GeminiModel = Open({
  name: Type.String({ pattern: '^models/' }),
  displayName: Type.String(),
  inputTokenLimit: Type.Optional(Whole()),
  outputTokenLimit: Type.Optional(Whole()),
  supportedGenerationMethods: Type.Array(Type.String()),
})
/** A list in the format of Google. */
export const GeminiModels = Open({ models: Type.Array(GeminiModel), nextPageToken: Id })
