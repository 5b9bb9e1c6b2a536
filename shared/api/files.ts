/** Files stored for requests, in the formats of three protocols. */
import { Type } from '../typebox.ts'
import { FileField, Open, OrNull, Whole } from './fields.ts'

/** POST /v1/files, GET /v1/files/{id} */
export const OpenaiFile = Open({
  id: Type.String(),
  object: Type.Literal('file'),
  bytes: Whole(),
  created_at: Whole(),
  expires_at: Whole(),
  filename: Type.String(),
  purpose: Type.String(),
  status: Type.String(),
})
/** GET /v1/files */
export const OpenaiFiles = Open({ object: Type.Literal('list'), data: Type.Array(OpenaiFile), has_more: Type.Boolean() })
/** DELETE /v1/files/{id} */
export const DeletedFile = Open({ id: Type.String(), deleted: Type.Literal(true) })

/** The same for clients of Messages. */
export const MessagesFile = Open({
  id: Type.String(),
  type: Type.Literal('file'),
  filename: Type.String(),
  mime_type: Type.String(),
  size_bytes: Whole(),
  created_at: Type.String(),
  expires_at: Type.String(),
  downloadable: Type.Boolean(),
})
export const MessagesFiles = Open({ data: Type.Array(MessagesFile), has_more: Type.Boolean(), next_page: OrNull(Type.String()) })
export const DeletedMessagesFile = Open({ id: Type.String(), type: Type.Literal('file_deleted') })

/** The same for clients of Gemini. */
export const GeminiFile = Open({
  name: Type.String(),
  displayName: Type.String(),
  mimeType: Type.String(),
  sizeBytes: Type.String(),
  createTime: Type.String(),
  expirationTime: Type.String(),
  uri: Type.String(),
  state: Type.String(),
})
export const GeminiFiles = Open({ files: Type.Array(GeminiFile), nextPageToken: Type.Optional(Type.String()) })
/** Metadata of a file at the start of its upload. */
export const GeminiUpload = Open({
  file: Type.Optional(Open({ displayName: Type.Optional(Type.String()), mimeType: Type.Optional(Type.String()) })),
})
/** The last answer of an upload. */
export const GeminiUploaded = Open({ file: Type.Optional(GeminiFile) })
/** Nothing to say. */
export const EmptyAnswer = Open({})

/** The form of POST /v1/files. */
export const FileForm = Open({
  file: FileField('25 MiB at most.'),
  purpose: Type.Optional(
    Type.String({ description: 'Required of OpenAI’s clients: `user_data`, `vision`, `assistants`, `batch`, `evals` or `fine-tune`.' }),
  ),
})

/** An object in an upstream's account, or the request to create one, in its vendor's format. */
export const AccountObject = Open({})
/** The same as a form. */
export const AccountObjectForm = Open({})
