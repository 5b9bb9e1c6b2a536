import { describe, expect, test } from 'bun:test'
import type { ImageQuestion } from '#canonical/operation/image'
import { GatewayError } from '#shared/errors'
import { imagesCodec } from './codec.ts'

const asked = (fields: Partial<ImageQuestion> = {}): ImageQuestion => ({
  prompt: 'a red fox',
  n: 1,
  edits: false,
  images: [],
  as: 'bytes',
  partials: 0,
  hints: [],
  others: [],
  ...fields,
})
const target = (model: string, capabilities = {}) => ({ model, capabilities, stream: false })
const banana = target('gemini-2.5-flash-image')
const pro = target('gemini-3-pro-image', { imageSizes: true })
const imagen = target('imagen-4.0-generate-001', { imageSizes: true })
const write = (question: ImageQuestion, to = banana) => {
  const { requests, losses } = imagesCodec.writeQuestion(question, to)
  return {
    bodies: requests.map(({ body }) => body),
    variant: requests[0].variant,
    losses: losses.map(({ field, what }) => `${field}:${what}`),
  }
}
const fault = (work: () => unknown) => {
  try {
    work()
    return 'nothing was wrong'
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return [thrown.status, thrown.publicCode, thrown.param]
  }
}

describe('Gemini', () => {
  test('a prompt alone, without a loss', () => {
    expect(write(asked())).toEqual({
      bodies: [
        { contents: [{ role: 'user', parts: [{ text: 'a red fox' }] }], generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      ],
      variant: undefined,
      losses: [],
    })
  })

  test('pictures go before the prompt in the caller’s order, whether they came as bytes or were had', () => {
    const file = { name: 'image', filename: '', type: '', size: 1, open: () => new Blob(['x']).stream() }
    const question = asked({
      images: [
        { source: { url: 'https://a.b/1.png' }, path: 'images[0].image_url' },
        { source: { data: 'Mg==', mimeType: 'image/jpeg' }, path: 'images[1].image_url' },
        { source: { file }, path: 'image' },
      ],
    })
    expect(imagesCodec.filesWanted?.(question, banana)).toEqual([
      { source: { url: 'https://a.b/1.png' }, param: 'images[0].image_url' },
      { source: { file }, param: 'image' },
    ])
    const had = [
      { mimeType: 'image/png', data: 'MQ==' },
      { mimeType: 'image/webp', data: 'Mw==' },
    ]
    const { requests, losses } = imagesCodec.writeQuestion(question, banana, had)
    expect(requests[0].body).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'MQ==' } },
            { inlineData: { mimeType: 'image/jpeg', data: 'Mg==' } },
            { inlineData: { mimeType: 'image/webp', data: 'Mw==' } },
            { text: 'a red fox' },
          ],
        },
      ],
    })
    expect(losses).toMatchObject([{ field: 'images', what: 'adapted', meaning: false }])
  })

  const shapes: [width: number, height: number, config: object, bigger: object][] = [
    [1024, 1024, { aspectRatio: '1:1' }, { aspectRatio: '1:1', imageSize: '1K' }],
    [1536, 1024, { aspectRatio: '3:2' }, { aspectRatio: '3:2', imageSize: '1K' }],
    [1024, 1792, { aspectRatio: '9:16' }, { aspectRatio: '9:16', imageSize: '2K' }],
    [3840, 2160, { aspectRatio: '16:9' }, { aspectRatio: '16:9', imageSize: '4K' }],
  ]
  test.each(shapes)('%i by %i', (width, height, config, bigger) => {
    expect(write(asked({ size: { width, height } }))).toMatchObject({
      bodies: [{ generationConfig: { imageConfig: config } }],
      losses: ['size:adapted'],
    })
    expect(write(asked({ size: { width, height } }), pro).bodies).toMatchObject([{ generationConfig: { imageConfig: bigger } }])
  })

  test('what it cannot express is reported', () => {
    const question = asked({
      quality: 'low',
      background: 'transparent',
      format: 'webp',
      as: 'url',
      partials: 2,
      hints: ['user'],
      others: ['seed'],
    })
    expect(write(question).losses.sort()).toEqual([
      'background:dropped',
      'format:dropped',
      'partials:dropped',
      'quality:dropped',
      'response_format:adapted',
      'seed:dropped',
      'user:dropped',
    ])
  })

  test('one request for every picture, and not too many', () => {
    expect(write(asked({ n: 3 })).bodies).toHaveLength(3)
    expect(fault(() => write(asked({ n: 11 })))).toEqual([400, 'unsupported_value', 'n'])
  })

  test('what it cannot do is no candidate', () => {
    const mask = { source: { url: 'https://a.b/m.png' }, path: 'mask' }
    expect(fault(() => write(asked({ mask })))).toEqual([400, 'unsupported_value', 'mask'])
    expect(fault(() => write(asked({ size: { width: 4000, height: 500 } })))).toEqual([400, 'unsupported_value', 'size'])
  })

  const picture = { inlineData: { mimeType: 'image/png', data: 'QQ==' } }
  const reported = {
    promptTokenCount: 6,
    candidatesTokenCount: 1300,
    thoughtsTokenCount: 50,
    totalTokenCount: 1356,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
  }
  const body = (parts: object[], more: object = {}) =>
    JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }], usageMetadata: reported, ...more })

  test('the picture and the figures; sketches among the thoughts are none', () => {
    const text = body([{ thought: true, ...picture }, { text: 'Here it is.' }, { inlineData: { mimeType: 'image/jpeg', data: 'Qg==' } }])
    const { answer, usage } = imagesCodec.readAnswer([text, body([picture])], asked({ n: 2 }))
    expect(answer.pictures).toEqual([
      { data: 'Qg==', mimeType: 'image/jpeg' },
      { data: 'QQ==', mimeType: 'image/png' },
    ])
    expect(usage).toMatchObject({
      in: { fresh: 12 },
      out: { total: 2700, reasoning: 100, image: 2580 },
      units: { images: 2, requests: 1 },
      provenance: 'provider',
    })
  })

  test('figures without kinds are of a picture; without figures they are estimated', () => {
    const { candidatesTokensDetails: _, ...plain } = reported
    expect(imagesCodec.readAnswer([body([picture], { usageMetadata: plain })], asked()).usage.out).toMatchObject({
      total: 1350,
      image: 1300,
    })
    expect(imagesCodec.readAnswer([body([picture], { usageMetadata: undefined })], asked()).usage).toMatchObject({
      provenance: 'estimated',
      units: { images: 1 },
    })
  })

  test('no picture is no success', () => {
    const read = (text: string) => fault(() => imagesCodec.readAnswer([text], asked()))
    expect(read(body([{ text: 'I would rather not.' }]))).toEqual([400, 'invalid_request', undefined])
    expect(read(JSON.stringify({ candidates: [{ finishReason: 'IMAGE_SAFETY' }] }))).toEqual([400, 'moderation_blocked', 'prompt'])
    expect(read(JSON.stringify({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }))).toEqual([400, 'moderation_blocked', 'prompt'])
    for (const text of ['', '{}', '<html>', '[]']) expect(read(text)).toEqual([502, 'upstream_error', undefined])
    expect(read('{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}')).toEqual([502, 'upstream_error', undefined])
  })
})

