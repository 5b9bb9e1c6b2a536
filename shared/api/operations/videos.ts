/** Videos, which upstreams finish long after the request. */
import { OneOf, Type } from '../../typebox.ts'
import { FileField, ModelName, NotEmpty, Open, OrNull, Whole } from '../fields.ts'

const Seconds = () => Type.Optional(Type.String({ pattern: '^\\d{1,4}$', description: 'How long it is to be, in seconds.' }))

/** POST /v1/videos */
export const VideoRequest = Open({
  model: ModelName(),
  prompt: NotEmpty(),
  seconds: Seconds(),
  size: Type.Optional(Type.String({ description: '`WIDTHxHEIGHT`.' })),
  input_reference: Type.Optional(Open({ image_url: Type.Optional(NotEmpty()) })),
})

/** The same as a form. */
export const VideoForm = Open({
  model: ModelName(),
  prompt: NotEmpty(),
  seconds: Seconds(),
  size: Type.Optional(Type.String()),
  input_reference: Type.Optional(FileField('A picture to begin with.')),
})

/** POST /v1/videos/edits and POST /v1/videos/extensions */
export const VideoFromRequest = Open({ prompt: NotEmpty(), video: Open({ id: NotEmpty('The id of a video.') }), seconds: Seconds() })

/** POST /v1/videos/:id/remix */
export const VideoRemixRequest = Open({ prompt: NotEmpty() })

/** A video. */
export const Video = Open({
  id: Type.String(),
  object: OneOf(['video']),
  model: Type.String(),
  status: OneOf(['queued', 'in_progress', 'completed', 'failed']),
  progress: Whole(0, 100),
  created_at: Whole(),
  completed_at: OrNull(Whole()),
  prompt: OrNull(Type.String()),
  seconds: Type.String(),
  size: OrNull(Type.String()),
  error: OrNull(Open({ code: Type.String(), message: Type.String() })),
  remixed_from_video_id: OrNull(Type.String()),
})

/** Response of GET /v1/videos. */
export const VideoList = Open({ object: OneOf(['list']), data: Type.Array(Video), has_more: Type.Boolean() })

/** Response of DELETE /v1/videos/:id. */
export const VideoDeleted = Open({ id: Type.String(), object: OneOf(['video.deleted']), deleted: Type.Boolean() })

/** POST /v1beta/models/{model}:predictLongRunning */
export const PredictVideosRequest = Open({
  instances: Type.Array(Open({ prompt: Type.Optional(NotEmpty()) }), { minItems: 1 }),
  parameters: Type.Optional(
    Open({
      sampleCount: Type.Optional(Whole(1, 8)),
      durationSeconds: Type.Optional(Whole(1, 600)),
      aspectRatio: Type.Optional(Type.String({ description: '`WIDTH:HEIGHT`.' })),
      resolution: Type.Optional(Type.String()),
    }),
  ),
})

/** An operation that makes videos. */
export const VideoOperation = Open({ name: Type.String(), done: Type.Optional(Type.Boolean()) })
