/** Answers whose body is compressed although `identity` was requested. */
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { HttpAnswer } from '#runtime/contract/http-client'
import { wholeBody } from '#runtime/contract/whole-body'

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress, zstd: createZstdDecompress } as const

/** The answer with its body decoded, or unchanged if its encoding is not supported. The headers stay as received. */
export function decoded(answer: HttpAnswer): HttpAnswer {
  const encoding = answer.headers.get('content-encoding')?.trim().toLowerCase()
  const createDecoder = Object.hasOwn(decoders, encoding ?? '') ? decoders[encoding as keyof typeof decoders] : undefined
  return createDecoder === undefined ? answer : decodedWith(answer, createDecoder)
}

type CreateDecoder = (typeof decoders)[keyof typeof decoders]

async function* encodedPieces(answer: HttpAnswer, first: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = await answer.read()) yield piece
}

async function* decodedPieces(answer: HttpAnswer, createDecoder: CreateDecoder): AsyncGenerator<Uint8Array> {
  const first = await answer.read()
  // An empty body is empty in every encoding.
  if (first === undefined) return
  const decoder = createDecoder()
  // An error of either end reaches the reader through the decoder.
  pipeline(Readable.from(encodedPieces(answer, first), { objectMode: false }), decoder, (fault) => {
    if (fault) answer.cancel()
  })
  yield* decoder
}

function decodedWith(answer: HttpAnswer, createDecoder: CreateDecoder): HttpAnswer {
  const pieces = decodedPieces(answer, createDecoder)
  // A generator reports an error once, and then its end.
  let fault: unknown
  const read = async () => {
    if (fault !== undefined) throw fault
    const { done, value } = await pieces.next().catch((thrown: unknown) => {
      fault = thrown
      throw thrown
    })
    return done ? undefined : value
  }
  return {
    status: answer.status,
    headers: answer.headers,
    read,
    readAll: () => wholeBody(read),
    cancel: () => answer.cancel(),
  }
}
