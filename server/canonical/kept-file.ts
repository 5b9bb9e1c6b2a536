/** Files that users upload for their requests, as every protocol lists them. */

/** A file without its content. */
export interface KeptFile {
  /** The common part of its ids in all protocols. */
  id: string
  name: string
  /** MIME type. */
  type: string
  bytes: number
  /** Its purpose, as OpenAI names it. */
  purpose: string
  createdAt: Date
  expiresAt: Date
}

/** A file with its content. */
export interface FileContent extends Pick<KeptFile, 'name' | 'type'> {
  base64: string
}

/** The prefix of every file id, after the protocol's own prefix: a text without it names no file. */
export const fileMark = 'parleyf'

/** The id in a protocol's name of a file (`file_...`, `files/...`, a URL that ends with one); undefined for files not stored by Parley. */
export const keptFileIn = (named: unknown): string | undefined =>
  typeof named === 'string' ? /(?:^file[-_]|(?:^|\/)files\/)(parleyf[0-9a-f]{32})$/.exec(named)?.[1] : undefined

/** A file reference in a request, and its replacement once the bytes are known. */
export interface FilePlace {
  id: string
  with(file: FileContent): unknown
}

/** The file reference in this object of a request; undefined if it names none of Parley's files. */
export type FilePlaceIn = (object: Record<string, unknown>) => FilePlace | undefined

/** A page of files. */
export interface FilePage {
  files: readonly KeptFile[]
  hasMore: boolean
}

/** How a protocol writes files. */
export interface FileWriter {
  /** The protocol's representation of a file. `origin`: Parley's own origin. */
  file(file: KeptFile, origin: string): unknown
  list(page: FilePage, origin: string): unknown
  deleted(id: string): unknown
}

/** The file as a data URL. */
export const dataUrl = ({ type, base64 }: FileContent): string => `data:${type};base64,${base64}`

const texts = /^(?:text\/|application\/(?:json|xml|x-yaml|x-ndjson|javascript)(?:$|;))/
/** The text of a text file. */
export const textOf = ({ type, base64 }: FileContent): string | undefined =>
  texts.test(type) ? Buffer.from(base64, 'base64').toString('utf8') : undefined
