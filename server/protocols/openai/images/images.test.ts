import { describe, expect, test } from 'bun:test'
import type { CodecContext } from '#canonical/codec'
import type { Form } from '#canonical/operation/operation'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { imagesCodec } from './codec.ts'
import { imagesMeter } from './stream-meter.ts'

const { readHead, readWhole, readQuestion, editRequest } = imagesCodec
const text = new TextDecoder()

const json = (fields: object) => JSON.stringify({ model: 'painter', prompt: 'a red fox', ...fields })
const file = (name: string, size = 4) => ({
  name,
  filename: 'fox.png',
  type: 'image/png',
  size,
  open: () => new Blob(['\x89PNG']).stream(),
})
const form = (fields: Record<string, string>, ...files: Form['parts'][number][]): Form => ({
  parts: [...Object.entries({ model: 'painter', prompt: 'a red fox', ...fields }).map(([name, value]) => ({ name, value })), ...files],
  size: 1000,
})
const fault = (work: () => unknown) => {
  try {
    work()
    return 'nothing was wrong'
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return [thrown.status, thrown.code, thrown.param]
  }
}

describe('what is read of a request', () => {
  test('JSON and a form say the same', () => {
    const settings = { n: 2, size: '1536x1024', quality: 'high', stream: true, partial_images: 2 }
    const asTexts = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]))
    const images = [{ image_url: 'https://example.com/fox.png' }]
    const one = readHead(json({ ...settings, images }), undefined, 'edit')
    const other = readHead(form(asTexts, file('image')), undefined, 'edit')
    expect(one).toEqual(other)
    expect(one).toMatchObject({ model: 'painter', n: 2, stream: true, partials: 2, edits: true, media: ['image'] })
  })

  test('the hold covers what OpenAI publishes, and Google', () => {
    const most = (fields: object) => readHead(json(fields)).most
    const published: [object, number][] = [
      [{ quality: 'low', size: '1024x1536' }, 408],
      [{ quality: 'low', size: '1024x1024' }, 1290],
      [{ quality: 'medium', size: '1024x1536' }, 1584],
      [{ quality: 'high', size: '1024x1024' }, 7024],
      [{ quality: 'high', size: '1024x1536' }, 6240],
      [{ quality: 'high', size: '3584x2048' }, 12_329],
      [{ size: 'auto' }, 6240],
      [{}, 6240],
      [{ n: 3, size: '1024x1024', stream: true, partial_images: 3 }, 3 * (7024 + 300)],
    ]
    for (const [fields, tokens] of published) {
      const { out, units } = most(fields)
      expect({ fields, enough: out.total >= tokens && out.image === out.total }).toEqual({ fields, enough: true })
      expect(out.total).toBeLessThan(tokens * 7)
      expect(units.images).toBe('n' in fields ? 3 : 1)
    }
    expect(most({ images: [{ image_url: 'https://a.b/c.png' }], mask: { image_url: 'https://a.b/m.png' } }).in.image).toBe(14_000)
    expect(most({ images: [{ image_url: 'https://a.b/c.png' }], input_fidelity: 'low' }).in.image).toBe(600)
  })

  test('bytes of pictures are no tokens', () => {
    const data = `data:image/png;base64,${'A'.repeat(1_000_000)}`
    expect(readHead(json({ images: [{ image_url: data }] }), undefined, 'edit').inputBytes).toBeLessThan(30_000)
  })

  test('files that an account keeps are named', () => {
    const head = readHead(json({ images: [{ file_id: 'file-1' }], mask: { file_id: 'file-2' } }), undefined, 'edit')
    expect(head.stateRefs).toEqual([
      { kind: 'file', id: 'file-1' },
      { kind: 'file', id: 'file-2' },
    ])
  })

  const wrongJson: [object, string][] = [
    [{ model: undefined }, 'model'],
    [{ model: 7 }, 'model'],
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: ' ' }, 'prompt'],
    [{ prompt: ['a'] }, 'prompt'],
    [{ n: 0 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ n: '2' }, 'n'],
    [{ n: 129 }, 'n'],
    [{ size: 1024 }, 'size'],
    [{ quality: {} }, 'quality'],
    [{ response_format: 'jpeg' }, 'response_format'],
    [{ background: 5 }, 'background'],
    [{ output_format: ['png'] }, 'output_format'],
    [{ output_compression: 101 }, 'output_compression'],
    [{ stream: 'yes' }, 'stream'],
    [{ partial_images: 4 }, 'partial_images'],
    [{ images: 'fox.png' }, 'images'],
    [{ images: [] }, 'images'],
    [{ images: ['fox.png'] }, 'images[0]'],
    [{ images: [{ image_url: 'https://a.b/c' }, {}] }, 'images[1]'],
    [{ images: [{ image_url: 'https://a.b/c', file_id: 'file-1' }] }, 'images[0]'],
    [{ images: [{ image_url: { url: 'https://a.b/c' } }] }, 'images[0].image_url'],
    [{ images: [{ image_url: 'data:text/plain;base64,AAAA' }] }, 'images[0].image_url'],
    [{ images: [{ file_id: 7 }] }, 'images[0].file_id'],
    [{ images: Array(17).fill({ image_url: 'https://a.b/c' }) }, 'images'],
    [{ mask: 'fox.png' }, 'mask'],
  ]
  test.each(wrongJson)('%j', (fields, param) => {
    expect(fault(() => readHead(json(fields)))).toEqual([400, expect.stringMatching(/invalid_value|missing_field/), param])
  })

  const wrongForms: [string, () => Form, string][] = [
    ['no picture', () => form({}), 'image'],
    ['a text for a picture', () => form({ image: 'https://a.b/c.png' }), 'image'],
    ['an empty picture', () => form({}, file('image[]', 0)), 'image[]'],
    ['too many', () => form({}, ...Array(17).fill(file('image[]'))), 'image'],
    ['two masks', () => form({}, file('image'), file('mask'), file('mask')), 'mask'],
    ['a text for a mask', () => form({ mask: 'x' }, file('image')), 'mask'],
    ['n', () => form({ n: 'two' }, file('image')), 'n'],
    ['stream', () => form({ stream: 'perhaps' }, file('image')), 'stream'],
    ['no prompt', () => form({ prompt: '' }, file('image')), 'prompt'],
    ['two prompts', () => form({}, { name: 'prompt', value: 'another' }, file('image')), 'prompt'],
  ]
  test.each(wrongForms)('a form: %s', (_, body, param) => {
    expect(fault(() => readHead(body(), undefined, 'edit'))).toEqual([400, expect.stringMatching(/invalid_value|missing_field/), param])
  })

  test('an edit without pictures', () => {
    expect(fault(() => readHead(json({}), undefined, 'edit'))).toEqual([400, 'missing_field', 'images'])
  })
})

