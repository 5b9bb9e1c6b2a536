/** Writes `multipart/form-data` for an upstream. */

/** A text field, or a file that can be read again for every attempt. */
export type MultipartPart =
  | { name: string; value: string }
  | { name: string; filename: string; type: string; size: number; open(): ReadableStream<Uint8Array> }

/** A form as a request body. */
export interface MultipartBody {
  type: string
  length: number
  open(): ReadableStream<Uint8Array>
}

const encoder = new TextEncoder()

/** Quotes as browsers do. */
const quoted = (text: string) => `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`

function headOf(part: MultipartPart, boundary: string): Uint8Array {
  const file = 'open' in part ? `; filename=${quoted(part.filename)}\r\nContent-Type: ${part.type}` : ''
  return encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; name=${quoted(part.name)}${file}\r\n\r\n`)
}

function streamOf(bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await bytes.return(undefined)
    },
  })
}

/** Approximate maximum bytes of a piece: short texts are joined into one, a long one is split. */
const pieceBytes = 64 * 1024

/** A value that is encoded while it is sent. */
interface LongText {
  value: string
  size: number
}

/** Joins the parts to one body; files are read, and long texts encoded, only when the body is sent. */
export function writeMultipart(parts: readonly MultipartPart[], boundary: string): MultipartBody {
  const lineEnd = encoder.encode('\r\n')
  const pieces = parts.flatMap((part) => [headOf(part, boundary), 'open' in part ? part : textOf(part.value), lineEnd])
  pieces.push(encoder.encode(`--${boundary}--\r\n`))
  const sizeOf = (piece: (typeof pieces)[number]) => (piece instanceof Uint8Array ? piece.byteLength : piece.size)

  async function* bytes(): AsyncGenerator<Uint8Array> {
    let short: Uint8Array[] = []
    let length = 0
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) {
        short.push(piece)
        length += piece.length
        if (length < pieceBytes) continue
      }
      if (length > 0) yield Buffer.concat(short)
      short = []
      length = 0
      if (piece instanceof Uint8Array) continue
      yield* 'open' in piece ? piece.open() : encoded(piece)
    }
    if (length > 0) yield Buffer.concat(short)
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: pieces.reduce((sum, piece) => sum + sizeOf(piece), 0),
    open: () => streamOf(bytes()),
  }
}

const textOf = (value: string): Uint8Array | LongText =>
  value.length < pieceBytes ? encoder.encode(value) : { value, size: Buffer.byteLength(value) }

function* encoded({ value }: LongText): Generator<Uint8Array> {
  for (let at = 0; at < value.length; ) {
    const end = at + pieceBytes
    // Does not split a surrogate pair.
    const isHalf = (value.charCodeAt(end - 1) & 0xfc00) === 0xd800
    yield encoder.encode(value.slice(at, isHalf ? end + 1 : end))
    at = isHalf ? end + 1 : end
  }
}
