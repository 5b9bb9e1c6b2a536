/** A multipart form as the demo needs it: its texts, and the metadata of its files without their content. */
import { boundaryOf, formText } from '#wire/multipart-head'
import { createMultipartReader } from '#wire/multipart-reader'

/** The fields and files of a form. */
export interface DemoForm {
  fields: ReadonlyMap<string, string>
  files: readonly DemoFile[]
}

/** Metadata of a file. */
export interface DemoFile {
  name: string
  filename: string
  type: string
  /** Bytes. */
  size: number
}

const mostParts = 1000

/** Reads a form, discarding the content of files. Throws GatewayError for a body that is not a form. */
export async function readForm(body: { type: string; open(): ReadableStream<Uint8Array> }): Promise<DemoForm> {
  const reader = createMultipartReader(boundaryOf(body.type), mostParts)
  const fields = new Map<string, string>()
  const files: DemoFile[] = []
  let text: Uint8Array[] = []
  let name = ''
  let file: DemoFile | undefined
  for await (const piece of body.open()) {
    for (const event of reader.push(piece)) {
      if (event.kind === 'part') {
        const { filename, type = '' } = event.head
        name = event.head.name
        text = []
        file = filename === undefined ? undefined : { name, filename, type, size: 0 }
        if (file) files.push(file)
      } else if (event.kind === 'end') {
        if (!file) fields.set(name, formText(Buffer.concat(text)))
      } else if (file) file.size += event.bytes.length
      else text.push(event.bytes.slice())
    }
  }
  reader.end()
  return { fields, files }
}
