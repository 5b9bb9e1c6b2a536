import { expect, test } from 'bun:test'
import { sealer, sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { admitUpload, type BegunUpload, type UploadAddressServices, uploadAddress } from './upload-address.ts'

const callerOf = (key: string | null, user: string) =>
  ({ key: key === null ? null : { id: key }, user: { id: user } }) as BegunUpload['caller']

let now = 0
const valid = new Set(['k1'])
const secrets = new Set([sha256Hex('sk-first')])
const services: UploadAddressServices = {
  accounts: {
    admitKey(secret) {
      if (secret === 'sk-other') return callerOf('k2', 'u2')
      throw new GatewayError('invalid_api_key', 'no such key')
    },
    callerWithKey: (id, address, digest = '') =>
      valid.has(id) && secrets.has(digest) && address === '192.0.2.1' ? callerOf(id, 'u1') : undefined,
  },
  sealer: sealer('7'.repeat(64)),
  clock: { now: () => now },
  publicUrl: new URL('https://parley.example'),
}
const begun = { caller: callerOf('k1', 'u1'), place: 'files', upload: 'f1', lastsMs: 1000 }
const first = new Request('http://inside:3000/upload/v1beta/files', { headers: { 'x-goog-api-key': 'sk-first' } })
const begin = (as: Partial<BegunUpload> = {}) => uploadAddress(services, { request: first, url: new URL(first.url) }, { ...begun, ...as })

function admitted(address: string, headers: Record<string, string> = {}, place = 'files', clientAddress = '192.0.2.1') {
  const request = new Request(address, { method: 'POST', headers: { 'x-goog-upload-command': 'upload', ...headers } })
  try {
    const { caller, upload } = admitUpload(services, { request, url: new URL(address), clientAddress }, place)
    return [caller.user.id, upload]
  } catch (thrown) {
    return (thrown as GatewayError).code
  }
}

test('an address of an upload stands for its key as long as both are valid', () => {
  const address = begin()
  expect(address).toStartWith('https://parley.example/upload/v1beta/files?upload_id=')
  expect(admitted(address)).toEqual(['u1', 'f1'])
  expect(admitted(address, {}, 'files', '192.0.2.2')).toBe('invalid_api_key')
  now = 999
  expect(admitted(address)).toEqual(['u1', 'f1'])
  now = 1000
  expect(admitted(address)).toBe('invalid_api_key')
  now = 0
  valid.delete('k1')
  expect(admitted(address)).toBe('invalid_api_key')
  valid.add('k1')
  secrets.clear()
  expect(admitted(address)).toBe('invalid_api_key')
  secrets.add(sha256Hex('sk-first'))
})

test('an address of an upload is good at its place only, and not once it was changed', () => {
  const address = begin()
  expect(admitted(address, {}, 'another')).toBe('invalid_api_key')
  for (const at of [60, 80, 100]) {
    const changed = address.slice(0, at) + (address[at] === 'x' ? 'y' : 'x') + address.slice(at + 1)
    expect(admitted(changed)).toBe('invalid_api_key')
  }
  expect(admitted(address.slice(0, -4))).toBe('invalid_api_key')
  expect(admitted('https://parley.example/upload/v1beta/files')).toBe('invalid_api_key')
  expect(admitted(begin({ caller: callerOf(null, 'u1') }))).toBe('invalid_api_key')
})

test('a credential counts beside the address of an upload, and nothing begins without one', () => {
  const address = begin()
  expect(admitted(address, { 'x-goog-api-key': 'sk-other' })).toEqual(['u2', undefined])
  expect(admitted(address, { authorization: 'Bearer sk-wrong' })).toBe('invalid_api_key')
  expect(admitted(address, { 'x-goog-upload-command': 'start' })).toBe('invalid_api_key')
})