describe('Imagen', () => {
  test('parameters, and several pictures of one request', () => {
    const { bodies, variant, losses } = write(
      asked({ n: 6, size: { width: 1024, height: 1792 }, quality: 'hd', format: 'jpeg', compression: 80 }),
      imagen,
    )
    const parameters = {
      aspectRatio: '9:16',
      sampleImageSize: '2K',
      outputOptions: { mimeType: 'image/jpeg', compressionQuality: 80 },
      includeRaiReason: true,
    }
    expect(variant).toBe('predict')
    expect(bodies).toEqual([
      { instances: [{ prompt: 'a red fox' }], parameters: { sampleCount: 4, ...parameters } },
      { instances: [{ prompt: 'a red fox' }], parameters: { sampleCount: 2, ...parameters } },
    ])
    expect(losses).toEqual(['size:adapted'])
  })

  test('changes no pictures', () => {
    const images = [{ source: { url: 'https://a.b/1.png' }, path: 'images[0].image_url' }]
    expect(imagesCodec.filesWanted?.(asked({ images }), imagen)).toEqual([])
    expect(fault(() => write(asked({ images }), imagen))).toEqual([400, 'unsupported_value', 'images[0].image_url'])
  })

  test('what was filtered out is neither given nor charged', () => {
    const text = JSON.stringify({
      predictions: [{ mimeType: 'image/png', bytesBase64Encoded: 'QQ==', prompt: 'a very red fox' }, { raiFilteredReason: '29310472' }],
    })
    const head = { priced: { tokens: false, seconds: false, characters: false } } as Parameters<typeof imagesCodec.readAnswer>[2]
    const { answer, usage } = imagesCodec.readAnswer([text], asked({ n: 2 }), head)
    expect(answer.pictures).toEqual([{ data: 'QQ==', mimeType: 'image/png', prompt: 'a very red fox' }])
    expect(usage).toMatchObject({ units: { images: 1 }, out: { total: 0 }, provenance: 'provider' })
    expect(imagesCodec.readAnswer([text], asked()).usage).toMatchObject({ provenance: 'estimated' })
    const nothing = JSON.stringify({ predictions: [{ raiFilteredReason: '29310472' }] })
    expect(fault(() => imagesCodec.readAnswer([nothing], asked()))).toEqual([400, 'moderation_blocked', 'prompt'])
  })
})
