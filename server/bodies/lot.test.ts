/** What crosses to the thread comes out as it went in, but for what may be a credential. */
import { expect, test } from 'bun:test'
import { packed, unpacked } from './lot.ts'

const facts = { requestId: 'r1', at: 1_795_000_000_000, userId: 'u', memberId: 'team_1.u', keyId: null }

test('heads and bodies cross whole; headers and addresses without credentials', () => {
  const asked = {
    ...{
      border: 'client-request' as const,
      method: 'POST',
      address: '/v1/chat?key=sk-1&stream=true',
      atMs: 0,
      bytes: 3,
      pieces: [3, 1],
      chunks: ['ä', new Uint8Array([33])],
    },
    headers: new Headers({ Authorization: 'Bearer sk-1', 'content-type': 'application/json' }),
  }
  const sent = {
    ...{
      border: 'upstream-request' as const,
      call: 0,
      to: { channel: 'main channel', model: 'm', dialect: 'chat' },
      method: 'POST',
      atMs: 2,
      bytes: 9,
    },
    ...{ address: 'https://u:p@up.example/v1?key=sk-2', leftOut: true as const, broken: 'upstream_error', pieces: [], chunks: [] },
    headers: { 'x-api-key': 'sk-2', accept: '*/*' },
  }
  const heard = {
    ...{ border: 'upstream-answer' as const, call: 0, status: 101, atMs: 3, bytes: 3, leftBytes: 9, frames: true as const },
    ...{ pieces: [3, 4, 3, 5], chunks: ['{}', '\n'], headers: {} },
  }
  const empty = { border: 'client-answer' as const, status: 200, atMs: 5, bytes: 0, pieces: [], chunks: [], headers: {} }
  const { bytes, heads } = packed([
    { facts, parts: [asked, sent, heard] },
    { facts: { ...facts, requestId: 'r2', memberId: null, keyId: 'k' }, parts: [empty] },
  ])
  expect(Buffer.from(bytes).toString()).toBe('ä!{}\n')
  expect(unpacked(heads)).toEqual([
    {
      ...facts,
      parts: [
        {
          ...{ border: 'client-request', method: 'POST', address: '/v1/chat?key=***&stream=true', atMs: 0, bytes: 3, pieces: [3, 1] },
          headers: [
            ['authorization', '***'],
            ['content-type', 'application/json'],
          ],
        },
        {
          ...{ border: 'upstream-request', call: 0, to: { channel: 'main channel', model: 'm', dialect: 'chat' }, method: 'POST', atMs: 2 },
          ...{ bytes: 9, address: 'https://up.example/v1?key=***', leftOut: true, broken: 'upstream_error' },
          headers: [
            ['x-api-key', '***'],
            ['accept', '*/*'],
          ],
        },
        {
          border: 'upstream-answer',
          call: 0,
          status: 101,
          headers: [],
          atMs: 3,
          bytes: 3,
          leftBytes: 9,
          frames: true,
          pieces: [3, 4, 3, 5],
        },
      ],
    },
    {
      ...facts,
      requestId: 'r2',
      memberId: null,
      keyId: 'k',
      parts: [{ border: 'client-answer', status: 200, atMs: 5, bytes: 0, headers: [] }],
    },
  ])
  expect(unpacked(packed([]).heads)).toEqual([])
})
