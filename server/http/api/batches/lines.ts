/** The lines of a file with the requests of a batch. */
import { mostRequestBytes } from '#batches/batches'
import { decodeUtf8, join } from '#http/request/read-body'
import { GatewayError } from '#shared/errors'
import { demandLight } from './making.ts'

/** Most bytes of a line: a request and its wrapper. */
const mostLine = mostRequestBytes + 4096

/** Adds the line number, from 1 on, to an error. */
export type AboutLine = (number: number, error: GatewayError) => GatewayError

/** The lines that are not empty, from number 1 on. Throws GatewayError for one that is too long, too complex or not UTF-8. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>, about: AboutLine): AsyncGenerator<{ text: string; number: number }> {
  let number = 0
  let rest: Uint8Array[] = []
  let bytes = 0
  function read(): string {
    number += 1
    const line = join(rest)
    rest = []
    bytes = 0
    try {
      demandLight(line)
      return decodeUtf8(line).trim()
    } catch (thrown) {
      throw thrown instanceof GatewayError ? about(number, thrown) : thrown
    }
  }
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, from)) {
      rest.push(piece.subarray(from, at))
      from = at + 1
      const text = read()
      if (text !== '') yield { text, number }
    }
    rest.push(piece.subarray(from))
    bytes += piece.length - from
    if (bytes > mostLine)
      throw about(number + 1, new GatewayError('request_too_large', `A request may have at most ${mostRequestBytes} bytes.`))
  }
  const text = read()
  if (text !== '') yield { text, number }
}
