/** Batches, multipart uploads and client secrets, in the formats of their protocols. */
import { MessagesRequest } from '../protocols/anthropic/messages.ts'
import { Type } from '../typebox.ts'
import { FileField, Open, OrNull, Whole } from './fields.ts'
import { OpenaiFile } from './files.ts'

/** POST /v1/batches */
export const BatchRequest = Open({
  input_file_id: Type.String({
    description: 'A stored file with the purpose `batch`: in each line `custom_id`, `method`, `url` and `body`.',
  }),
  endpoint: Type.String({
    description:
      '`/v1/chat/completions`, `/v1/responses`, `/v1/embeddings`, `/v1/completions` or `/v1/moderations`: the `url` of every line.',
  }),
  completion_window: Type.Literal('24h'),
  metadata: OrNull(Open({})),
  output_expires_after: OrNull(Open({ anchor: Type.String(), seconds: Whole(3600, 2_592_000) })),
})
const Time = Type.Union([Whole(), Type.Null()])
/** GET /v1/batches/{id} */
export const BatchObject = Open({
  id: Type.String(),
  object: Type.Literal('batch'),
  endpoint: Type.String(),
  status: Type.String({ description: '`in_progress`, `cancelling`, `completed`, `cancelled` or `expired`.' }),
  output_file_id: OrNull(Type.String()),
  error_file_id: OrNull(Type.String()),
  created_at: Whole(),
  expires_at: Whole(),
  completed_at: Time,
  request_counts: Open({ total: Whole(), completed: Whole(), failed: Whole() }),
})
/** GET /v1/batches */
export const BatchList = Open({ object: Type.Literal('list'), data: Type.Array(BatchObject), has_more: Type.Boolean() })

/** POST /v1/messages/batches */
export const MessageBatchRequest = Open({
  requests: Type.Array(Open({ custom_id: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }), params: MessagesRequest })),
})
/** GET /v1/messages/batches/{id} */
export const MessageBatchObject = Open({
  id: Type.String(),
  type: Type.Literal('message_batch'),
  processing_status: Type.String({ description: '`in_progress`, `canceling` or `ended`.' }),
  request_counts: Open({ processing: Whole(), succeeded: Whole(), errored: Whole(), canceled: Whole(), expired: Whole() }),
  created_at: Type.String(),
  expires_at: Type.String(),
  ended_at: OrNull(Type.String()),
  results_url: OrNull(Type.String()),
})
/** GET /v1/messages/batches */
export const MessageBatchList = Open({ data: Type.Array(MessageBatchObject), has_more: Type.Boolean() })
/** DELETE /v1/messages/batches/{id} */
export const DeletedMessageBatch = Open({ id: Type.String(), type: Type.Literal('message_batch_deleted') })

/** POST /v1beta/models/{model}:batchGenerateContent and :asyncBatchEmbedContent */
export const GeminiBatchRequest = Open({
  batch: Open({
    displayName: OrNull(Type.String({ maxLength: 512 })),
    inputConfig: Open({
      fileName: OrNull(
        Type.String({ description: 'A stored file, `files/...`: in each line `request`, as the action of one takes it, and `key`.' }),
      ),
      requests: OrNull(Open({ requests: Type.Array(Open({ request: Open({}), metadata: OrNull(Open({})) })) })),
    }),
  }),
})
/** GET /v1beta/batches/{id} */
export const GeminiBatchObject = Open({
  name: Type.String(),
  metadata: Open({
    state: Type.String({
      description: '`BATCH_STATE_RUNNING`, `BATCH_STATE_SUCCEEDED`, `BATCH_STATE_CANCELLED` or `BATCH_STATE_EXPIRED`.',
    }),
    model: Type.String(),
    createTime: Type.String(),
    output: Type.Optional(Open({}, 'The answers, or the file with them, in the order of the requests.')),
  }),
  done: Type.Optional(Type.Boolean()),
  response: Type.Optional(Open({})),
})
/** GET /v1beta/batches */
export const GeminiBatchList = Open({ operations: Type.Array(GeminiBatchObject), nextPageToken: Type.Optional(Type.String()) })

/** POST /v1/uploads */
export const UploadRequest = Open({
  bytes: Whole(1),
  filename: Type.String(),
  mime_type: Type.String(),
  purpose: Type.String(),
  expires_after: OrNull(Open({ anchor: Type.String(), seconds: Whole(3600, 2_592_000) })),
})
/** The form of POST /v1/uploads/{id}/parts */
export const UploadPartForm = Open({ data: FileField('25 MiB at most.') })
/** POST /v1/uploads/{id}/complete */
export const UploadCompletion = Open({ part_ids: Type.Array(Type.String()), md5: OrNull(Type.String()) })
/** An upload. */
export const UploadObject = Open({
  id: Type.String(),
  object: Type.Literal('upload'),
  bytes: Whole(),
  status: Type.String({ description: '`pending`, `completed` or `cancelled`.' }),
  expires_at: Whole(),
  file: OrNull(OpenaiFile),
})
/** A part of one. */
export const UploadPart = Open({ id: Type.String(), object: Type.Literal('upload.part'), upload_id: Type.String() })

export { WorkRow } from '../console/work.ts'
