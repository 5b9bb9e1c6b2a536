import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { writeMultipart } from './multipart.ts'
import { boundaryOf, type PartHead } from './multipart-head.ts'
import { createMultipartReader } from './multipart-reader.ts'

type Part = PartHead & { body: string }

/** The parts of a form that is pushed in pieces of `size` bytes. */
function read(form: string | Uint8Array, boundary = 'X', size = form.length, most = 100): Part[] {
  const bytes = typeof form === 'string' ? Buffer.from(form, 'latin1') : form
  const reader = createMultipartReader(boundary, most)
  const parts: Part[] = []
  let open = false
  for (let at = 0; at < bytes.length; at += size) {
    for (const event of reader.push(Uint8Array.from(bytes.subarray(at, at + size)))) {
      const last = parts.at(-1)
      if (event.kind === 'part') {
        expect(open).toBe(false)
        parts.push({ ...event.head, body: '' })
      } else if (last && event.kind === 'bytes') last.body += Buffer.from(event.bytes).toString('latin1')
      open = event.kind !== 'end'
    }
  }
  reader.end()
  expect(open).toBe(false)
  return parts
}

const field = (name: string, value: string, more = '') => `--X\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof GatewayError) return `${error.status} ${error.message}`
    throw error
  }
  return 'nothing was thrown'
}

describe('forms of real clients', () => {
  const curl =
    '--------------------------d74496d66958873e\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n' +
    '--------------------------d74496d66958873e\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".mp3"\r\n' +
    'Content-Type: audio/mpeg\r\n\r\nID3\r\n\r\n--not a boundary\r\n--------------------------d74496d66958873e--\r\n'
  const python =
    '--0f2c\r\nContent-Disposition: form-data; name="file"; filename*=utf-8\'\'na%C3%AFve%20%E2%82%AC.wav\r\n\r\nRIFF\r\n' +
    '--0f2c\r\ncontent-disposition: form-data; name=model\r\n\r\nwhisper-1\r\n--0f2c--'
  const browser =
    '------WebKitFormBoundaryAbC\r\nContent-Disposition: form-data; name="file"; filename="C:\\dir\\a%22.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n\r\n' +
    '------WebKitFormBoundaryAbC\r\nContent-Disposition: form-data; name="none"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n' +
    '------WebKitFormBoundaryAbC--\r\nepilogue that means nothing'
  const forms: Record<string, [form: string, boundary: string, parts: Part[]]> = {
    curl: [
      curl,
      '------------------------d74496d66958873e',
      [
        { name: 'model', body: 'whisper-1' },
        { name: 'file', filename: 'a "b".mp3', type: 'audio/mpeg', body: 'ID3\r\n\r\n--not a boundary' },
      ],
    ],
    'Python: an encoded name, the model behind the file, no line end after the form': [
      python,
      '0f2c',
      [
        { name: 'file', filename: 'naïve €.wav', type: 'application/octet-stream', body: 'RIFF' },
        { name: 'model', body: 'whisper-1' },
      ],
    ],
    'a browser: empty files, a path, an epilogue': [
      browser,
      '----WebKitFormBoundaryAbC',
      [
        { name: 'file', filename: 'C:\\dir\\a%22.mp3', type: 'audio/mpeg', body: '' },
        { name: 'none', filename: '', type: 'application/octet-stream', body: '' },
      ],
    ],
    'a preamble, padding, folded headers, an empty part without a line end of its own': [
      `preamble\r\n--X  \t\r\nContent-Disposition:\r\n form-data;\r\n\tname="a"\r\n\r\n--X\r\nContent-Disposition: form-data; name="b"\r\n\r\n\r\n--X--`,
      'X',
      [
        { name: 'a', body: '' },
        { name: 'b', body: '' },
      ],
    ],
    'what only looks like a boundary is data': [
      `${field('a', 'one\r\n--Xtra\r\n--X-\r\n--X \r two\r\n--')}--X--`,
      'X',
      [{ name: 'a', body: 'one\r\n--Xtra\r\n--X-\r\n--X \r two\r\n--' }],
    ],
    'no part at all': ['--X--\r\n', 'X', []],
  }

  test.each(Object.entries(forms))('%s', (_, [form, boundary, parts]) => {
    for (let size = 1; size <= 90; size += size < 20 ? 1 : 7) expect(read(form, boundary, size)).toEqual(parts)
    expect(read(form, boundary)).toEqual(parts)
  })

  test('what our own writer and the platform write comes back', async () => {
    const bytes = new Uint8Array(3000).map((_, i) => (i * 7) % 256)
    const file = { name: 'file', filename: 'a.bin', type: 'audio/mpeg', size: bytes.length, open: () => new Blob([bytes]).stream() }
    const ours = writeMultipart([{ name: 'model', value: 'm' }, file], 'b-1')
    const data = new FormData()
    data.set('model', 'm')
    data.set('file', new File([bytes], 'a.bin', { type: 'audio/mpeg' }))
    const theirs = new Response(data)
    for (const [type, form] of [
      [ours.type, new Uint8Array(await new Response(ours.open()).arrayBuffer())],
      [theirs.headers.get('content-type') ?? '', new Uint8Array(await theirs.arrayBuffer())],
    ] as const) {
      const parts = read(form, boundaryOf(type), 100)
      expect(parts.map(({ body, ...head }) => head)).toEqual([{ name: 'model' }, { name: 'file', filename: 'a.bin', type: 'audio/mpeg' }])
      expect(Buffer.from(parts[1]?.body ?? '', 'latin1').equals(Buffer.from(bytes))).toBe(true)
    }
  })
})

describe('boundaries of content types', () => {
  const types: [type: string, boundary: string][] = [
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; Boundary="a b:c"; charset=utf-8', 'a b:c'],
    ['multipart/form-data;charset=utf-8;boundary=--x', '--x'],
  ]
  test.each(types)('%s', (type, boundary) => expect(boundaryOf(type)).toBe(boundary))
  test.each(['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(201)}`])(
    'none in %p',
    (type) => expect(refusal(() => boundaryOf(type))).toBe('400 The form cannot be read: its content type names no boundary.'),
  )
})

