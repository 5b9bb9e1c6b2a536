import { expect, test } from 'bun:test'
import { type RequestLine, requestHeads } from './request-head.ts'

/** One head; caching between heads has its own test. */
const requestHead = (of: RequestLine, headers: Iterable<readonly [string, string]>, persistent: boolean) =>
  requestHeads(of, persistent)(headers)

const line = { method: 'POST', target: '/v1/x?y=%20', host: 'host.example:8080' }

test('the given headers in their order and case, with what a message needs', () => {
  const headers = new Map([
    ['Content-Type', 'application/json'],
    ['X-Byte', '\xe9'],
    ['content-length', '17'],
  ])
  const { text, length } = requestHead(line, headers, true)
  expect(text).toBe(
    'POST /v1/x?y=%20 HTTP/1.1\r\nhost: host.example:8080\r\naccept: */*\r\nContent-Type: application/json\r\nX-Byte: \xe9\r\n' +
      'connection: keep-alive\r\ncontent-length: 17\r\n\r\n',
  )
  expect(length).toBe(17)
})

test('a POST without a body says so, a GET does not; a host and what is accepted may be given', () => {
  expect(requestHead(line, [], true).text).toContain('content-length: 0\r\n')
  const given = requestHead({ ...line, method: 'GET' }, new Headers({ host: 'other.example', accept: 'text/event-stream' }), false).text
  expect(given).toBe('GET /v1/x?y=%20 HTTP/1.1\r\nhost: other.example\r\naccept: text/event-stream\r\n\r\n')
})

test('headers that are the connection’s own are not taken over', () => {
  const names = ['Connection', 'keep-alive', 'Transfer-Encoding', 'TE', 'Trailer', 'Upgrade', 'Expect', 'Proxy-Connection']
  const { text } = requestHead(
    line,
    names.map((name) => [name, 'x'] as const),
    true,
  )
  expect(text.split('\r\n')).toEqual([
    ...['POST /v1/x?y=%20 HTTP/1.1', 'host: host.example:8080', 'accept: */*', 'connection: keep-alive', 'content-length: 0', '', ''],
  ])
})

test('nothing that would end a line, a header or the head can be written', () => {
  const fails = (work: () => unknown) => expect(work).toThrow(expect.objectContaining({ code: 'HTTP_MALFORMED' }))
  for (const bad of ['\r', '\n', '\0', '\r\nx: y', '\u010a', '\u{1F600}', '\x7f']) {
    fails(() => requestHead(line, [['x', `a${bad}b`]], true))
    fails(() => requestHead(line, [[`x${bad}`, 'a']], true))
    fails(() => requestHead(line, [['host', `a${bad}b`]], true))
    fails(() => requestHead(line, [['traceparent', `a${bad}b`]], true))
    fails(() => requestHead({ ...line, target: `/a${bad}` }, [], true))
  }
  for (const name of ['', 'x y', 'x:', 'é']) fails(() => requestHead(line, [[name, 'a']], true))
  fails(() => requestHead({ ...line, target: '/a b' }, [], true))
  for (const length of ['', '-1', '1, 1', 'x', '1e3']) fails(() => requestHead(line, [['Content-Length', length]], true))
  fails(() =>
    requestHead(
      line,
      [
        ['Content-Length', '1'],
        ['content-length', '1'],
      ],
      true,
    ),
  )
})

test('each request has the trace of its own', () => {
  const head = requestHeads(line, true)
  const textOf = (trace: string) =>
    head([
      ['a', '1'],
      ['traceparent', trace],
      ['content-length', '5'],
    ]).text
  const first = textOf('one')
  expect(first).toEndWith('a: 1\r\nconnection: keep-alive\r\ntraceparent: one\r\ncontent-length: 5\r\n\r\n')
  expect(textOf('two')).toBe(first.replace('one', 'two'))
  expect(head([['a', '1']]).text).not.toContain('traceparent')
})

test('what was written last is not taken for another request', () => {
  const head = requestHeads(line, true)
  const textOf = (...headers: [string, string][]) => head(headers).text
  const plain = textOf(['a', '1'], ['content-length', '5'])
  expect(textOf(['content-length', '5'], ['a', '1'])).toBe(plain)
  expect(textOf(['a', '1'], ['content-length', '6'])).toBe(plain.replace('length: 5', 'length: 6'))
  expect(textOf(['a', '2'], ['content-length', '5'])).toBe(plain.replace('a: 1', 'a: 2'))
  expect(textOf(['b', '1'], ['content-length', '5'])).toBe(plain.replace('a: 1', 'b: 1'))
  expect(textOf(['a', '1'], ['b', '1'], ['content-length', '5'])).toBe(plain.replace('a: 1', 'a: 1\r\nb: 1'))
  expect(textOf(['content-length', '5'])).toBe(plain.replace('a: 1\r\n', ''))
  expect(() => textOf(['a', '1\r\n'], ['content-length', '5'])).toThrow()
  expect(textOf(['a', '1'], ['content-length', '5'])).toBe(plain)
})
