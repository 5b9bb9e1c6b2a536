/** Answers byte by byte: the result must not depend on how the bytes are split, and invalid answers are refused however they are split. */
import { describe, expect, test } from 'bun:test'
import { runSeed } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { AnswerReader } from './answer-reader.ts'

interface Read {
  status: number | undefined
  headers: [string, string][]
  body: string
  isOver: boolean
  surplus: boolean
}

/** The result of reading these pieces. Each piece of the body is only looked at after the last byte arrived. */
function readPieces(pieces: readonly Uint8Array[]): Read {
  const reader = new AnswerReader()
  const bodies: Uint8Array[] = []
  let surplus = false
  for (const piece of pieces) {
    if (piece.length === 0) continue
    if (reader.isOver) surplus = true
    else bodies.push(reader.take(Buffer.from(piece)) ?? new Uint8Array())
    if (reader.fault !== undefined) throw reader.fault
    surplus ||= reader.hasSurplus
  }
  const body = Buffer.concat(bodies).toString('latin1')
  return { status: reader.head?.status, headers: [...(reader.head?.headers ?? [])], body, isOver: reader.isOver, surplus }
}

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

/** Whole, in two pieces at every offset, byte by byte, and in random pieces: always the same. */
function readEveryWay(text: string): Read {
  const bytes = bytesOf(text)
  const whole = readPieces([bytes])
  for (let at = 1; at < bytes.length; at++) expect(readPieces([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
  expect(readPieces(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  const random = seeded(runSeed)
  for (let round = 0; round < 20; round++) expect(readPieces(random.cut(bytes, 7))).toEqual(whole)
  return whole
}

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'read'
  } catch (thrown) {
    return String((thrown as { code?: string }).code)
  }
}

/** The code of the refusal, which must be the same byte by byte. */
function refusalOf(text: string): string {
  const bytes = bytesOf(text)
  const whole = codeOf(() => readPieces([bytes]))
  expect(codeOf(() => readPieces(Array.from(bytes, (byte) => Uint8Array.of(byte))))).toBe(whole)
  return whole
}

describe('read the same however it is cut', () => {
  const complete: [name: string, text: string, body: string][] = [
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello'],
    ['a length of nothing', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', ''],
    ['one chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['no chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', ''],
    [
      'many chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\na\r\n0A\r\n0123456789\r\n00000c\r\n\r\n0\r\n\r\nxyz..\r\n0\r\n\r\n',
      'a0123456789\r\n0\r\n\r\nxyz..',
    ],
    [
      'extensions, padding and trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b;c="d"\r\nabc\r\n2  \r\nde\r\n0;last\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n',
      'abcde',
    ],
    ['bytes of every value', `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\0\n\xff\r`, '\0\n\xff\r'],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx', 'x'],
    ['an empty reason', 'HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx', 'x'],
    ['HTTP/1.0 with a length', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', 'x'],
    [
      'informational answers first',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
      'hi',
    ],
  ]
  test.each(complete)('%s', (_, text, body) => {
    expect(readEveryWay(text)).toMatchObject({ status: 200, body, isOver: true, surplus: false })
    // What follows does not belong to this answer, wherever it is split.
    expect(readEveryWay(`${text}HTTP/1.1 500`)).toMatchObject({ status: 200, body, isOver: true, surplus: true })
    // Truncated at any byte it is incomplete.
    for (let at = 0; at < text.length; at++) expect(readPieces([bytesOf(text.slice(0, at))]).isOver).toBe(false)
  })

  test.each([204, 304])('%i has no body, whatever its headers say', (status) => {
    for (const says of ['', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n']) {
      expect(readEveryWay(`HTTP/1.1 ${status} x\r\n${says}\r\n`)).toMatchObject({ status, body: '', isOver: true, surplus: false })
    }
  })

  test('without a length the body ends where the connection ends, and nowhere else', () => {
    const read = readEveryWay('HTTP/1.1 200 OK\r\nX: y\r\n\r\nall of it\r\n\r\n')
    expect(read).toMatchObject({ body: 'all of it\r\n\r\n', isOver: false, surplus: false })
    const reader = new AnswerReader()
    reader.take(bytesOf('HTTP/1.1 200 OK\r\n\r\nabc'))
    reader.end()
    expect([reader.isOver, reader.head?.persistent]).toEqual([true, false])
  })

  test('headers: in lower case, trimmed, several joined, bytes above ASCII kept', () => {
    const text =
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-One:\t a b \t\r\nX-EMPTY:\r\nVary: a\r\nvary: b\r\nX-Byte: \xe9\r\nX-ratelimit: 1\r\n\r\n'
    const { headers } = readEveryWay(text)
    expect(headers).toEqual([
      ['content-length', '0'],
      ['x-one', 'a b'],
      ['x-empty', ''],
      ['vary', 'a'],
      ['vary', 'b'],
      ['x-byte', '\xe9'],
      ['x-ratelimit', '1'],
    ])
    const reader = new AnswerReader()
    reader.take(bytesOf(text))
    const found = reader.head?.headers
    expect(['vary', 'x-empty', 'x-none', 'content-length'].map((name) => found?.get(name))).toEqual(['a, b', '', null, '0'])
    expect([found?.has('x-empty'), found?.has('x-none')]).toEqual([true, false])
  })
})

describe('whether the connection may serve again', () => {
  const persistent = (head: string) => {
    const reader = new AnswerReader()
    reader.take(bytesOf(`${head}\r\n\r\n`))
    return [reader.head?.persistent, reader.head?.keptSeconds]
  }
  test('as the head says', () => {
    expect(persistent('HTTP/1.1 200 OK\r\nContent-Length: 0')).toEqual([true, undefined])
    expect(persistent('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5, max=100')).toEqual([
      true,
      5,
    ])
    expect(persistent('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: foo , Close')).toEqual([false, undefined])
    expect(persistent('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: foo\r\nConnection: close')).toEqual([false, undefined])
    expect(persistent('HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive')).toEqual([false, undefined])
    expect(persistent('HTTP/1.1 200 OK')).toEqual([false, undefined])
  })
})

describe('refused', () => {
  const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
  const chunks = (text: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text}`
  test.each([
    ['another protocol', '\x16\x03\x01 no HTTP\r\n\r\n'],
    ['another protocol without an end', 'SSH-2.0-x'],
    ['a line before the status line', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a lower-case version', 'http/1.1 200 OK\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['a status with a sign', 'HTTP/1.1 +20 OK\r\n\r\n'],
    ['a folded header', head('X: a', ' b')],
    ['a header folded with a tab', head('X: a', '\tb')],
    ['a first line that is folded', head(' X: a')],
    ['a header without a colon', head('X a')],
    ['a header without a name', head(': a')],
    ['a space before the colon', head('Content-Length : 1')],
    ['a name that is none', head('X(: a')],
    ['NUL in a value', head('X: a\0b')],
    ['a control character in a value', head('X: a\x07b')],
    ['a bare line feed', 'HTTP/1.1 200 OK\nX: y\r\n\r\n'],
    ['a bare line feed between headers', head('X: a\nContent-Length: 5')],
    ['a bare carriage return', head('X: a\rContent-Length: 5')],
    ['two lengths', head('Content-Length: 2', 'Content-Length: 3')],
    ['the same length twice', head('Content-Length: 2', 'Content-Length: 2')],
    ['a list of lengths', head('Content-Length: 2, 2')],
    ['a negative length', head('Content-Length: -1')],
    ['a length with a plus', head('Content-Length: +1')],
    ['a hexadecimal length', head('Content-Length: 0x10')],
    ['a length with a fraction', head('Content-Length: 1.0')],
    ['an empty length', head('Content-Length:')],
    ['a length beyond all bounds', head('Content-Length: 99999999999999999999')],
    ['a length and chunks', head('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['chunks and a length', head('Transfer-Encoding: chunked', 'Content-Length: 5')],
    ['a length and an unknown coding', head('Content-Length: 5', 'Transfer-Encoding: identity')],
    ['another transfer coding', head('Transfer-Encoding: gzip')],
    ['two transfer codings', head('Transfer-Encoding: gzip, chunked')],
    ['chunked twice', head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
    ['chunked, hidden', head('Transfer-Encoding: xchunked')],
    ['chunked in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a chunk without a size', chunks('\r\nabc')],
    ['a size that is no number', chunks('zz\r\nabc')],
    ['a size with a prefix', chunks('0x3\r\nabc\r\n')],
    ['a negative size', chunks('-3\r\nabc\r\n')],
    ['a size line ended by a line feed', chunks('3\nabc\r\n')],
    ['a size line with a bare carriage return', chunks('3\rabc\r\n')],
    ['a chunk longer than its size', chunks('3\r\nabcd\r\n')],
    ['a chunk ended by a line feed', chunks('3\r\nabc\n0\r\n\r\n')],
    ['a chunk ended by a carriage return', chunks('3\r\nabc\r0\r\n\r\n')],
    ['an extension with a line feed', chunks('3;a\nb\r\nabc\r\n')],
    ['an extension with NUL', chunks('3;a\0b\r\nabc\r\n')],
    ['a trailer with a line feed', chunks('0\r\nX: y\nZ: a\r\n\r\n')],
    ['a trailer with a bare carriage return', chunks('0\r\nX: y\rZ: a\r\n\r\n')],
    ['an end without its line', chunks('0\r\n\rX')],
  ])('%s', (_, text) => {
    expect(refusalOf(text)).toBe('HTTP_MALFORMED')
  })

  test('an upgrade that was not requested', () => {
    expect(refusalOf('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n')).toBe('HTTP_UNASKED_UPGRADE')
  })

  test('what is too large', () => {
    const filler = 'x'.repeat(70_000)
    expect(refusalOf(head(`X: ${filler}`))).toBe('HTTP_TOO_LARGE')
    // Before its end has arrived.
    expect(codeOf(() => readPieces([bytesOf(`HTTP/1.1 200 OK\r\nX: ${filler}`)]))).toBe('HTTP_TOO_LARGE')
    expect(refusalOf(head(...new Array(300).fill('X: y')))).toBe('HTTP_TOO_LARGE')
    expect(refusalOf('HTTP/1.1 103 x\r\n\r\n'.repeat(40))).toBe('HTTP_TOO_LARGE')
    expect(refusalOf(chunks('ffffffffffffff\r\n'))).toBe('HTTP_TOO_LARGE')
    expect(refusalOf(chunks(`3;${filler.slice(0, 5000)}\r\n`))).toBe('HTTP_TOO_LARGE')
    expect(refusalOf(chunks(`0\r\n${'X: y\r\n'.repeat(5000)}\r\n`))).toBe('HTTP_TOO_LARGE')
  })

  test('the end of the connection before that of the answer', () => {
    for (const text of ['', 'HTTP/1.1 2', head('Content-Length: 3'), chunks('3\r\nab'), chunks('0\r\n')]) {
      const reader = new AnswerReader()
      if (text !== '') reader.take(bytesOf(text))
      expect(codeOf(() => reader.end())).toBe('HTTP_INCOMPLETE')
    }
  })
})

test('what came before the fault is handed on with it', () => {
  const reader = new AnswerReader()
  const piece = reader.take(bytesOf('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\nzz\r\n'))
  expect([Buffer.from(piece ?? []).toString(), reader.isOver]).toEqual(['hello!', false])
  expect(reader.fault).toMatchObject({ code: 'HTTP_MALFORMED' })
})

test('a received piece with one part of the body shares its memory', () => {
  const reader = new AnswerReader()
  reader.take(bytesOf('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))
  const bytes = bytesOf('5\r\nhello\r\n')
  expect(reader.take(bytes)?.buffer).toBe(bytes.buffer)
  expect(Buffer.from(reader.take(bytesOf('3\r\none\r\n3\r\ntwo\r\n5\r\nthr')) ?? []).toString()).toBe('onetwothr')
})