describe('what is refused, with 400', () => {
  const one = field('a', '1')
  const cases: Record<string, [form: string, says: string]> = {
    'no final boundary': [`${one}`, 'it broke off before its final boundary'],
    'cut in the last boundary': [`${one}--X-`, 'it broke off before its final boundary'],
    'cut in a head': ['--X\r\nContent-Disp', 'it broke off before its final boundary'],
    'another boundary than named': [one.replaceAll('--X', '--Y'), 'it has no part with the boundary of its content type'],
    nothing: [' ', 'it has no part with the boundary of its content type'],
    'no disposition': ['--X\r\nContent-Type: text/plain\r\n\r\na\r\n--X--', 'a part has no Content-Disposition: form-data'],
    'no headers': ['--X\r\n\r\na\r\n--X--', 'a part has no Content-Disposition: form-data'],
    'no name': ['--X\r\nContent-Disposition: form-data; filename="a"\r\n\r\na\r\n--X--', 'a part has no name'],
    'a header without a colon': ['--X\r\nContent-Disposition\r\n\r\na\r\n--X--', 'a part has a malformed header'],
    'a NUL in a file name': [`${field('a', '1', '; filename="a\0b"')}--X--`, 'a part has a malformed header'],
    base64: [
      '--X\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--X--',
      'a part has a Content-Transfer-Encoding; send its bytes as they are',
    ],
    'a head of 64 KB': [`${field('a', '1', `; filename="${'n'.repeat(65_536)}"`)}--X--`, 'the headers of a part are too long'],
    'a head that never ends': [`--X\r\n${'n'.repeat(20_000)}`, 'the headers of a part are too long'],
    'too many parts': [`${one.repeat(101)}--X--`, 'it has more than 100 parts'],
  }
  test.each(Object.entries(cases))('%s', (_, [form, says]) => {
    for (const size of [1, 13, form.length]) expect(refusal(() => read(form, 'X', size))).toBe(`400 The form cannot be read: ${says}.`)
  })

  test('names that are not UTF-8', () => {
    expect(refusal(() => read(field('a', '1', '; filename="\xff"')))).toBe('400 A text field of the form is not valid UTF-8.')
  })
})

test('a large file is handed on as it comes, and nothing of it is kept', () => {
  const reader = createMultipartReader('X', 10)
  reader.push(Buffer.from('--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'))
  const chunk = new Uint8Array(65_536).fill(13)
  let given = 0
  for (let i = 0; i < 100; i++) for (const event of reader.push(chunk)) given += event.kind === 'bytes' ? event.bytes.length : 0
  expect(given).toBeGreaterThan(100 * chunk.length - 16)
})