test('the model’s name is the only edit, in JSON and in a form', () => {
  const raw = '{ "model" : "painter", "prompt":"a","odd": 1.0 }'
  expect(editRequest(raw, { model: 'up' })).toBe('{ "model" : "up", "prompt":"a","odd": 1.0 }')
  const edited = editRequest(form({ odd: '1' }, file('image[]')), { model: 'up' })
  expect(
    typeof edited === 'string' ? [] : edited.parts.map((part) => ('value' in part ? `${part.name}=${part.value}` : part.name)),
  ).toEqual(['model=up', 'prompt=a red fox', 'odd=1', 'image[]'])
})

describe('a whole answer', () => {
  const reported = {
    input_tokens: 120,
    input_tokens_details: { text_tokens: 20, image_tokens: 100 },
    output_tokens: 8320,
    total_tokens: 8440,
  }
  const two = { created: 1, data: [{ b64_json: 'QQ==' }, { b64_json: 'Qg==' }] }

  test('passes byte for byte, with its own figures', () => {
    const body = `{"created":1, "data":[{"b64_json":"QQ=="}], "usage":${JSON.stringify(reported)}}`
    const whole = readWhole(body, {}, readHead(json({})))
    expect(whole.body).toBe(body)
    expect(whole.usage).toMatchObject({
      in: { fresh: 20, image: 100 },
      out: { total: 8320, image: 8320 },
      units: { images: 1 },
      provenance: 'provider',
    })
  })

  test('text of the output, a drawing, and what came from a cache', () => {
    const usage = {
      ...reported,
      input_tokens_details: { text_tokens: 20, image_tokens: 60, cached_tokens: 40 },
      output_tokens_details: { text_tokens: 20, image_tokens: 8300 },
    }
    const body = JSON.stringify({ ...two, usage, svg_usage: { input_tokens: 5, output_tokens: 7, reasoning_tokens: 3 } })
    expect(readWhole(body, {}, readHead(json({}))).usage).toMatchObject({
      in: { fresh: 25, image: 60, cacheRead: 40 },
      out: { total: 8327, image: 8300, reasoning: 3 },
      units: { images: 2 },
    })
  })

  test('without figures: pictures are counted, tokens are estimated where they are charged', () => {
    const head = readHead(json({ n: 2, quality: 'high', size: '1024x1024' }))
    const body = JSON.stringify(two)
    expect(readWhole(body, {}, head).usage).toMatchObject({ units: { images: 2 }, out: { total: 8320 }, provenance: 'estimated' })
    const byPicture = { ...head, priced: { tokens: false, seconds: false, characters: false } }
    expect(readWhole(body, {}, byPicture).usage).toMatchObject({ units: { images: 2 }, out: { total: 0 }, provenance: 'provider' })
  })

  test('the upstream’s name of the model does not leak', () => {
    const body = JSON.stringify({ model: 'secret-1', ...two })
    expect(JSON.parse(readWhole(body, { model: 'painter' }, readHead(json({}))).body)).toEqual({ model: 'painter', ...two })
  })

  test.each(['', '<html>', '{}', '{"data":[]}', '{"data":[{}]}', '{"data":[{"b64_json":""}]}', '[1]', '{"data":"x"}'])(
    '%s is none',
    (body) => {
      expect(fault(() => readWhole(body, {}, readHead(json({}))))).toEqual([502, 'upstream_error', undefined])
    },
  )

  test('an error that came as a success', () => {
    const body = JSON.stringify({ error: { message: 'Blocked.', type: 'invalid_request_error', code: 'moderation_blocked' } })
    expect(fault(() => readWhole(body, {}, readHead(json({}))))).toEqual([400, 'upstream_rejected', undefined])
  })
})

