import { describe, expect, test } from 'bun:test'
import type { StateRef } from '#canonical/codec'
import { addAddress, addKeptAddresses, googleAddresses, isKeptAddress, isKeptFile } from './file-address.ts'

const google = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
const spelled = [
  ...[google, 'files/abc', ' files/abc', 'files\\abc', 'FILES/abc', google.replace('generative', 'GENERATIVE')],
  ...[google.replace('.com', '.com:443'), google.replace('.com', '.com.'), google.replace('https', 'http'), google.replace('//', '//u@')],
  ...[google.replace('/files', '/./files'), google.replace('/files', '/x/%2e%2e/files'), google.replace('files', '%66iles')],
  ...[google.replace('files', '%2566iles'), google.replace('/files', '//files'), google.replace('/files', '/%2Ffiles')],
  ...[google.replace('v1beta', 'v1beta;x'), google.replaceAll('/', '\\').replace(':\\\\', '://'), ` ${google}`, `\n${google}`],
  ...[
    google.replace('https://', 'https:'),
    google.replace('https://', 'https:/'),
    google.replace('https', 'ht\ntps'),
    google.replace('lang', 'l\tang'),
  ],
  ...[
    google.replace('v1beta', 'upload/v1beta'),
    google.replace('v1beta', 'download/v1beta'),
    google.replace('generative', 'us-generative'),
  ],
  ...[google.replace('generative', 'ｇenerative'), google.replace('googleapis', 'googleapis%2e').replace('%2e.com', '%2ecom')],
  ...[
    'gs://b/x',
    'GS://b/x',
    ' gs://b/x',
    'gs:\t//b/x',
    'g\ns://b/x',
    'gs:b/x',
    's3://b/x',
    'ms://id',
    'file:///etc/passwd',
    'ftp://a.example/x',
  ],
  ...['\u00a0gs://b/x', '\u200b\ufeffs3://b/x', '\u2003files/abc', '\u0085gs:b/x', `\u00a0${google}`],
  'generatedFiles/abc',
  ...[google.replace('files', 'generatedFiles'), google.replace('files/abc', 'generatedFiles')],
  ...['https://', 'http://[', 'https://a.example\\@generativelanguage.googleapis.com/v1beta/files/abc'],
]
const open = [
  ...['\u00a0https://example.com/x.pdf', 'https://generativelanguage.googleapis.com/v1beta/models/x'],
  ...['https://example.com/x.pdf', 'https://www.youtube.com/watch?v=1', 'https://u:p@example.com/x?a=\\', 'data:text/plain;base64,aGk='],
  ...[
    'https://storage.googleapis.com/bucket/files/x',
    'https://storage.googleapis.com/bucket/x',
    'https://example.com/%zz',
    'https://example.com/files',
  ],
  ...['https://evilgoogleapis.com/v1beta/files/abc', 'https://googleapis.com.example/v1beta/files/abc'],
]

test.each(spelled)('%j is read with the channel’s credentials', (uri) => {
  expect([isKeptFile(uri), isKeptAddress(uri)]).toEqual([true, true])
})

test.each(open)('%j is not', (uri) => {
  expect([isKeptFile(uri), isKeptAddress(uri)]).toEqual([false, false])
})

test.each(['abc', 'auto', 'v1beta/files/abc', '/files/abc', 'projects/1/x', 'a: b'])(
  '%j is odd as an address, and elsewhere a text',
  (text) => {
    expect([isKeptFile(text), isKeptAddress(text)]).toEqual([false, true])
  },
)

describe('at another host', () => {
  const refs = (add: (found: StateRef[]) => void) => {
    const found: StateRef[] = []
    add(found)
    return found
  }

  test.each(['https://A.Example.:8443/v1/files/x', 'http://a.example/v1/./%66iles/x'])('%j names the host', (uri) => {
    const named: StateRef[] = [{ kind: 'file', id: uri, host: 'a.example' }]
    expect(refs((found) => addAddress(uri, found))).toEqual(named)
    expect(refs((found) => addKeptAddresses({ image_url: { url: uri } }, found))).toEqual(named)
  })

  test('an address without such a folder, or none at all, adds nothing', () => {
    for (const uri of ['', 'https://a.example/x']) expect(refs((found) => addAddress(uri, found))).toEqual([])
    expect(refs((found) => addKeptAddresses({ type: 'input_image', detail: 'auto', text: 'gs://b/x' }, found))).toEqual([])
  })
})

test('places of Google in a question for pictures or videos', () => {
  const value = { instances: [{ image: { gcsUri: 'gs://b/x' } }], parameters: { storage_uri: 'gs://b/y', note: 'gs://b/z' } }
  expect(googleAddresses(value).map(({ id }) => id)).toEqual(['gs://b/x', 'gs://b/y'])
})

test('bytes cost nothing to look at', () => {
  const begun = performance.now()
  for (const start of [' ', 'a', 'iVBORw0KGgo', 'files']) isKeptFile(start.repeat(2_000_000))
  expect(performance.now() - begun).toBeLessThan(2_000)
})
