/** Files in Gemini's format: how they are listed, and where a part names them. */
import { type FilePlaceIn, type FileWriter, type KeptFile, keptFileIn } from '#canonical/kept-file'
import { isObject } from '#shared/json'
import { pick } from './proto-json.ts'

/** `/v1beta/files`. */
export const geminiFiles: FileWriter = {
  file: ({ id, name, type, bytes, createdAt, expiresAt }: KeptFile, origin) => ({
    name: `files/${id}`,
    displayName: name,
    mimeType: type,
    sizeBytes: String(bytes),
    createTime: createdAt.toISOString(),
    updateTime: createdAt.toISOString(),
    expirationTime: expiresAt.toISOString(),
    uri: `${origin}/v1beta/files/${id}`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  }),
  list: ({ files, hasMore }, origin) => ({
    files: files.map((file) => geminiFiles.file(file, origin)),
    ...(hasMore && { nextPageToken: files.at(-1)?.id }),
  }),
  deleted: () => ({}),
}

/** A piece of an interaction: `{type: 'document', uri}`. */
const interactionFile: FilePlaceIn = (piece) => {
  const id = typeof piece.type === 'string' ? keptFileIn(piece.uri) : undefined
  if (id === undefined) return undefined
  const { uri: _, ...rest } = piece
  return { id, with: ({ type, base64 }) => ({ ...rest, mime_type: rest.mime_type ?? type, data: base64 }) }
}

/** `{fileData: {fileUri}}`, in either spelling; and pieces of interactions. */
export const geminiFile: FilePlaceIn = (part) => {
  const data = pick(part, 'fileData')
  const id = isObject(data) ? keptFileIn(pick(data, 'fileUri')) : undefined
  if (id === undefined) return interactionFile(part)
  const { fileData: _, file_data: __, ...rest } = part
  return { id, with: ({ type, base64 }) => ({ ...rest, inlineData: { mimeType: type, data: base64 } }) }
}