describe('a stream', () => {
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const partial = event('image_generation.partial_image', { b64_json: 'QQ==', partial_image_index: 0 })
  const usage = { input_tokens: 10, input_tokens_details: { text_tokens: 10, image_tokens: 0 }, output_tokens: 300, total_tokens: 310 }
  const completed = event('image_generation.completed', { b64_json: 'Qg==', usage })
  const head = readHead(json({ stream: true, partial_images: 1, size: '1024x1024' }))

  function watched(stream: string, type = 'text/event-stream') {
    const meter = imagesMeter({}, head, type)
    const splitter = createSseSplitter()
    const bytes = Buffer.from(stream)
    const frames = [...splitter.push(bytes), ...splitter.end()]
    const verdicts = (type.includes('json') ? [{ raw: bytes, event: undefined, data: undefined }] : frames).map(meter.push)
    return { meter, verdicts, out: verdicts.map(({ out }) => text.decode(out)).join('') }
  }

  test('passes byte for byte, and knows its end', () => {
    const { meter, out, verdicts } = watched(`: hello\n\n${partial}${completed}`)
    expect(out).toBe(`: hello\n\n${partial}${completed}`)
    expect(verdicts.map(({ meaningful }) => meaningful)).toEqual([false, true, true])
    expect(meter.end()).toBe('complete')
    expect(meter.usage(0)).toMatchObject({ units: { images: 1 }, in: { fresh: 10 }, out: { total: 300 }, provenance: 'provider' })
  })

  test('several pictures add up, and a terminator ends them', () => {
    const { meter, verdicts } = watched(`${completed}${completed}data: [DONE]\n\n`)
    expect(verdicts.at(-1)?.last).toBe(true)
    expect(meter.usage(0)).toMatchObject({ units: { images: 2 }, in: { fresh: 20 }, out: { total: 600, image: 600 } })
  })

  test('a picture without reported usage is estimated', () => {
    const { meter } = watched(completed.replace(/,"usage".*\}\n/, '}\n'))
    expect(meter.usage(0)).toMatchObject({ units: { images: 1 }, out: { total: 1056 }, provenance: 'estimated' })
  })

  test('ended early: cut, whoever stays pays for what was shown, whoever leaves has the picture', () => {
    const { meter } = watched(partial)
    expect(meter.end()).toBe('cut')
    expect(meter.usage(0)).toMatchObject({ units: { images: 1 }, out: { total: 1156 }, provenance: 'estimated' })
    meter.failure?.(new GatewayError('upstream_error', 'x'))
    expect(meter.usage(0)).toMatchObject({ units: { images: 0 }, out: { total: 100 } })
    expect(watched('').meter.end()).toBe('cut')
    expect(watched('data: [DONE]\n\n').verdicts[0]?.error?.code).toBe('upstream_error')
  })

  test('an error inside', () => {
    for (const fields of [{ error: { message: 'Too much.', code: 429 } }, { type: 'error', message: 'Too much.', code: 429 }]) {
      expect(watched(`data: ${JSON.stringify(fields)}\n\n`).verdicts[0]?.error?.code).toBe('upstream_rate_limited')
    }
  })

  test('a whole answer of an upstream becomes events of finished pictures', () => {
    const body = JSON.stringify({ created: 7, data: [{ b64_json: 'QQ==' }, { b64_json: 'Qg==' }], size: '1x1', usage })
    const { meter, verdicts, out } = watched(body, 'application/json')
    expect(verdicts[0]?.last).toBe(true)
    const events = createSseSplitter().push(Buffer.from(out))
    expect(events.map(({ data }) => JSON.parse(data ?? ''))).toEqual([
      { type: 'image_generation.completed', b64_json: 'QQ==', created_at: 7, size: '1x1' },
      { type: 'image_generation.completed', b64_json: 'Qg==', created_at: 7, size: '1x1', usage },
    ])
    expect(meter.usage(0)).toMatchObject({ units: { images: 2 }, out: { total: 300 }, provenance: 'provider' })
  })
})

