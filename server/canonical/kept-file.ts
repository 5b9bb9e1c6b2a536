/** Files that users upload for their requests, as every protocol lists them. */

/** A file without what is in it. */
export interface KeptFile {
  /** What its ids in all protocols have in common. */
  id: string
  name: string
  /** MIME type. */
  type: string
  bytes: number
  /** What it is for, in OpenAI's words. */
  purpose: string
  createdAt: Date
  expiresAt: Date
}

/** A file with what is in it. */
export interface FileContent extends Pick<KeptFile, 'name' | 'type'> {
  base64: string
}

/** Every id of a file begins with it, behind what its protocol puts in front: a text without it names no file. */
export const fileMark = 'parleyf'

/** The id in what a protocol calls a file (`file_...`, `files/...`, an address that ends so); undefined for a file of anybody else. */
export const keptFileIn = (named: unknown): string | undefined =>
  typeof named === 'string' ? /(?:^file[-_]|(?:^|\/)files\/)(parleyf[0-9a-f]{32})$/.exec(named)?.[1] : undefined

/** Where a request names a file, and what stands there instead once its bytes are in. */
export interface FilePlace {
  id: string
  with(file: FileContent): unknown
}

/** The place that this object of a request is; undefined when it names none of Parley's files. */
export type FilePlaceIn = (object: Record<string, unknown>) => FilePlace | undefined

/** A page of files. */
export interface FilePage {
  files: readonly KeptFile[]
  hasMore: boolean
}

/** How a protocol writes files. */
export interface FileWriter {
  /** What it calls the file of this id. `origin`: Parley's own address. */
  file(file: KeptFile, origin: string): unknown
  list(page: FilePage, origin: string): unknown
  deleted(id: string): unknown
}

/** As an address with the bytes in it. */
export const dataUrl = ({ type, base64 }: FileContent): string => `data:${type};base64,${base64}`

const texts = /^(?:text\/|application\/(?:json|xml|x-yaml|x-ndjson|javascript)(?:$|;))/
/** What a file says, where it is text. */
export const textOf = ({ type, base64 }: FileContent): string | undefined =>
  texts.test(type) ? Buffer.from(base64, 'base64').toString('utf8') : undefined
