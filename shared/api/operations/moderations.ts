/** Moderation of texts and images. */
import { Type } from '../../typebox.ts'
import { Described, ModelName, Open, OrNull } from '../fields.ts'

const Part = Open({
  type: Type.String({ description: '`text` or `image_url`.' }),
  text: Type.Optional(Type.String()),
  image_url: Type.Optional(Open({ url: Type.String() })),
})

/** POST /v1/moderations */
export const ModerationRequest = Open({
  model: Described(OrNull(ModelName()), 'Without it the one of the settings: `omni-moderation-latest` unless changed.'),
  input: Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), Part]), { minItems: 1 })]),
})

/** Response of POST /v1/moderations. */
export const ModerationAnswer = Open({
  id: Type.String(),
  model: Type.String(),
  results: Type.Array(
    Open({
      flagged: Type.Boolean(),
      categories: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()])),
      category_scores: Type.Record(Type.String(), Type.Number()),
    }),
  ),
})
