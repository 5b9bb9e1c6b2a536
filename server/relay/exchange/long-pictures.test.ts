import { expect, test } from 'bun:test'
import { turnsDuring } from '#testing/event-loop-turns'
import { longPictures } from './long-pictures.ts'

const random = { base62: (length: number) => 'Q'.repeat(length) }
const filled = (head: string, mebibytes: number) => head + 'Ab+/'.repeat((mebibytes * 1024 * 1024) / 4)
const png = filled('iVBORw0KGgo', 2)
const jpeg = filled('/9j/', 1)
const webp = filled('UklGRiQAAABXRUJQ', 1)

const encoded = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
/** Cut into pieces without regard to content. */
const cut = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, at * size + size))
const bytesOf = (parts: readonly Uint8Array[] | undefined) => Buffer.concat(parts ?? []).toString()

test('a text has marks for long pictures only, and its bytes are those that came', async () => {
  const answer = {
    text: 'Grüße "from" \\ here — 写真',
    data: [{ b64_json: png, revised_prompt: 'x"y' }, { url: `data:image/webp;base64,${webp}` }, { b64_json: jpeg }],
    small: 'iVBORw0KGgoAAAA',
    sound: filled('SUQz', 1),
    spaced: `iVBORw0KGgo ${'A'.repeat(100_000)}`,
    numbers: Array.from({ length: 50_000 }, () => 1),
    end: { b64_json: jpeg },
  }
  const came = encoded(answer)
  for (const size of [1000, 65_536, came.length]) {
    const pictures = longPictures(random)
    const text = await pictures.taken(cut(came, size))
    const read = JSON.parse(text)
    expect(read.data[0].b64_json).toBe(`${png.slice(0, 1024)}${'Q'.repeat(24)}0000`)
    expect(read.data[1].url.length).toBeLessThan(2000)
    expect(read.end.b64_json.slice(-4)).toBe('0003')
    expect(read).toMatchObject({ text: answer.text, small: answer.small, sound: answer.sound, spaced: answer.spaced })
    expect(bytesOf(pictures.placed(text)) === bytesOf([came])).toBe(true)
  }
})

test('a text that was written anew has them where their marks are, as often as these stand in it', async () => {
  const pictures = longPictures(random)
  const [one, two] = JSON.parse(await pictures.taken([encoded([png, jpeg])]))
  const written = { second: two, first: `data:image/png;base64,${one}`, again: one }
  const expected = { second: jpeg, first: `data:image/png;base64,${png}`, again: png }
  expect(bytesOf(pictures.placed(JSON.stringify(written))) === JSON.stringify(expected)).toBe(true)
  expect(bytesOf([await pictures.restored(encoded(written))]) === JSON.stringify(expected)).toBe(true)
})

test('several answers of one request share them', async () => {
  const pictures = longPictures(random)
  const first = JSON.parse(await pictures.taken([encoded([png])]))
  const second = JSON.parse(await pictures.taken([encoded([jpeg])]))
  expect(bytesOf(pictures.placed(JSON.stringify([second, first]))) === JSON.stringify([[jpeg], [png]])).toBe(true)
})

test('a text without pictures is what it was', async () => {
  for (const text of ['', '{}', `["${'x'.repeat(3_000_000)}"]`, '\ufeff{"a":"é"}', `"${png}`]) {
    const pictures = longPictures(random)
    expect((await pictures.taken(cut(encoded(text), 70_001))) === text.replace('\ufeff', '')).toBe(true)
    expect(pictures.placed(text)).toBeUndefined()
    expect(await pictures.restored(encoded('[]'))).toEqual(encoded('[]'))
  }
})

test('others have their turn in the meantime', async () => {
  const came = encoded([filled('iVBORw0KGgo', 20)])
  // The answer is joined, searched and parsed; a network delivers small pieces.
  for (const size of [came.length, 64 * 1024]) {
    const pieces = cut(came, size)
    expect(await turnsDuring(() => longPictures(random).taken(pieces))).toBeGreaterThan(2 * 40 - 5)
  }
})
