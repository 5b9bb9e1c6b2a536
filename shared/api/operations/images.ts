/** Images: generated from a prompt, or edited by one. */
import { OneOf, Type } from '../../typebox.ts'
import { FileField, ModelName, NotEmpty, Open, OrNull, Whole } from '../fields.ts'

const options = {
  model: ModelName(),
  prompt: NotEmpty(),
  n: OrNull(Whole(1, 128)),
  size: OrNull(Type.String({ description: '`WIDTHxHEIGHT` or `auto`.' })),
  quality: OrNull(Type.String({ description: '`low`, `medium`, `high`, `auto`, or a value specific to the model.' })),
  background: OrNull(Type.String()),
  output_format: OrNull(Type.String()),
  output_compression: OrNull(Whole(0, 100)),
  response_format: OrNull(OneOf(['url', 'b64_json'])),
  partial_images: OrNull(Whole(0, 3)),
  stream: OrNull(Type.Boolean()),
}

/** POST /v1/images/generations */
export const ImageRequest = Open(options)

const Picture = Open(
  { image_url: Type.Optional(NotEmpty('An https address or a data URL.')), file_id: Type.Optional(NotEmpty()) },
  'One of the two. Files that an upstream account keeps are not served.',
)

/** POST /v1/images/edits and POST /v1/edits as JSON. */
export const ImageEditRequest = Open({
  ...options,
  images: OrNull(Type.Array(Picture, { minItems: 1, maxItems: 16 })),
  image: OrNull(Type.Union([NotEmpty(), Type.Array(NotEmpty(), { minItems: 1, maxItems: 16 })])),
  mask: OrNull(Picture),
  input_fidelity: OrNull(Type.String()),
})

/** The same as a form, in which numbers and flags are text. */
export const ImageEditForm = Open({
  model: ModelName(),
  prompt: NotEmpty(),
  image: FileField('A picture. For several, up to 16, repeat `image[]`.'),
  mask: Type.Optional(FileField('Where it may be changed.')),
  n: Type.Optional(Type.String({ pattern: '^\\d+$' })),
  size: Type.Optional(Type.String()),
  quality: Type.Optional(Type.String()),
  output_format: Type.Optional(Type.String()),
  stream: Type.Optional(OneOf(['true', 'false'])),
})

/** POST /v1/images/variations, a form. */
export const ImageVariationForm = Open({
  model: ModelName(),
  image: FileField('A single picture.'),
  n: Type.Optional(Type.String({ pattern: '^\\d+$' })),
  size: Type.Optional(Type.String()),
  response_format: Type.Optional(OneOf(['url', 'b64_json'])),
})

const instance = Open({ prompt: NotEmpty(), image: Type.Optional(Open({ bytesBase64Encoded: Type.String(), mimeType: Type.String() })) })

/** POST /v1beta/models/{model}:predict */
export const PredictRequest = Open({
  instances: Type.Array(instance, { minItems: 1 }),
  parameters: Type.Optional(
    Open({
      sampleCount: Type.Optional(Whole(1, 128)),
      aspectRatio: Type.Optional(Type.String({ description: '`WIDTH:HEIGHT`.' })),
      sampleImageSize: Type.Optional(Type.String({ description: '`1K` or `2K`.' })),
      outputOptions: Type.Optional(Open({ mimeType: Type.Optional(Type.String()), compressionQuality: Type.Optional(Whole(0, 100)) })),
    }),
  ),
})

/** Response of :predict. */
export const PredictResponse = Open({
  predictions: Type.Array(
    Open({
      mimeType: Type.Optional(Type.String()),
      bytesBase64Encoded: Type.Optional(Type.String()),
      gcsUri: Type.Optional(Type.String()),
      prompt: Type.Optional(Type.String()),
    }),
  ),
})

/** Response of the image endpoints. */
export const ImageList = Open({
  created: Whole(),
  data: Type.Array(
    Open({ b64_json: Type.Optional(Type.String()), url: Type.Optional(Type.String()), revised_prompt: Type.Optional(Type.String()) }),
  ),
  usage: Type.Optional(Open({ input_tokens: Whole(), output_tokens: Whole(), total_tokens: Whole() })),
})
