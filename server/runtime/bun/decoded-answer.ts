/** Answers whose body is compressed, although it was asked for as it is. */
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { HttpAnswer } from '#runtime/contract/http-client'
import { wholeBody } from '#runtime/contract/whole-body'

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress, zstd: createZstdDecompress } as const

/** The answer with its body decoded, or as it is where its encoding is none of these. The headers stay as received. */
export function decoded(answer: HttpAnswer): HttpAnswer {
  const encoding = answer.headers.get('content-encoding')?.trim().toLowerCase()
  const createDecoder = Object.hasOwn(decoders, encoding ?? '') ? decoders[encoding as keyof typeof decoders] : undefined
  return createDecoder === undefined ? answer : decodedWith(answer, createDecoder())
}

async function* piecesOf(answer: HttpAnswer): AsyncGenerator<Uint8Array> {
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) yield piece
}

function decodedWith(answer: HttpAnswer, decoder: ReturnType<(typeof decoders)[keyof typeof decoders]>): HttpAnswer {
  // A fault of either end reaches the reader through the decoder.
  pipeline(Readable.from(piecesOf(answer), { objectMode: false }), decoder, (fault) => {
    if (fault) answer.cancel()
  })
  const pieces: AsyncIterator<Uint8Array> = decoder[Symbol.asyncIterator]()
  // An iterator reports a fault once, and then an end.
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
    cancel() {
      answer.cancel()
      decoder.destroy()
    },
  }
}
