/** Files in the Messages format: how they are listed, and where a block names them. */
import { type FilePlaceIn, type FileWriter, keptFileIn, textOf } from '#canonical/kept-file'

const idOf = (id: string) => `file_${id}`

/** `/v1/files` with a version header. */
export const anthropicFiles: FileWriter = {
  file: ({ id, name, type, bytes, createdAt, expiresAt }) => ({
    id: idOf(id),
    type: 'file',
    filename: name,
    mime_type: type,
    size_bytes: bytes,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    downloadable: true,
  }),
  list({ files, hasMore }, origin) {
    const data = files.map((file) => anthropicFiles.file(file, origin))
    const [first, last] = [files[0], files.at(-1)].map((file) => (file ? idOf(file.id) : null))
    return { data, first_id: first, last_id: last, has_more: hasMore, next_page: hasMore ? last : null }
  },
  deleted: (id) => ({ id: idOf(id), type: 'file_deleted' }),
}

/** The source `{type: "file", file_id}` of an image or a document. */
export const messagesFile: FilePlaceIn = (source) => {
  const id = source.type === 'file' ? keptFileIn(source.file_id) : undefined
  if (id === undefined) return undefined
  return {
    id,
    with(file) {
      const text = textOf(file)
      if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text }
      return { type: 'base64', media_type: file.type, data: file.base64 }
    },
  }
}