describe('for another style', () => {
  const codecContext: CodecContext = { now: () => 5000, id: (prefix) => prefix }
  // The first bytes of a PNG of 3 by 2.
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000030000000208020000', 'hex').toString('base64')
  const usage = noUsage()
  usage.in.fresh = 4
  usage.out.total = 1300
  usage.out.image = 1290
  const answer = { pictures: [{ data: png, mimeType: 'image/png', prompt: 'a fox' }], usage }

  test('every option has its place', () => {
    const question = readQuestion(
      json({ n: 2, size: '1536x1024', quality: 'hd', response_format: 'url', user: 'u', seed: 7, stream: true, partial_images: 1 }),
    )
    expect(question).toMatchObject({
      prompt: 'a red fox',
      n: 2,
      size: { width: 1536, height: 1024 },
      quality: 'hd',
      as: 'url',
      partials: 1,
    })
    expect([question.hints, question.others]).toEqual([['user'], ['seed']])
    expect(readQuestion(json({ size: 'auto', quality: 'auto', background: 'auto' }))).toEqual({
      prompt: 'a red fox',
      n: 1,
      edits: false,
      images: [],
      as: 'bytes',
      partials: 0,
      hints: [],
      others: [],
    })
    expect(fault(() => readQuestion(json({ size: '2K' })))).toEqual([400, 'invalid_value', 'size'])
  })

  test('a whole answer, as bytes or at an address that holds them', () => {
    const written = (fields: object) => JSON.parse(imagesCodec.writeAnswer(answer, readQuestion(json(fields)), codecContext).body)
    expect(written({})).toEqual({
      created: 5,
      data: [{ b64_json: png, revised_prompt: 'a fox' }],
      output_format: 'png',
      size: '3x2',
      usage: {
        input_tokens: 4,
        input_tokens_details: { text_tokens: 4, image_tokens: 0 },
        output_tokens: 1300,
        output_tokens_details: { text_tokens: 10, image_tokens: 1290 },
        total_tokens: 1304,
      },
    })
    expect(written({ response_format: 'url' }).data[0].url).toBe(`data:image/png;base64,${png}`)
  })

  test('a stream of one event', () => {
    const stream = imagesCodec.writeStream?.(answer, readQuestion(form({ stream: 'true' }, file('image')), undefined, 'edit'), codecContext)
    expect(text.decode(stream)).toMatch(/^event: image_edit\.completed\ndata: \{.*"b64_json":.*"usage":.*\}\n\n$/)
  })
})
