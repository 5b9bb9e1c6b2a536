/** Lists of models and single models, in three formats. */
import { Type } from '../typebox.ts'
import { Open, Whole } from './fields.ts'

const Id = Type.Union([Type.String(), Type.Null()])

/** As OpenAI lists them. */
export const OpenaiModel = Open({ id: Type.String(), object: Type.Literal('model'), created: Whole(), owned_by: Type.String() })
export const OpenaiModels = Open({ object: Type.Literal('list'), data: Type.Array(OpenaiModel) })

/** As the Messages protocol lists them. */
export const MessagesModel = Open({
  type: Type.Literal('model'),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String(),
  max_input_tokens: Type.Optional(Whole()),
  max_tokens: Type.Optional(Whole()),
})
export const MessagesModels = Open({ data: Type.Array(MessagesModel), has_more: Type.Boolean(), first_id: Id, last_id: Id })

/** As Google lists them. */
export const GeminiModel = Open({
  name: Type.String({ pattern: '^models/' }),
  displayName: Type.String(),
  inputTokenLimit: Type.Optional(Whole()),
  outputTokenLimit: Type.Optional(Whole()),
  supportedGenerationMethods: Type.Array(Type.String()),
})
export const GeminiModels = Open({ models: Type.Array(GeminiModel), nextPageToken: Id })
