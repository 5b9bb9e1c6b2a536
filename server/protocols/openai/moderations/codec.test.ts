import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { defaultModerationModel, moderationCodec } from './codec.ts'

const { readHead, editRequest, readWhole } = moderationCodec

function refusal(work: () => unknown): GatewayError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('the request', () => {
  test.each([
    ['no input', {}, 'missing_field', 'input'],
    ['a number', { input: 5 }, 'invalid_value', 'input'],
    ['an empty list', { input: [] }, 'invalid_value', 'input'],
    ['a number in a list', { input: ['a', 5] }, 'invalid_value', 'input.1'],
    ['a part without a type', { input: [{ text: 'a' }] }, 'invalid_value', 'input.0.type'],
    ['a text part without text', { input: [{ type: 'text' }] }, 'invalid_value', 'input.0.text'],
    ['a picture without an address', { input: [{ type: 'image_url', image_url: {} }] }, 'invalid_value', 'input.0.image_url.url'],
    ['a model that is no name', { input: 'a', model: 7 }, 'invalid_value', 'model'],
  ])('%s is refused by the name of its field', (_name, body, code, param) => {
    expect(refusal(() => readHead(JSON.stringify(body)))).toMatchObject({ code, param })
  })

  test('without a model it is the default`s, for routing and for the upstream alike', () => {
    for (const body of ['{"input":"a"}', '{"input":"a","model":null}']) {
      expect(readHead(body).model).toBe(defaultModerationModel)
      expect(JSON.parse(String(editRequest(body, {})))).toEqual({ input: 'a', model: defaultModerationModel })
      expect(JSON.parse(String(editRequest(body, { model: 'mapped' })))).toEqual({ input: 'a', model: 'mapped' })
    }
    const named = '{ "model":"own", "input":["a"] }'
    expect(editRequest(named, {})).toBe(named)
  })

  test('texts and pictures are measured, and a part of a kind to come passes', () => {
    const head = readHead(
      JSON.stringify({
        input: [
          { type: 'text', text: 'eight by' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'sound' },
        ],
      }),
    )
    expect(head).toMatchObject({ textBytes: 8, media: ['image'] })
    expect(head.most.in.fresh).toBeGreaterThan(3000)
  })
})

describe('the answer', () => {
  const head = readHead('{"input":"twelve bytes"}')
  const body = '{ "id":"modr-1", "model":"omni-moderation-2024", "results":[{"flagged":false}] }'

  test('passes byte for byte, its model`s name apart', () => {
    expect(readWhole(body, {}, head).body).toBe(body)
    expect(readWhole(body, { model: 'own' }, head).body).toBe(body.replace('omni-moderation-2024', 'own'))
  })

  test('its tokens are the upstream`s, or an estimate within what was held', () => {
    const { usage } = readWhole(body, {}, head)
    expect(usage).toMatchObject({ in: { fresh: 3 }, provenance: 'estimated' })
    expect(head.most.in.fresh).toBeGreaterThanOrEqual(3)
    const reported = readWhole('{"results":[{"flagged":true}],"usage":{"prompt_tokens":5,"total_tokens":5}}', {}, head).usage
    expect(reported).toMatchObject({ in: { fresh: 5 }, out: { total: 0 }, provenance: 'provider' })
  })

  test.each(['oops', '<html>', '{"object":"list"}', '{"results":[]}', '{"results":[{}]}', '{"results":[{"flagged":"no"}]}'])(
    '%s is an upstream error',
    (wrong) => {
      expect(refusal(() => readWhole(wrong, {}, head)).code).toBe('upstream_error')
    },
  )
})
