/** Files in OpenAI's format: how they are listed, and where Chat and Responses reference them. */
import { dataUrl, type FilePlaceIn, type FileWriter, keptFileIn, textOf } from '#canonical/kept-file'
import { isObject } from '#shared/json'

const idOf = (id: string) => `file_${id}`
const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** `/v1/files`. */
export const openaiFiles: FileWriter = {
  file: ({ id, name, bytes, purpose, createdAt, expiresAt }) => ({
    id: idOf(id),
    object: 'file',
    bytes,
    created_at: seconds(createdAt),
    expires_at: seconds(expiresAt),
    filename: name,
    purpose,
    status: 'processed',
  }),
  list({ files, hasMore }, origin) {
    const data = files.map((file) => openaiFiles.file(file, origin))
    const [first, last] = [files[0], files.at(-1)].map((file) => (file ? idOf(file.id) : null))
    return { object: 'list', data, first_id: first, last_id: last, has_more: hasMore }
  },
  deleted: (id) => ({ id: idOf(id), object: 'file', deleted: true }),
}

const isImage = (type: string) => type.startsWith('image/')
const sounds: Readonly<Record<string, string>> = { 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/mpeg': 'mp3', 'audio/mp3': 'mp3' }

/** `{type: "file", file: {file_id}}`. */
export const chatFile: FilePlaceIn = (part) => {
  const named = part.type === 'file' && isObject(part.file) ? part.file : undefined
  const id = keptFileIn(named?.file_id)
  if (id === undefined) return undefined
  return {
    id,
    with(file) {
      const { type: _, file: __, ...rest } = part
      const { file_id: ___, ...others } = named ?? {}
      const text = textOf(file)
      if (text !== undefined) return { ...rest, type: 'text', text }
      if (isImage(file.type)) return { ...rest, type: 'image_url', image_url: { url: dataUrl(file) } }
      const format = sounds[file.type]
      if (format) return { ...rest, type: 'input_audio', input_audio: { data: file.base64, format } }
      return { ...part, file: { filename: file.name, ...others, file_data: dataUrl(file) } }
    },
  }
}

/** `{type: "input_file", file_id}` and `{type: "input_image", file_id}`. */
export const responsesFile: FilePlaceIn = (part) => {
  const id = part.type === 'input_file' || part.type === 'input_image' ? keptFileIn(part.file_id) : undefined
  if (id === undefined) return undefined
  const { file_id: _, type, ...rest } = part
  return {
    id,
    with(file) {
      if (type === 'input_image') return { type, ...rest, image_url: dataUrl(file) }
      const { filename: __, detail, ...others } = rest
      const text = textOf(file)
      if (text !== undefined) return { ...others, type: 'input_text', text }
      if (isImage(file.type)) return { ...others, type: 'input_image', detail: detail ?? 'auto', image_url: dataUrl(file) }
      return { type, filename: file.name, ...rest, file_data: dataUrl(file) }
    },
  }
}

/** `{file_id}` in the images of an edit. */
export const imageFile: FilePlaceIn = (image) => {
  const id = image.type === undefined ? keptFileIn(image.file_id) : undefined
  if (id === undefined) return undefined
  const { file_id: _, ...rest } = image
  return { id, with: (file) => ({ ...rest, image_url: dataUrl(file) }) }
}
