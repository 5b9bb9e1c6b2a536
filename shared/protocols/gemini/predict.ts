/** Requests of `:predict` and `:predictLongRunning` as Google writes them and Parley reads them. Tolerant: everything else passes untouched. */
import { type Static, Type } from '../../typebox.ts'

const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: true })

const Media = Open({
  bytesBase64Encoded: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  gcsUri: Type.Optional(Type.String()),
  uri: Type.Optional(Type.String()),
})

/** POST /v1beta/models/{model}:predict and :predictLongRunning */
export const GeminiPredictRequest = Open({
  instances: Type.Array(
    Open({
      prompt: Type.Optional(Type.String()),
      image: Type.Optional(Media),
      lastFrame: Type.Optional(Media),
      video: Type.Optional(Media),
      referenceImages: Type.Optional(Type.Array(Open({ image: Type.Optional(Media) }))),
    }),
    { minItems: 1 },
  ),
  parameters: Type.Optional(
    Open({
      sampleCount: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String()])),
      aspectRatio: Type.Optional(Type.String()),
      sampleImageSize: Type.Optional(Type.String()),
      imageSize: Type.Optional(Type.String()),
      outputOptions: Type.Optional(Open({ mimeType: Type.Optional(Type.String()), compressionQuality: Type.Optional(Type.Integer()) })),
      durationSeconds: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.String()])),
      resolution: Type.Optional(Type.String()),
      storageUri: Type.Optional(Type.String()),
    }),
  ),
})
export type GeminiPredictRequest = Static<typeof GeminiPredictRequest>
